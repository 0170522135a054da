/**
 * Backups by the schedule. Each is made by the command, in a process of its own: it reads and packs all there is, which
 * would hold up the hosts that a worker visits, and a person who looks into a fault runs the very same.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { serviceEnvironment } from '../config/environment.ts';
import { entryScript } from '../config/package.ts';
import { done, type Job } from '../engine/jobs/job.ts';
import { endFrozenBackup, noteFailedTry, silentSeconds } from '../storage/backups/index.ts';
import type { Pool } from '../storage/postgres/index.ts';

/** Above that of all that visits hosts and reads pages (nice). */
const priority = 10;
/** Times that a backup is tried before the next one by the schedule. */
const tries = 3;
const patienceSeconds = 300;
/**
 * Milliseconds between two looks whether the command is frozen, which would never end; looks in a row that may find that it
 * has said nothing; seconds for which its session may.
 */
const usualWatch = { everyMs: 60_000, looks: silentSeconds / 60, silentSeconds };

/** Whether the embedded Postgres of this machine is what is backed up. */
export const hasDataFolder = ({ dataDir }: Pick<Config, 'dataDir'>): boolean =>
  existsSync(path.join(dataDir, 'postgres', 'PG_VERSION'));

/** @throws Error with what the command says, unless it has been tried often enough */
export const backupJobs = (config: Config, pool: Pool, watch = usualWatch): Job => ({
  work: async ({ signal, tries: tried }) => {
    await stackIsUp(config, signal);
    const beganAt = Date.now();
    const { code, out, words } = await backUp(config, pool, signal, watch);
    if (isMade(code, out)) return done(words, JSON.parse(out));
    // Postgres may be what is away: the failure of the command says more, and is what the desk shows.
    await noteFailedTry(pool, beganAt, words).catch(() => undefined);
    if (tried < tries || signal.aborted) throw new Error(`the backup failed: ${words}`);
    return done(`It failed ${String(tried)} times: ${words}`, { error: words });
  },
});

/**
 * The first backup is due while the other processes of the stack still start: until it says that it is up, the command would
 * find the data folder in use. One that never says so is the command's to tell of.
 */
export async function stackIsUp({ dataDir }: Pick<Config, 'dataDir'>, signal: AbortSignal): Promise<void> {
  const up = path.join(dataDir, 'run', 'stack.json');
  for (let looks = 0; looks < patienceSeconds && !existsSync(up); looks++)
    await delay(1_000, undefined, { signal });
}

/**
 * Also one with exit code 3, that lacks bodies or was not able to remove older ones: it is named, and another try would
 * change neither.
 */
export const isMade = (code: number | null, out: string): boolean =>
  code === 0 || (code === 3 && out.trim() !== '');

async function backUp(config: Config, pool: Pool, signal: AbortSignal, watch: typeof usualWatch) {
  // It finds the stack of the data folder by itself.
  const env = serviceEnvironment({ ...config, databaseUrl: null, temporalAddress: null, redisUrl: null });
  const args = [
    entryScript('cli/main'),
    'backup',
    '--keep',
    String(config.backupKeep),
    '--json',
    // By the pipe, which the kernel closes even after kill -9 of this process: one that went on would be in the way of
    // the next try.
    '--tethered',
  ];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  });
  const ended = new Promise<{ readonly code: number | null; readonly how: string }>((settle) => {
    child.once('close', (code, by) => {
      settle({ code, how: `the command ended with ${by ?? String(code)}` });
    });
    child.once('error', (error) => {
      settle({ code: null, how: error.message });
    });
  });
  child.stdin.on('error', () => undefined);
  if (child.pid !== undefined) setPriority(child.pid, priority);
  const isSilent = countSilence(child.stderr, watch.looks);
  const looking = setInterval(() => {
    // Before it has a session, behind it, or with it.
    if (isSilent()) child.kill('SIGKILL');
    endFrozenBackup(pool, watch.silentSeconds).then(
      (frozen) => frozen.length > 0 && child.kill('SIGKILL'),
      // Postgres is away: the command tells of it.
      () => undefined,
    );
  }, watch.everyMs);
  const [out, said, { code, how }] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  clearInterval(looking);
  return { code, out, words: said.trim().split('\n').at(-1) || how };
}

/**
 * Answers, look by look, whether nothing was heard for so many looks. By no clock: this process may have been frozen itself,
 * and what was said meanwhile waits to be heard.
 */
export function countSilence(said: Readable, most: number): () => boolean {
  let silent = 0;
  said.on('data', () => (silent = 0));
  return () => ++silent > most;
}
