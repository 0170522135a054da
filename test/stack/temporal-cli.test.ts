import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { findTemporalCli, type TemporalCliOptions } from '../../stack/temporal-cli.ts';
import { until } from '../support/until.ts';
import { makeFolder } from './world.ts';

const root = makeFolder();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A PATH with nothing but what a shell script and an unpacking need. */
const barePath = path.join(root, 'bin');
mkdirSync(barePath);
const program = '#!/bin/sh\necho temporal version 1.5.1\n';

const install = (folder: string, name: string, content: string): string => {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  writeFileSync(file, content);
  chmodSync(file, 0o755);
  return file;
};

/** A server of downloads; without an archive it answers 404. */
const serve = async (archive: Buffer | null): Promise<string> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    if (archive === null) response.writeHead(404).end();
    else if (request.url === '/archive') response.end(archive);
    else response.end(JSON.stringify({ archiveUrl: `${base}/archive`, fileToExtract: 'temporal' }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
};

let caches = 0;
const find = async (more: Partial<TemporalCliOptions>) => {
  const cacheDir = path.join(root, `cache${String(caches++)}`);
  const told: string[] = [];
  const cli = findTemporalCli({
    setting: null,
    cacheDir,
    onProgress: (message) => told.push(message),
    searchPath: barePath,
    downloads: await serve(null),
    ...more,
  });
  return { cli, told, cacheDir };
};

const goThat = (body: string): string => {
  const folder = path.join(root, `go${String(caches)}`);
  install(folder, 'go', `#!/bin/sh\n[ "$1" = version ] && exit 0\n${body}`);
  return `${folder}:/usr/bin:/bin`;
};

describe('the Temporal CLI', () => {
  it('is the one that is set', async () => {
    const setting = install(path.join(root, 'set'), 'temporal', program);
    await expect((await find({ setting })).cli).resolves.toBe(setting);
  });

  it('is refused where the one that is set does not run', async () => {
    const { cli } = await find({ setting: path.join(root, 'nowhere') });
    await expect(cli).rejects.toThrow(/^ORBWEAVER_TEMPORAL_CLI names .*nowhere/);
  });

  it('is taken from PATH', async () => {
    const folder = path.join(root, 'onpath');
    install(folder, 'temporal', program);
    await expect((await find({ searchPath: `${folder}:/bin` })).cli).resolves.toBe('temporal');
  });

  it('is downloaded once, then taken from the cache', async () => {
    install(path.join(root, 'packed'), 'temporal', program);
    const archive = spawnSync('tar', ['-czf', '-', '-C', path.join(root, 'packed'), 'temporal']).stdout;
    const { cli, cacheDir } = await find({ downloads: await serve(archive) });
    const file = await cli;
    expect(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout).toContain('1.5.1');
    await expect((await find({ cacheDir })).cli).resolves.toBe(file);
    expect(readdirSync(cacheDir)).toEqual(['temporal-1.5.1']);
  });

  it('is built with Go where it cannot be downloaded, by one of several that ask', async () => {
    const count = path.join(root, 'builds');
    const searchPath = goThat(
      `echo "$*" >>"${count}"; sleep 0.3; printf '#!/bin/sh\\necho temporal version\\n' >"$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
    );
    const first = await find({ searchPath });
    const second = await find({ searchPath, cacheDir: first.cacheDir });
    const files = await Promise.all([first.cli, second.cli]);
    expect(files[0]).toBe(files[1]);
    expect(readFileSync(count, 'utf8')).toBe('install github.com/temporalio/cli/cmd/temporal@v1.5.1\n');
    expect([...first.told, ...second.told].join()).toMatch(
      /building the Temporal CLI 1\.5\.1 with Go, once: 0 s/,
    );
  });

  it('is built with caches of its own, of which nothing is left', async () => {
    const seen = path.join(root, 'caches');
    const searchPath = goThat(
      `mkdir -p "$GOMODCACHE" "$GOCACHE"; echo >"$GOMODCACHE/module"; echo "$GOMODCACHE $GOCACHE $GOFLAGS" >"${seen}"
       printf '#!/bin/sh\\necho temporal version\\n' >"$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
    );
    const { cli, cacheDir } = await find({ searchPath });
    await cli;
    const [modules = '', compiled = '', flags] = readFileSync(seen, 'utf8').trim().split(' ');
    expect([modules, compiled].every((folder) => folder.startsWith(`${cacheDir}/temporal-draft-`))).toBe(
      true,
    );
    expect(flags).toBe('-modcacherw');
    expect(readdirSync(cacheDir).sort()).toEqual(['temporal-1.5.1', 'temporal-build.log']);
  });

  it('says how the build failed, and leaves nothing half-made', async () => {
    const { cli, cacheDir } = await find({ searchPath: goThat('echo no module mirror >&2; exit 1') });
    await expect(cli).rejects.toThrow(/could not be built[^]*no module mirror/);
    expect(readdirSync(cacheDir)).toEqual(['temporal-build.log']);
  });

  it('is asked for in one sentence where it cannot be had', async () => {
    const { cli } = await find({});
    await expect(cli).rejects.toThrow(
      /not installed, could not be downloaded \(127.* answered 404\), and there is no Go/,
    );
  });

  it.each(['before Go is started', 'while it builds'])(
    'is not waited for after an interrupt %s',
    async (when) => {
      const interrupt = new AbortController();
      const started = path.join(root, 'started');
      // Far longer than a test may take: its end is what is waited for.
      const searchPath = goThat(`echo >"${started}"; exec sleep 3600`);
      const onProgress = (told: string): void => {
        if (when.startsWith('before') && told.startsWith('building')) interrupt.abort();
      };
      const { cli } = await find({ searchPath, signal: interrupt.signal, onProgress });
      const ended = expect(cli).rejects.toThrow(/abort/);
      if (when.startsWith('while')) {
        await until('Go builds', () => existsSync(started));
        interrupt.abort();
      }
      await ended;
    },
  );
});
