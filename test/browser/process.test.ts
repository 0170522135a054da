/** The browser as processes: where it runs, how it ends, who replaces it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { findBrowser } from '../../browser/find.ts';
import { openBrowser } from '../../workers/browser.ts';
import { hasBrowser, never, openRenderer, closeRenderer, pageOf, shown } from '../support/browser.ts';
import { testFolder } from '../support/given.ts';
import { until } from '../support/until.ts';

const read = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'utf8');
  } catch {
    return '';
  }
};

/** A process and all that it has started. */
const family = (pid: number): number[] => [
  pid,
  ...read(pid, `task/${String(pid)}/children`)
    .split(' ')
    .filter(Boolean)
    .flatMap((child) => family(Number(child))),
];

const isZombie = (pid: number): boolean => /^State:\s+Z/m.test(read(pid, 'status'));
const alive = (pids: readonly number[]): number[] =>
  pids.filter((pid) => read(pid, 'status') !== '' && !isZombie(pid));
const endlessly = pageOf(
  '<body><script src=/never.js></script>',
  {},
  { find: () => new Promise(() => undefined) },
);

describe.skipIf(!hasBrowser)('the browser (needs one)', () => {
  it('runs without a network, without our rights, and first to go', async () => {
    const open = openRenderer();
    try {
      const browser = await open.renderer.start();
      expect(open.log).toEqual([
        expect.stringMatching(/^HeadlessChrome\/\d+.* in a network namespace without interfaces$/),
      ]);
      const round = open.renderer.render(endlessly, AbortSignal.timeout(3_000));
      const renderers = () =>
        family(browser.pid).filter((pid) => read(pid, 'cmdline').includes('--type=renderer'));
      // A filter of system calls (seccomp, mode 2) is the sandbox's inner wall.
      const isShut = (pid: number) => /^Seccomp:\s+2$/m.test(read(pid, 'status'));
      await until('a page is rendered', () => renderers().length > 0 && renderers().every(isShut));
      for (const pid of renderers()) {
        expect(readlinkSync(`/proc/${String(pid)}/ns/net`)).not.toBe(readlinkSync('/proc/self/ns/net'));
        expect(read(pid, 'status')).not.toMatch(/^Uid:\s+0\s/m);
        expect(Number(read(pid, 'oom_score_adj'))).toBeGreaterThan(0);
        expect(read(pid, 'net/dev').split('\n').slice(2).filter(Boolean)).toEqual([
          expect.stringMatching(/^\s*lo:(\s+0)+$/),
        ]);
      }
      await round;
    } finally {
      await closeRenderer(open);
    }
  });

  it('ends with its files when it is closed', async () => {
    const open = openRenderer();
    const { pid } = await open.renderer.start();
    const processes = family(pid);
    const round = open.renderer.render(endlessly, never);
    await open.renderer.close();
    expect(await round).toMatchObject({ outcome: 'crashed', dom: new Uint8Array() });
    await until('all its processes have ended', () => alive(processes).length === 0);
    expect(readdirSync(open.scratch)).toEqual([]);
    await closeRenderer(open);
  });

  it.each([
    ['killed', 'SIGKILL'],
    ['stopped, so that it cannot see the pipe close', 'SIGSTOP'],
  ] as const)('ends when its process of ours is killed, and it is %s', async (_, signal) => {
    const scratch = testFolder();
    const holder = spawn(process.execPath, [new URL('holder.ts', import.meta.url).pathname, scratch], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(holder.stdout, 'data')) as [Buffer];
    const processes = family(Number(line.toString('utf8')));
    expect(processes.length).toBeGreaterThan(3);
    if (signal === 'SIGSTOP') for (const pid of processes) process.kill(pid, signal);
    holder.kill('SIGKILL');
    await until('all its processes have ended', () => alive(processes).length === 0);
    // What it has left goes when another process opens its browser.
    expect(readdirSync(scratch)).toHaveLength(1);
    vi.stubEnv('TMPDIR', scratch);
    const next = await openBrowser({ browser: null }, pino({ level: 'silent' }));
    expect(readdirSync(scratch)).toEqual([]);
    await next?.close();
    vi.unstubAllEnvs();
  });

  it('is started again when it has crashed, and its pages are told so', async () => {
    const open = openRenderer();
    try {
      const { pid } = await open.renderer.start();
      const round = open.renderer.render(endlessly, never);
      process.kill(pid, 'SIGKILL');
      expect(await round).toMatchObject({ outcome: 'crashed', refused: {} });
      expect(shown(await open.renderer.render(pageOf('<body>again'), never))).toBe('again');
      expect((await open.renderer.start()).pid).not.toBe(pid);
    } finally {
      await closeRenderer(open);
    }
  });

  it('is replaced after so many pages, and others render meanwhile', async () => {
    const open = openRenderer({ maxRounds: 1 });
    try {
      const { pid } = await open.renderer.start();
      const lasting = new AbortController();
      const last = open.renderer.render(endlessly, lasting.signal);
      await open.renderer.render(pageOf('one'), never);
      const next = await open.renderer.start();
      expect(next.pid).not.toBe(pid);
      expect(alive([pid])).toEqual([pid]);
      lasting.abort();
      expect((await last).outcome).toBe('cut');
      expect(alive([pid])).toEqual([]);
    } finally {
      await closeRenderer(open);
    }
  });

  it('is replaced when it has grown', async () => {
    const open = openRenderer({ maxBytes: 1 });
    try {
      const { pid } = await open.renderer.start();
      await open.renderer.render(pageOf('one'), never);
      expect((await open.renderer.start()).pid).not.toBe(pid);
    } finally {
      await closeRenderer(open);
    }
  });

  it('is waited for until it has not started for long, and again when it does', async () => {
    const folder = testFolder();
    // The browser's user may enter it.
    chmodSync(folder, 0o711);
    const program = path.join(folder, 'headless_shell');
    const open = openRenderer({ program, startMs: 0 });
    expect(open.renderer.serves()).toBe(true);
    await expect(open.renderer.render(pageOf('one'), never)).rejects.toThrow('does not start');
    expect(open.renderer.serves()).toBe(false);
    const search = findBrowser(null, process.env);
    symlinkSync('program' in search ? search.program : '', program);
    await until('it has started', () => open.renderer.serves());
    expect(open.log).toEqual([
      expect.stringContaining('no browser starts'),
      expect.stringContaining('HeadlessChrome'),
    ]);
    await closeRenderer(open);
  });

  it('ends no more than the page at which we fail ourselves', async () => {
    const open = openRenderer();
    const broken = {
      ...pageOf('one'),
      get url(): string {
        throw new TypeError('ours');
      },
    };
    expect(await open.renderer.render(broken, never)).toMatchObject({ outcome: 'crashed' });
    const away = { ...pageOf('<script src=/a.js></script>'), find: () => Promise.reject(new Error('away')) };
    await expect(open.renderer.render(away, never)).rejects.toThrow('away');
    expect(open.renderer.serves()).toBe(true);
    await closeRenderer(open);
  });

  it('says why it does not start', async () => {
    const open = openRenderer({ program: '/bin/false' });
    await expect(open.renderer.start()).rejects.toThrow('/bin/false does not start');
    await closeRenderer(open);
  });
});
