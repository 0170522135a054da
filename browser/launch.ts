/** One process of the browser, in its cell: how it is started, what memory it takes, how it ends. */
import { spawn } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';
import { findCell } from './cell.ts';
import { DevTools } from './devtools.ts';

export interface Browser {
  readonly devtools: DevTools;
  /** As it names itself: `HeadlessChrome/156.0.8078.108`. */
  readonly version: string;
  readonly userAgent: string;
  /** In which cell it runs, in words. */
  readonly cell: string;
  /** Whether it draws only when told (the headless shell): what depends on drawing is the same in each round then. */
  readonly drawsWhenTold: boolean;
  readonly pid: number;
  /** Whether it has not ended yet. */
  readonly lives: () => boolean;
  /** Bytes that all its processes have in memory; 0 where the system does not tell. */
  readonly memory: () => Promise<number>;
  /** Milliseconds of processor time that they have taken; 0 where the system does not tell. */
  readonly processorMs: () => Promise<number>;
  /** Kills all its processes, and removes its files. */
  readonly end: () => Promise<void>;
}

/** The browser cannot be started. The message is for people. */
class NoBrowser extends Error {
  override readonly name = 'NoBrowser';
}

/**
 * Kilobytes of memory that any one process of it may write to, from which V8's own limit of a page's objects is far: a
 * page that asks for more loses its process.
 */
const dataKilobytes = 1_500_000;
const startMs = 20_000;

/**
 * $1: the limit of memory; then the command. The first that the kernel ends when memory is short, and last in turn for
 * the processor: everything else here is worth more than a page that can be rendered again.
 */
const script = `
echo 900 2>/dev/null >/proc/self/oom_score_adj
ulimit -d "$1" 2>/dev/null
shift
exec nice -n 5 "$@"
`;

const options = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-breakpad',
  '--disable-sync',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-client-side-phishing-detection',
  '--disable-domain-reliability',
  '--disable-dev-shm-usage',
  '--mute-audio',
  '--hide-scrollbars',
  '--lang=en-US',
  // Where the cell is open, these alone keep the browser from the network: a proxy at which nobody listens, names that
  // lead nowhere, nothing beside the proxy.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--dns-prefetch-disable',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // All frames of a page in one process: one session hears them, and their time is the page's.
  '--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider',
  '--disable-site-isolation-trials',
  // Windows that scripts open are told and not made.
  '--block-new-web-contents',
  '--disable-blink-features=AutomationControlled',
  // Math.random() gives the same numbers in each round. V8 may take half a gigabyte for a page's objects.
  '--js-flags=--random-seed=157 --max-old-space-size=512',
];
/** Known to the headless shell alone, which draws nothing then but when it is told. */
const drawingOptions = ['--enable-begin-frame-control', '--run-all-compositor-stages-before-draw'];

/**
 * @param program path of Chromium or of its headless shell
 * @param scratch folder for its own one, which others may enter; what killed processes have left there is removed
 * @throws NoBrowser
 */
export async function launch(
  program: string,
  scratch: string,
  cell = findCell(process.getuid?.() === 0),
): Promise<Browser> {
  mkdirSync(scratch, { recursive: true });
  removeLeftovers(scratch, cell.user?.uid ?? process.getuid?.());
  const home = mkdtempSync(path.join(scratch, `${ownPrefix}${String(process.pid)}-`));
  if (cell.user !== null) chownSync(home, cell.user.uid, cell.user.gid);
  const shell = /headless[-_]shell$/.test(program);
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      script,
      'browser',
      String(dataKilobytes),
      ...cell.command,
      program,
      ...options,
      ...(shell ? drawingOptions : []),
      `--user-data-dir=${home}/profile`,
    ],
    {
      // A group of its own, so that Ctrl-C reaches us alone; what it writes is of no use to anybody.
      detached: true,
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, TZ: 'UTC', LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => (said = (said + bytes.toString('utf8')).slice(-2_000)));
  const devtools = new DevTools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      said = error.message;
      devtools.end(error.message);
      resolve();
    });
    child.once('exit', () => {
      devtools.end('the browser has ended');
      resolve();
    });
  });
  const end = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      // The leash in the group takes the namespace of processes along.
      process.kill(-child.pid, 'SIGKILL');
      await gone;
    }
    // What it was writing may come after the removal has begun.
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };
  const version = await Promise.race([
    devtools
      .session()
      .send('Browser.getVersion')
      .catch(() => null),
    after(startMs, null, { ref: false }),
  ]);
  if (version === null || child.pid === undefined) {
    await end();
    throw new NoBrowser(`The browser ${program} does not start: ${lastLine(said) || 'it says nothing'}`);
  }
  const { pid } = child;
  return {
    devtools,
    version: version.product,
    userAgent: version.userAgent.replace('Headless', ''),
    cell: cell.about,
    drawsWhenTold: shell,
    pid,
    lives: () => child.exitCode === null && child.signalCode === null,
    memory: () => sumOf(pid, memoryOf),
    processorMs: () => sumOf(pid, processorOf),
    end,
  };
}

/** The machine's name, since several may have their data in one folder. */
const ownPrefix = `orbweaver-browser-${hostname()}-`;

/** Files of browsers whose process of ours was killed. @param owner of them: others may have folders of such names */
function removeLeftovers(scratch: string, owner: number | undefined): void {
  for (const name of readdirSync(scratch)) {
    if (!name.startsWith(ownPrefix)) continue;
    const pid = Number(name.slice(ownPrefix.length).split('-')[0]);
    const folder = path.join(scratch, name);
    const isOwn = lstatSync(folder, { throwIfNoEntry: false })?.uid === owner;
    if (isOwn && !isThere(pid)) rmSync(folder, { recursive: true, force: true });
  }
}

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: somebody else's.
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
};

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const childrenOf = async (pid: number): Promise<number[]> =>
  (await readOf(pid, `task/${String(pid)}/children`)).split(' ').filter(Boolean).map(Number);

const readOf = (pid: number, name: string): Promise<string> =>
  readFile(`/proc/${String(pid)}/${name}`, 'utf8').catch(() => '');

/** A figure of the process and of all that it has started, by what the kernel tells. */
async function sumOf(pid: number, figure: (pid: number) => Promise<number>): Promise<number> {
  const [own, children] = await Promise.all([figure(pid), childrenOf(pid)]);
  const theirs = await Promise.all(children.map((child) => sumOf(child, figure)));
  return theirs.reduce((sum, each) => sum + each, own);
}

/** Bytes. Of what is mapped from files, such as the program, all processes share one copy, which is not counted. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readOf(pid, 'status');
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1_024;
}

/** Milliseconds of processor time, children that have ended included. */
async function processorOf(pid: number): Promise<number> {
  const stat = await readOf(pid, 'stat');
  // proc(5): the name in field 2 may hold blanks and brackets; fields 14 to 17 are ticks, a hundred a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}
