/** The launcher and the shell script under it, in a small checkout with an npm that only writes down its calls. */
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../config/package.ts';
import { makeFolder } from './world.ts';

const root = makeFolder();
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const bin = path.join(root, 'bin');
mkdirSync(bin);
for (const tool of [
  'sh',
  'cat',
  'cksum',
  'dirname',
  'find',
  'grep',
  'mkdir',
  'mv',
  'readlink',
  'rm',
  'sleep',
]) {
  const found = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim();
  symlinkSync(found, path.join(bin, tool));
}

const script = (file: string, body: string): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
};

const nodeOfVersion = (version: string): string =>
  `[ "$1" = --version ] && { echo v${version}; exit; }\necho "node ${version}: $*"`;

let checkout = '';
let checkouts = 0;
const calls = (): string[] => {
  const file = path.join(checkout, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

beforeEach(() => {
  checkout = path.join(root, `checkout${String(checkouts++)}`);
  for (const file of ['orbweaver', 'stack/bootstrap.sh']) {
    mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
    copyFileSync(path.join(projectRoot, file), path.join(checkout, file));
  }
  writeFileSync(path.join(checkout, 'package-lock.json'), '{}');
  script(path.join(bin, 'node'), nodeOfVersion('20.20.2'));
  script(
    path.join(bin, 'npm'),
    `echo "$*" >>calls
     [ -f broken-lock ] && [ "$1" = ci ] && { echo 'Missing: x@ from lock file'; exit 1; }
     [ -f offline ] && { echo 'network is down'; exit 1; }
     sleep 0.3
     mkdir -p node_modules/node/bin node_modules/.bin
     printf '#!/bin/sh\\n%s\\n' '${nodeOfVersion('24.1.0').replaceAll('\n', ' ; ')}' >node_modules/node/bin/node
     printf '#!/bin/sh\\necho tool "$@"\\n' >node_modules/.bin/tool
     "${spawnSync('sh', ['-c', 'command -v chmod'], { encoding: 'utf8' }).stdout.trim()}" +x node_modules/node/bin/node node_modules/.bin/tool
     echo >node_modules/.package-lock.json`,
  );
});

const run = async (command: readonly string[], searchPath = bin) => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH: searchPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { out, errors, code };
};
const launcher = (): string => path.join(checkout, 'orbweaver');
const bootstrap = (...command: string[]): string[] => [
  path.join(bin, 'sh'),
  path.join(checkout, 'stack/bootstrap.sh'),
  ...command,
];

describe('the launcher', () => {
  it('installs once, then runs the command line on the Node that npm installed', async () => {
    const first = await run([launcher(), 'crawl', 'a b']);
    expect(first.errors).toMatch(/^orbweaver: installing npm packages.*\n$/);
    expect(first.out).toMatch(/^node 24\.1\.0: .*cli\/main\.ts crawl a b\n$/);
    const second = await run([launcher(), '--help']);
    expect(second.errors).toBe('');
    expect(calls()).toHaveLength(1);
    expect(calls()[0]).toMatch(/^ci .*--include=dev/);
  });

  it('works through a symbolic link', async () => {
    const link = path.join(root, `link${String(checkouts)}`);
    symlinkSync(path.relative(root, launcher()), link);
    expect((await run([link, 'up'])).out).toContain(path.join(checkout, 'cli/main.ts'));
  });

  it.each(['22.19.0', '24.0.0', '25.1.0'])("uses the machine's Node %s", async (version) => {
    script(path.join(bin, 'node'), nodeOfVersion(version));
    expect((await run([launcher()])).out).toContain(`node ${version}:`);
  });

  it.each(['18.20.0', '22.18.0', '23.5.0'])("passes over the machine's Node %s", async (version) => {
    script(path.join(bin, 'node'), nodeOfVersion(version));
    expect((await run([launcher()])).out).toContain('node 24.1.0:');
  });

  it('says so in one sentence where there is no npm', async () => {
    rmSync(path.join(bin, 'npm'));
    const { errors, code } = await run([launcher()]);
    expect(errors).toMatch(/^orbweaver: npm is needed to install its packages: .*\n$/);
    expect(code).toBe(1);
  });

  it("shows npm's messages where it fails, and tries again the next time", async () => {
    writeFileSync(path.join(checkout, 'offline'), '');
    const failed = await run([launcher()]);
    expect(failed.errors).toContain('network is down\n');
    expect(failed.code).toBe(1);
    rmSync(path.join(checkout, 'offline'));
    expect((await run([launcher()])).code).toBe(0);
  });

  it('installs from a lock file that leaves out packages of other systems', async () => {
    writeFileSync(path.join(checkout, 'broken-lock'), '');
    expect((await run([launcher()])).code).toBe(0);
    expect(calls().map((call) => call.split(' ')[0])).toEqual(['ci', 'install']);
  });
});

describe('the npm scripts', () => {
  it('run a tool of the project with its arguments and exit code', async () => {
    expect((await run(bootstrap('tool', 'x y'))).out).toBe('tool x y\n');
    script(path.join(checkout, 'node_modules/.bin/bad'), 'exit 9');
    expect((await run(bootstrap('bad'))).code).toBe(9);
  });

  it('install again when the lock file has changed, not when only its time has', async () => {
    const lock = path.join(checkout, 'package-lock.json');
    await run(bootstrap('tool'));
    const later = new Date(Date.now() + 10_000);
    utimesSync(lock, later, later);
    await run(bootstrap('tool'));
    expect(calls()).toHaveLength(1);
    writeFileSync(lock, '{"changed": true}');
    utimesSync(lock, later, later);
    await run(bootstrap('tool'));
    expect(calls()).toHaveLength(2);
  });

  it('leave alone what the developer installed', async () => {
    const lock = path.join(checkout, 'package-lock.json');
    await run(bootstrap('tool'));
    writeFileSync(lock, '{"changed": true}');
    const [earlier, now] = [new Date(Date.now() - 10_000), new Date()];
    utimesSync(lock, earlier, earlier);
    utimesSync(path.join(checkout, 'node_modules/.package-lock.json'), now, now);
    await run(bootstrap('tool'));
    expect(calls()).toHaveLength(1);
  });

  it('install once when several start together', async () => {
    const all = await Promise.all([run(bootstrap('tool')), run(bootstrap('tool')), run([launcher()])]);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(calls()).toHaveLength(1);
    expect(existsSync(path.join(checkout, '.cache/install.lock'))).toBe(false);
  });

  it('take the lock of an install that was killed', async () => {
    mkdirSync(path.join(checkout, '.cache/install.lock'), { recursive: true });
    writeFileSync(path.join(checkout, '.cache/install.lock/pid'), '999999999\n');
    expect((await run(bootstrap('tool'))).out).toBe('tool\n');
  });
});
