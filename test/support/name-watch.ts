/**
 * Who looks names up: a listener where the resolver is said to be, for programs that are told of no other. On our loopback,
 * and in a network namespace of its own whose loopback is up.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freshAddress } from './loopback.ts';

export interface NameWatch {
  /** Before a command: in its namespace, with our resolver. */
  readonly command: readonly string[];
  /** Questions so far. */
  readonly heard: () => number;
  close(): Promise<void>;
}

/** Root may listen at port 53, and mount a file over /etc/resolv.conf for one program. */
export const mayWatchNames = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

const mounted = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
const listener = `
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', () => console.log('heard'));
socket.bind(53, '127.0.0.1', () => console.log('up'));`;

/** @param inside in a namespace of its own */
export async function watchNames(inside: boolean): Promise<NameWatch> {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-names-'));
  const file = path.join(folder, 'resolv.conf');
  const address = inside ? '127.0.0.1' : freshAddress();
  writeFileSync(file, `nameserver ${address}\noptions timeout:1 attempts:1\n`, { mode: 0o644 });
  const resolving = ['unshare', '--mount', 'sh', '-c', mounted, file];
  let heard = 0;
  if (inside) {
    const script = 'ip link set lo up && exec "$0" -e "$1"';
    const child = spawn('unshare', ['--net', 'sh', '-c', script, process.execPath, listener], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    await once(lines, 'line');
    lines.on('line', () => heard++);
    return {
      command: ['nsenter', '--target', String(child.pid), '--net', ...resolving],
      heard: () => heard,
      close: async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
        rmSync(folder, { recursive: true });
      },
    };
  }
  const socket = createSocket('udp4');
  socket.on('message', () => heard++);
  socket.bind(53, address);
  await once(socket, 'listening');
  return {
    command: resolving,
    heard: () => heard,
    close: async () => {
      socket.close();
      await once(socket, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}
