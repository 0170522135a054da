/** CPU time and memory of a process and all it started, read from /proc (Linux). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Sample {
  readonly parent: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

/** Fields of /proc/PID/stat (proc(5)), or null for a process that is gone. */
function sample(pid: number): Sample | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name, in parentheses, may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
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

export interface Meter {
  /** Sums so far: CPU seconds of every process seen (up to its last sample), highest joint memory in MB. */
  read(): { cpuSeconds: number; peakMegabytes: number };
  stop(): void;
}

/**
 * Watches `root` and its descendants. A process stays watched when its parent ends; one that lives for less than the
 * interval may be missed.
 */
export function meter(root: number, intervalMs = 250): Meter {
  const watched = new Set([root]);
  const cpu = new Map<number, number>();
  let peakMegabytes = 0;
  const look = (): void => {
    const samples = new Map<number, Sample>();
    for (const name of readdirSync('/proc')) {
      const one = /^\d+$/.test(name) ? sample(Number(name)) : null;
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
      megabytes += one.megabytes;
    }
    peakMegabytes = Math.max(peakMegabytes, megabytes);
  };
  look();
  const timer = setInterval(look, intervalMs);
  return {
    read: () => ({ cpuSeconds: [...cpu.values()].reduce((sum, one) => sum + one, 0), peakMegabytes }),
    stop: () => {
      look();
      clearInterval(timer);
    },
  };
}
