/** Leash, supervisor, lock and ports, on small shell scripts instead of services. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  statSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { StackError } from '../../stack/errors.ts';
import { openDataFolder } from '../../stack/folder.ts';
import { takeLock } from '../../stack/lock.ts';
import { reservePort } from '../../stack/ports.ts';
import { formatId, identify, lives, ownId, parseId, signalProcess } from '../../stack/processes.ts';
import { createSupervisor, type Part, type StackEvent } from '../../stack/supervisor.ts';
import { spawnTethered } from '../../stack/tether.ts';
import { makeFolder } from './world.ts';
import { until } from '../support/until.ts';

const root = makeFolder();
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const env = { PATH: process.env['PATH'] ?? '' };

describe('a data folder', () => {
  it.skipIf(process.getuid?.() !== 0)(
    'of root can be reached by Postgres, by whatever way was made to it',
    async () => {
      const way = ['one', 'two', 'three'].map((_, at, all) => path.join(root, ...all.slice(0, at + 1)));
      const { lock } = await openDataFolder(way.at(-1) ?? '');
      lock.release();
      expect(way.map((folder) => statSync(folder).mode & 0o777)).toEqual([0o711, 0o711, 0o711]);
      expect(statSync(path.join(way.at(-1) ?? '', 'logs')).mode & 0o777).toBe(0o700);
    },
  );
});

it('a copy that a killed backup has left in a data folder goes with the next start', async () => {
  const folder = path.join(root, 'copies');
  mkdirSync(path.join(folder, 'run'), { recursive: true });
  const own = ['20260101T000000Z-000000.copy', '20260101T000000Z-000000.copy-journal', 'temporal.copy'];
  for (const name of [...own, 'stack.json']) writeFileSync(path.join(folder, 'run', name), '');
  const { run, lock } = await openDataFolder(folder);
  lock.release();
  expect(readdirSync(run)).toEqual(['stack.json']);
});

describe('a leash', () => {
  const output = openSync(path.join(root, 'leash.log'), 'a');
  afterAll(() => {
    closeSync(output);
  });
  const shell = (script: string) =>
    spawnTethered({
      ...{ command: '/bin/sh', args: ['-c', script], env, cwd: root },
      ...{ stopSignal: 'SIGTERM', orphanGraceSeconds: 1, output },
    });

  it('tells the exit code of the service', async () => {
    expect(await (await shell('exit 7')).exited).toBe(7);
    const killed = await shell('exec sleep 60');
    signalProcess(killed.id, 'SIGKILL');
    expect(await killed.exited).toBe(128 + 9);
  });

  it('reports a program that is not there as an exit', async () => {
    const missing = await spawnTethered({
      ...{ command: path.join(root, 'nowhere'), args: [], env, cwd: root },
      ...{ stopSignal: 'SIGTERM', orphanGraceSeconds: 1, output },
    });
    expect(await missing.exited).toBe(127);
  });

  it('tells of a folder that is gone, and of nothing else', async () => {
    const nowhere = spawnTethered({
      ...{ command: '/bin/true', args: [], env, cwd: path.join(root, 'nowhere') },
      ...{ stopSignal: 'SIGTERM', orphanGraceSeconds: 1, output },
    });
    await expect(nowhere).rejects.toThrow(StackError);
  });

  it('ends a service that ignores the signal, after its launcher was killed', async () => {
    const launcher = spawn(process.execPath, [path.join(import.meta.dirname, 'stubborn.ts'), root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = (await once(launcher.stdout, 'data')) as [Buffer];
    const service = identify(Number(chunk.toString()));
    if (service === null) throw new Error('the service did not start');
    launcher.kill('SIGKILL');
    await until('the stubborn service is gone', () => !lives(service));
  });

  it('ends the service when the leash itself is killed', async () => {
    const tethered = await shell('exec sleep 60');
    const stat = readFileSync(`/proc/${String(tethered.id.pid)}/stat`, 'utf8');
    process.kill(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), 'SIGKILL');
    await tethered.exited;
    expect(lives(tethered.id)).toBe(false);
  });
});

describe('a supervisor', () => {
  const part = (name: string, script: string, more: Partial<Part> = {}): Part => ({
    ...{ name, command: '/bin/sh', args: ['-c', script], env, cwd: root },
    // A shell that is told to stop does so at once, but for a machine that is busy.
    ...{ stopSignal: 'SIGTERM', orphanGraceSeconds: 1, stopGraceMs: 60_000 },
    check: () => Promise.resolve(),
    ...more,
  });
  const releases: (() => void)[] = [];
  const supervise = async (name: string) => {
    const folder = await openDataFolder(path.join(root, name));
    releases.push(folder.lock.release);
    const events: StackEvent[] = [];
    const supervisor = createSupervisor({
      folder,
      startSeconds: 600,
      onEvent: (event) => events.push(event),
    });
    return { supervisor, events, folder };
  };
  afterEach(() => {
    vi.useRealTimers();
    for (const release of releases.splice(0)) release();
  });

  it('says why a part does not come up, with the end of its log', async () => {
    const { supervisor } = await supervise('broken');
    const broken = part('broken', 'echo no such table >&2; exit 3', {
      check: () => Promise.reject(new Error()),
    });
    const start = supervisor.start(broken);
    await expect(start).rejects.toThrow(StackError);
    await expect(start).rejects.toThrow(/exit code 3.*broken\.log, which ends:\n(.*\n)*no such table/);
    await supervisor.stop();
  });

  it('tells every ten seconds for which part it waits', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const { supervisor, events } = await supervise('slow');
    const ready = { yet: false };
    const check = () => (ready.yet ? Promise.resolve() : Promise.reject(new Error()));
    const started = supervisor.start(part('slow', 'exec sleep 60', { check }));
    vi.advanceTimersByTime(25_000);
    ready.yet = true;
    await started;
    vi.advanceTimersByTime(25_000);
    vi.useRealTimers();
    await supervisor.stop();
    expect(events.flatMap((event) => (event.kind === 'progress' ? [event.message] : []))).toEqual([
      'slow does not answer yet, after 10 s …',
      'slow does not answer yet, after 20 s …',
    ]);
  });

  it(
    'starts a part that was up again without an end, ever more slowly, until what kept it down has passed',
    { tags: ['long'] },
    async () => {
      const { supervisor, events } = await supervise('flapping');
      const mended = path.join(root, 'mended');
      const script = `[ -e "${mended}" ] && exec sleep 60; echo no room >&2; exit 1`;
      const ever = { up: false };
      const check = () => (ever.up && !existsSync(mended) ? Promise.reject(new Error()) : Promise.resolve());
      await supervisor.start(part('flapping', script, { check })).then(() => (ever.up = true));
      const exits = () => events.filter((event) => event.kind === 'exited');
      await until('it has failed six times', () => exits().length >= 6);
      expect(exits().map(({ waitMs }) => waitMs)).toEqual([0, 250, 500, 1_000, 2_000, 4_000]);
      expect(exits().map(({ why }) => why?.split('\n').at(-1) ?? null)).toEqual([null, null, null, ...Array<string>(3).fill('no room')]); // prettier-ignore
      writeFileSync(mended, '');
      const ups = () => events.filter((event) => event.kind === 'up').length;
      const before = ups();
      await until('it is up again', () => ups() > before);
      await supervisor.stop();
    },
  );

  it('starts a part again that could not even be started, once it can', async () => {
    const { supervisor, events } = await supervise('unstartable');
    const broken = { yet: false };
    const prepare = () => {
      if (broken.yet) throw new Error('ENOSPC: no space left on device');
    };
    const { id } = await new Promise<{ id: number }>((started) => {
      const up = part('unstartable', 'exec sleep 60', { prepare });
      void supervisor.start(up).then(() => {
        const [event] = events.filter((each) => each.kind === 'up');
        started({ id: event?.pid ?? 0 });
      });
    });
    broken.yet = true;
    process.kill(id, 'SIGKILL');
    const refusals = () => events.filter((event) => event.kind === 'exited' && event.code === null);
    await until('it could not be started', () => refusals().length >= 2);
    broken.yet = false;
    await until('it is up again', () => events.filter((event) => event.kind === 'up').length >= 2);
    await supervisor.stop();
  });

  it(
    'kills a part that lives and says again and again that it is stuck, and starts it anew',
    { tags: ['deep'] },
    async () => {
      const { supervisor, events } = await supervise('stuck');
      const stuck = { yet: true };
      const answers: boolean[] = [];
      const ask = () => {
        answers.push(stuck.yet);
        return Promise.resolve(stuck.yet);
      };
      await supervisor.start(part('stuck', `trap '' TERM; exec sleep 600`, { stuck: ask }));
      await until('it has been ended', () => events.some(({ kind }) => kind === 'exited'));
      stuck.yet = false;
      expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['up', 'progress', 'exited']));
      expect(answers).toEqual([true, true]);
      await until('it is up again and has been asked', () => answers.length > 2);
      expect(events.filter(({ kind }) => kind === 'exited')).toHaveLength(1);
      await supervisor.stop(true);
    },
  );

  it('hands SIGUSR2 on to the parts that are ours, and to no other, which it would end', async () => {
    const { supervisor, events } = await supervise('louder');
    const heard = path.join(root, 'louder.txt');
    const ready = path.join(root, 'louder.ready');
    const script = `trap 'echo heard >>"${heard}"' USR2; echo >"${ready}"; while :; do sleep 0.05; done`;
    const check = () => readFile(ready).then(() => undefined);
    await supervisor.start(part('ours', script, { check, takesUsr2: true }));
    await supervisor.start(part('theirs', 'exec sleep 60'));
    process.kill(process.pid, 'SIGUSR2');
    await until('the part has heard it', () => existsSync(heard));
    expect(events.filter(({ kind }) => kind === 'exited')).toEqual([]);
    await supervisor.stop(true);
  });

  it('stops in the reverse order of the start', async () => {
    const { supervisor } = await supervise('order');
    const file = path.join(root, 'order.txt');
    const told = (name: string): Part => {
      const ready = path.join(root, `${name}.ready`);
      const script = `trap 'echo ${name} >>"${file}"; exit 0' TERM; echo >"${ready}"; while :; do sleep 0.05; done`;
      return part(name, script, { check: () => readFile(ready).then(() => undefined) });
    };
    for (const name of ['one', 'two', 'three']) await supervisor.start(told(name));
    await supervisor.stop();
    expect(readFileSync(file, 'utf8').split('\n')).toEqual(['three', 'two', 'one', '']);
  });

  it('uses force when a gentle stop is hastened', async () => {
    const { supervisor } = await supervise('hastened');
    const ready = path.join(root, 'hastened.ready');
    const slow = part('slow', `trap '' TERM; echo >"${ready}"; while :; do sleep 0.05; done`, {
      stopGraceMs: 60_000,
    });
    await supervisor.start({ ...slow, check: () => readFile(ready).then(() => undefined) });
    const began = performance.now();
    const gentle = supervisor.stop();
    await supervisor.stop(true);
    await gentle;
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('starts nothing after a stop', async () => {
    const { supervisor } = await supervise('stopped');
    await supervisor.stop();
    await expect(supervisor.start(part('late', 'sleep 60'))).rejects.toThrow();
  });
});

describe('a lock', () => {
  it('is refused to others while its holder lives, and free after that', () => {
    const file = path.join(root, 'lock');
    const first = takeLock(file);
    expect(takeLock(file)).toEqual({ heldBy: ownId() });
    if ('lock' in first) first.lock.release();
    expect(takeLock(file)).toHaveProperty('lock');
  });

  it.each(['', 'garbage', '1 another-boot:17\n', '999999999 x:1\n'])(
    'is free where its file says %j',
    (content) => {
      const file = path.join(root, 'stale');
      writeFileSync(file, content);
      const taken = takeLock(file);
      expect(taken).toHaveProperty('lock');
      expect(readFileSync(file, 'utf8')).toBe(formatId(ownId()));
      if ('lock' in taken) taken.lock.release();
    },
  );

  it('is left to the one who is clearing up after a dead holder', () => {
    const file = path.join(root, 'clearing');
    const other = identify(process.ppid);
    if (other === null) throw new Error('there is no parent process');
    writeFileSync(file, '999999999 x:1\n');
    writeFileSync(`${file}.clear`, formatId(other));
    expect(takeLock(file)).toEqual({ heldBy: other });
    writeFileSync(`${file}.clear`, '999999999 x:1\n');
    expect(takeLock(file)).toHaveProperty('lock');
  });

  it('is never held by two processes', async () => {
    const [file, log] = [path.join(root, 'contended'), path.join(root, 'contended.log')];
    writeFileSync(file, '999999999 x:1\n');
    const script = path.join(import.meta.dirname, 'contender.ts');
    const contenders = Array.from({ length: 4 }, () =>
      once(spawn(process.execPath, [script, file, log]), 'exit'),
    );
    expect((await Promise.all(contenders)).map(([code]) => code as number)).toEqual([0, 0, 0, 0]);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(4 * 2 * 25);
    for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('in', 'out'));
  });
});

describe('a process id', () => {
  it('survives being written down', () => {
    expect(parseId(formatId(ownId()))).toEqual(ownId());
    expect(lives(ownId())).toBe(true);
    expect(lives({ pid: process.pid, began: 'another time' })).toBe(false);
    expect(signalProcess({ pid: process.pid, began: 'another time' }, 'SIGKILL')).toBe(false);
  });
});

describe('a port', () => {
  it('that is usual but taken is replaced by a free one', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    const replaced = await reservePort({ what: 'the API', fixed: null, usual: port });
    expect(replaced.port).not.toBe(port);
    blocker.close();
    replaced.release();
  });

  it('is given to one of those who ask at the same time', async () => {
    const probe = await reservePort({ what: 'a test', fixed: null, usual: null });
    probe.release();
    const ask = () => reservePort({ what: 'a test', fixed: null, usual: probe.port });
    const all = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(all.map(({ port }) => port)).size).toBe(3);
    expect(all.map(({ port }) => port)).toContain(probe.port);
    for (const { release } of all) release();
  });
});
