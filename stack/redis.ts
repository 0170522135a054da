/** The embedded Redis: only a cache, so nothing is written to disk and the least used keys go first. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { programEnvironment } from '../config/environment.ts';
import type { DataFolder } from './folder.ts';
import type { Part } from './supervisor.ts';

/** Whether there is a `redis-server` on PATH. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** Resolves when the server answers PING. */
const ping = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 2000 });
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      socket.destroy();
      if (answer.toString('latin1').startsWith('+PONG')) resolve();
      else reject(new Error('Redis is not ready'));
    });
    socket.once('timeout', () => socket.destroy(new Error('Redis does not answer')));
    socket.once('error', reject);
    socket.once('close', () => {
      reject(new Error('Redis closed the connection'));
    });
  });

export const redisPart = (folder: DataFolder, port: number): Part => {
  const data = path.join(folder.root, 'redis');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const options = {
    bind: '127.0.0.1',
    port: String(port),
    dir: data,
    save: '',
    appendonly: 'no',
    maxmemory: '256mb',
    'maxmemory-policy': 'allkeys-lru',
    loglevel: 'warning',
  };
  return {
    name: 'redis',
    command: 'redis-server',
    args: Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    env: programEnvironment(),
    cwd: data,
    stopSignal: 'SIGTERM',
    stopGraceMs: 5000,
    orphanGraceSeconds: 3,
    check: () => ping(port),
  };
};
