/** CPU time and memory of a process and all it started, read from /proc (Linux). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { stageOf } from './stages.ts';

interface Sample {
  readonly name: string;
  readonly parent: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

/** Fields of /proc/PID/stat (proc(5)), or null for a process or thread that is gone. */
function sample(place: number | string): Sample | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${String(place)}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name, in parentheses, may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    parent: field(4),
    cpuSeconds: (field(14) + field(15)) / ticksPerSecond,
    megabytes: (field(24) * pageBytes) / 1024 ** 2,
  };
}

/** Resident memory of one process in MB, or null when it is gone. */
export const residentOf = (pid: number): number | null => sample(pid)?.megabytes ?? null;

/** CPU time and resident memory of one process so far. @throws where it is gone */
export function usageOf(pid: number): { readonly cpuSeconds: number; readonly megabytes: number } {
  const found = sample(pid);
  if (found === null) throw new Error(`process ${String(pid)} is gone`);
  return found;
}

export interface Usage {
  /** Of every process seen, up to its last sample. */
  readonly cpuSeconds: number;
  /** The highest joint memory. */
  readonly peakMegabytes: number;
  /** The highest memory of a single worker process of Orbweaver; 0: there was none. */
  readonly workerMegabytes: number;
}

/** CPU seconds by stage (stages.ts), and by what the threads of the stage do, where these are told apart. */
export type Spent = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Meter {
  /** Sums so far. */
  read(): Usage;
  /** Of the last look at every process. */
  spent(): Spent;
  stop(): void;
}

/** One process or thread: where it belongs, and what it used. */
interface Account {
  readonly stage: string;
  readonly work: string;
  readonly cpuSeconds: number;
}

/** The threads of a process by their places below /proc; none for a process that is gone. */
function threadsOf(pid: number): string[] {
  const folder = `${String(pid)}/task`;
  try {
    return readdirSync(`/proc/${folder}`).map((thread) => `${folder}/${thread}`);
  } catch {
    return [];
  }
}

/**
 * Watches `root` and its descendants. A process stays watched when its parent ends; one that lives for less than the
 * interval may be missed.
 */
export function meter(root: number, intervalMs = 250): Meter {
  const watched = new Set([root]);
  const cpu = new Map<number, number>();
  /** By process, and by thread where these are told apart; of a thread that has ended, its last account. */
  const accounts = new Map<number | string, Account>();
  let [peakMegabytes, workerMegabytes] = [0, 0];
  const account = (pid: number, whole: Sample): void => {
    const stage = stageOf(pid);
    if (stage === null) return;
    if (stage.work === null) {
      accounts.set(pid, { stage: stage.name, work: '', cpuSeconds: whole.cpuSeconds });
      return;
    }
    workerMegabytes = Math.max(workerMegabytes, whole.megabytes);
    // What it used before it became the program that it is now, if anything, is its main thread's.
    accounts.delete(pid);
    for (const place of threadsOf(pid)) {
      const thread = sample(place);
      if (thread === null) continue;
      const work = stage.work(Number(place.slice(place.lastIndexOf('/') + 1)), thread.name);
      accounts.set(place, { stage: stage.name, work, cpuSeconds: thread.cpuSeconds });
    }
  };
  const look = (): void => {
    const samples = new Map<number, Sample>();
    for (const name of readdirSync('/proc')) {
      const one = /^\d+$/.test(name) ? sample(name) : null;
      if (one !== null) samples.set(Number(name), one);
    }
    for (let found = true; found;) {
      found = false;
      for (const [pid, { parent }] of samples) {
        if (!watched.has(pid) && watched.has(parent)) {
          watched.add(pid);
          found = true;
        }
      }
    }
    let megabytes = 0;
    for (const pid of watched) {
      const one = samples.get(pid);
      if (one === undefined) continue;
      cpu.set(pid, one.cpuSeconds);
      account(pid, one);
      megabytes += one.megabytes;
    }
    peakMegabytes = Math.max(peakMegabytes, megabytes);
  };
  look();
  const timer = setInterval(look, intervalMs);
  return {
    read: () => ({
      cpuSeconds: [...cpu.values()].reduce((sum, one) => sum + one, 0),
      ...{ peakMegabytes, workerMegabytes },
    }),
    spent: () => {
      const spent = new Map<string, Map<string, number>>();
      for (const { stage, work, cpuSeconds } of accounts.values()) {
        const works = spent.get(stage) ?? new Map<string, number>();
        spent.set(stage, works.set(work, (works.get(work) ?? 0) + cpuSeconds));
      }
      return spent;
    },
    stop: () => {
      look();
      clearInterval(timer);
    },
  };
}
