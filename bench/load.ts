/** Requests as fast as they are answered, over connections that stay open. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { Pool } from 'undici';
import { usageOf } from './meter.ts';

export interface Target {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the process that answers. */
  readonly pid: number;
}

export interface Load {
  readonly perSecond: number;
  /** Requests for each second of processor time of the process that answers: what one core would do. */
  readonly perCoreSecond: number;
}

/** @throws where an answer is not 200 */
export async function load(
  { url, path, headers, pid }: Target,
  connections: number,
  seconds: number,
): Promise<Load> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  let answered = 0;
  const ends = performance.now() + seconds * 1_000;
  const lane = async (): Promise<void> => {
    while (performance.now() < ends) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${path} answered ${String(statusCode)}`);
      answered++;
    }
  };
  const before = usageOf(pid).cpuSeconds;
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, lane));
  const took = (performance.now() - start) / 1_000;
  const cpu = usageOf(pid).cpuSeconds - before;
  await pool.close();
  return { perSecond: answered / took, perCoreSecond: answered / cpu };
}

/** Starts the yardstick over a file (bare-server.ts). */
export async function startBare(
  file: string,
): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url, process: child };
}
