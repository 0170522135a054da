/** The synthetic web in a process of its own, so that it shares no event loop with what is tested or measured. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { clockStart } from './clock.ts';
import { parseLog, type RequestRecord } from './log.ts';
import { defaultWebOptions, type WebOptions } from './options.ts';
import { planWeb, type Plan } from './plan.ts';
import type { ListenOptions } from './server.ts';

export interface SpawnedWeb {
  readonly plan: Plan;
  readonly origins: readonly string[];
  readonly seeds: readonly string[];
  readonly pid: number;
  /** The present on the clock of the log, in milliseconds. */
  readonly now: () => number;
  /** Every request since the start. */
  log(): Promise<RequestRecord[]>;
  /** Requests since the start, without the cost of sending the log. */
  count(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * @param options without the gate of a web in this process, which no other process can wait for
 * @param logFile Also written there as JSON lines, at most 100 ms late, and kept when the process is killed.
 */
export async function spawnWeb(
  options: Partial<Omit<WebOptions & ListenOptions, 'held'>> = {},
  logFile?: string,
): Promise<SpawnedWeb> {
  const args = [fileURLToPath(new URL('./main.ts', import.meta.url)), '--attached'];
  for (const [name, value] of Object.entries(options)) {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === null || value === false) continue;
    if (value === true) args.push(flag);
    else args.push(flag, String(value));
  }
  if (logFile !== undefined) args.push('--log', logFile);
  // Standard input stays open for as long as this process lives: the web ends with it, kill -9 included.
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [first] = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    once(child, 'exit').then(() => {
      throw new Error('the synthetic web ended before it was up');
    }),
  ]);
  const { origins, control, clock } = JSON.parse(first) as {
    origins: string[];
    control: string;
    clock: number;
  };
  const ahead = clockStart() - clock;
  const ask = async (path: string): Promise<string> => (await fetch(control + path)).text();
  return {
    plan: planWeb({ ...defaultWebOptions, ...options }, origins),
    origins,
    seeds: origins.map((origin) => `${origin}/`),
    pid: child.pid ?? 0,
    now: () => performance.now() + ahead,
    log: async () => parseLog(await ask('/__log')),
    count: async () => Number(await ask('/__count')),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}
