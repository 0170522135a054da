/** A Redis of a test's own, on loopback: flushed, filled up, frozen, killed, and started again with an old dump. */
import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { reservePort } from '../../stack/ports.ts';
import { endProcess, gone, signalProcess, type ProcessId } from '../../stack/processes.ts';
import { hasRedis } from '../../stack/redis.ts';
import { spawnTethered } from '../../stack/tether.ts';
import { programEnvironment } from '../../config/environment.ts';
import { stopped } from './freezing.ts';
import { until } from './until.ts';

export { hasRedis };

export interface RedisServer {
  readonly url: string;
  /** The test's own connection. It knows nothing of what the workers do with theirs. */
  readonly ask: Redis;
  /** Writes what Redis has to a dump that `restart` takes. */
  save(): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
  /** kill -9. */
  kill(): Promise<void>;
  /** Kills it if it runs. @param dump with what was saved last, otherwise empty */
  restart(dump: 'empty' | 'saved'): Promise<void>;
  close(): Promise<void>;
}

/** The server ends with this process, however this process ends. */
export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-redis-'));
  const reserved = await reservePort({ what: 'Redis', fixed: null, usual: null });
  const url = `redis://127.0.0.1:${String(reserved.port)}`;
  const [current, saved] = [path.join(folder, 'dump.rdb'), path.join(folder, 'saved.rdb')];
  let id: ProcessId | null = null;
  const ask = new Redis(url, { lazyConnect: true, retryStrategy: () => 50 });
  ask.on('error', () => undefined);

  const start = async (): Promise<void> => {
    const output = openSync(path.join(folder, 'output.log'), 'a');
    const tethered = await spawnTethered({
      command: 'redis-server',
      args: ['--bind', '127.0.0.1', '--port', String(reserved.port), '--dir', folder, '--save', ''],
      env: programEnvironment(),
      cwd: folder,
      stopSignal: 'SIGTERM',
      orphanGraceSeconds: 1,
      output,
    });
    closeSync(output);
    id = tethered.id;
    await until('Redis answers', async () => (await ask.ping().catch(() => '')) === 'PONG');
  };
  const kill = async (): Promise<void> => {
    if (id === null) return;
    signalProcess(id, 'SIGKILL');
    await gone(id, 10_000);
    id = null;
  };

  await start();
  return {
    url,
    ask,
    save: async () => {
      await ask.save();
      copyFileSync(current, saved);
    },
    freeze: async () => {
      if (id === null) throw new Error('Redis does not run');
      signalProcess(id, 'SIGSTOP');
      await stopped(id.pid);
    },
    thaw: () => {
      if (id !== null) signalProcess(id, 'SIGCONT');
    },
    kill,
    restart: async (dump) => {
      await kill();
      if (dump === 'empty') rmSync(current, { force: true });
      else copyFileSync(saved, current);
      await start();
    },
    close: async () => {
      ask.disconnect();
      if (id !== null) {
        signalProcess(id, 'SIGCONT');
        await endProcess(id, 'SIGTERM', 5_000);
      }
      reserved.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
