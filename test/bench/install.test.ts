import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installColly, installScrapy, type Program } from '../../bench/install.ts';

let folder = '';
/** Holds no program but those that a test puts there. */
let bare = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-install-'));
  bare = join(folder, 'bin');
  mkdirSync(bare);
  path = [bare, '/bin', '/usr/bin'].join(delimiter);
  writeFileSync(join(folder, 'requirements.txt'), 'Scrapy==0.0.1\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(bare, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bare, name), 0o755);
}

/** A python3 whose environments have a pip that does as the script says; each call of it is a line of `calls`. */
function pythonWithPip(script: string): void {
  writeFileSync(join(folder, 'pip.sh'), `#!/bin/sh\necho pip >> "${folder}/calls"\n${script}\n`);
  program(
    'python3',
    `mkdir -p .cache/venv/bin; cp pip.sh .cache/venv/bin/python; chmod +x .cache/venv/bin/python`,
  );
}

const calls = (): number =>
  existsSync(join(folder, 'calls'))
    ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').length
    : 0;

const reason = (program: Program): string => ('missing' in program ? program.missing : 'it is there');

describe('contestants that cannot be had', () => {
  it('are told of by the program that is missing', () => {
    expect(reason(installScrapy(folder, bare))).toContain('no python3 here');
    expect(reason(installColly(folder, bare))).toContain('no go here');
  });

  it('are told of by what the installer said last, and tried again the next time', () => {
    pythonWithPip('echo "WARNING: retrying" >&2; echo "ERROR: no registry" >&2; exit 1');
    program('go', 'echo "main.go:1: no route to host" >&2; exit 1');
    for (const times of [1, 2]) {
      expect(reason(installScrapy(folder, path))).toMatch(/pip install .* failed: ERROR: no registry$/);
      expect(calls()).toBe(times);
    }
    expect(reason(installColly(folder, path))).toMatch(/^go build .* failed: main.go:1: no route to host$/);
  });
});

describe('contestants that can be had', () => {
  it('leave nothing of Go in the home', () => {
    program('go', 'echo "$GOMODCACHE $GOCACHE" >&2; exit 1');
    const [modules, compiled] = ['modules', 'compiled'].map((name) => join(folder, '.cache', name));
    expect(reason(installColly(folder, path))).toContain(`failed: ${String(modules)} ${String(compiled)}`);
  });

  it('are installed once for each version', () => {
    pythonWithPip('exit 0');
    const found = { path: join(folder, '.cache', 'venv', 'bin', 'python') };
    expect(installScrapy(folder, path)).toEqual(found);
    // Nothing is asked for again, not even where python3 is gone.
    expect(installScrapy(folder, bare)).toEqual(found);
    expect(calls()).toBe(1);
    writeFileSync(join(folder, 'requirements.txt'), 'Scrapy==0.0.2\n');
    expect(installScrapy(folder, path)).toEqual(found);
    expect(calls()).toBe(2);
  });
});
