/** Real worker processes on a test's own world, to be drained, killed and frozen. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { loadConfig } from '../../config/config.ts';
import { given } from './given.ts';
import type { World } from './world.ts';

/** What a worker has to know of a world. */
type WorkerWorld = Omit<World, 'close'>;

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** What it logged, one object a line. */
  readonly log: readonly string[];
  /** SIGTERM, and its exit code. */
  drain(): Promise<number | null>;
  /** kill -9. */
  kill(): Promise<void>;
}

export interface WorkerSettings {
  readonly roles?: string;
  readonly sliceSeconds?: number;
  /** Hosts worked at the same time at most. */
  readonly activeHosts?: number;
  readonly leaseSeconds?: number;
  readonly requestTimeoutSeconds?: number;
  readonly maxBodyBytes?: number;
  /** From the parking of a host to its first probe. */
  readonly probeSeconds?: number;
  /** Resolvers, as ORBWEAVER_DNS has them. */
  readonly dns?: string;
  /** Further settings, by their names in the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What its own command is preceded by. */
  readonly command?: readonly string[];
  readonly blobDir: string;
}

export const makeBlobDir = (): string => mkdtempSync(join(tmpdir(), 'orbweaver-blobs-'));

const workerScript = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));

/** Resolves once the worker polls its task queues, or has logged something else that is waited for. */
export async function startWorker(
  world: WorkerWorld,
  settings: WorkerSettings,
  isReady = (line: string): boolean => line.includes('"msg":"ready"'),
): Promise<WorkerProcess> {
  const { cacheDir } = loadConfig();
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ORBWEAVER_DATABASE_URL: world.databaseUrl,
    ORBWEAVER_TEMPORAL_ADDRESS: world.temporalAddress,
    ORBWEAVER_TEMPORAL_NAMESPACE: world.namespace,
    ORBWEAVER_BLOBS: settings.blobDir,
    ORBWEAVER_EXPORTS: join(settings.blobDir, 'exports'),
    ORBWEAVER_CACHE: cacheDir,
    ORBWEAVER_ALLOW_PRIVATE: '127.0.0.0/8',
    ORBWEAVER_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  };
  if (world.redisUrl !== null) env['ORBWEAVER_REDIS_URL'] = world.redisUrl;
  if (settings.roles !== undefined) env['ORBWEAVER_ROLES'] = settings.roles;
  if (settings.sliceSeconds !== undefined) env['ORBWEAVER_SLICE_SECONDS'] = String(settings.sliceSeconds);
  if (settings.activeHosts !== undefined) env['ORBWEAVER_ACTIVE_HOSTS'] = String(settings.activeHosts);
  if (settings.leaseSeconds !== undefined) env['ORBWEAVER_LEASE_SECONDS'] = String(settings.leaseSeconds);
  if (settings.requestTimeoutSeconds !== undefined) {
    env['ORBWEAVER_REQUEST_TIMEOUT_SECONDS'] = String(settings.requestTimeoutSeconds);
  }
  if (settings.maxBodyBytes !== undefined) env['ORBWEAVER_MAX_BODY_BYTES'] = String(settings.maxBodyBytes);
  if (settings.probeSeconds !== undefined) env['ORBWEAVER_PROBE_SECONDS'] = String(settings.probeSeconds);
  if (settings.dns !== undefined) env['ORBWEAVER_DNS'] = settings.dns;
  Object.assign(env, settings.environment);
  const [program, ...args] = [...(settings.command ?? []), process.execPath, workerScript];
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  const leaks: string[] = [];
  const hasSecret = secretsOf(env);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        log.push(line);
        if (hasSecret(line)) leaks.push(line);
        if (isReady(line)) resolve();
      });
    }
  });
  const early = exited.then((code) => {
    throw new Error(`the worker ended with ${String(code)}:\n${log.slice(-20).join('\n')}`);
  });
  await Promise.race([ready, early]);
  early.catch(() => undefined);
  return {
    child,
    log,
    drain: async () => {
      child.kill('SIGTERM');
      const code = await exited;
      expect(leaks, 'lines with a secret').toEqual([]);
      return code;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
      expect(leaks, 'lines with a secret').toEqual([]);
    },
  };
}

/** Secrets that every worker of the tests is given, and the form of API keys: none may be in a log. */
function secretsOf(env: NodeJS.ProcessEnv): (line: string) => boolean {
  const urls = [env['ORBWEAVER_DATABASE_URL'], env['ORBWEAVER_PROXY'], env['ORBWEAVER_OPENSEARCH_URL']];
  const passwords = urls.map((url) => (url === undefined ? '' : new URL(url).password));
  const secrets = [...passwords, env['ORBWEAVER_SECRET_KEY'] ?? ''].filter((secret) => secret.length > 5);
  return (line) => /owk_[\w-]{32}/.test(line) || secrets.some((secret) => line.includes(secret));
}

/** A worker for the tests of a file, which leaves in order after them. */
export const withWorker = (world: WorkerWorld, settings: WorkerSettings): WorkerProcess =>
  given(
    () => startWorker(world, settings),
    async (worker) => {
      expect(await worker.drain()).toBe(0);
    },
  );
