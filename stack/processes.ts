/**
 * Processes named so that a recycled pid is never mistaken for the process that was meant: a pid counts only together
 * with the moment at which its process began.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './errors.ts';

export interface ProcessId {
  readonly pid: number;
  /**
   * Opaque; equal for two looks at one process, different for two processes that had the same pid one after the other.
   */
  readonly began: string;
}

/** The start time is counted in ticks since boot, so the id of the boot belongs to it. */
const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

const beganOnLinux = (pid: number): string | null => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  } catch {
    return null;
  }
  // proc(5): the name in field 2 may hold blanks and brackets, so fields are counted from its last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  return state === 'Z' || state === 'X' || started === undefined ? null : `${bootId()}:${started}`;
};

const beganElsewhere = (pid: number): string | null => {
  const { stdout, status } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  const line = status === 0 ? stdout.trim() : '';
  return line === '' || line.startsWith('Z') ? null : line.slice(line.indexOf(' ')).trim();
};

/** The process that has this pid now, or null. A zombie counts as gone: it does nothing any more. */
export const identify = (pid: number): ProcessId | null => {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganElsewhere(pid);
  return began === null ? null : { pid, began };
};

/** This process. */
export const ownId = (): ProcessId => identify(process.pid) ?? { pid: process.pid, began: 'unknown' };

export const lives = (id: ProcessId): boolean => identify(id.pid)?.began === id.began;

/** One line, for pid and lock files. */
export const formatId = (id: ProcessId): string => `${String(id.pid)} ${id.began}\n`;

/** Reads the text of `formatId`; null if a file is torn or not ours. */
export const parseId = (text: string): ProcessId | null => {
  const match = /^(\d+) (\S.*)\n$/.exec(text);
  return match?.[1] !== undefined && match[2] !== undefined
    ? { pid: Number(match[1]), began: match[2] }
    : null;
};

/** Sends a signal to exactly this process; false when it is gone. */
export const signalProcess = (id: ProcessId, signal: NodeJS.Signals): boolean => {
  if (!lives(id)) return false;
  try {
    process.kill(id.pid, signal);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
};

/** Waits until the process is gone; false when it still lives after `ms`. */
export const gone = async (id: ProcessId, ms: number): Promise<boolean> => {
  const deadline = performance.now() + ms;
  while (lives(id)) {
    if (performance.now() >= deadline) return false;
    await delay(25);
  }
  return true;
};

/** Asks a process to end, and kills it after `graceMs`. */
export const endProcess = async (id: ProcessId, signal: NodeJS.Signals, graceMs: number): Promise<void> => {
  if (!signalProcess(id, signal) || (await gone(id, graceMs))) return;
  signalProcess(id, 'SIGKILL');
  await gone(id, 5000);
};
