/** Processes that are stopped (SIGSTOP) at a chosen moment. */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { until } from './until.ts';

/** The line that a process writes just before it stops itself. */
export const freezingLine = 'freezing';

/**
 * This process will stop itself as soon as its nth connection (from 1) to a port is open. The code that opened the
 * connection has not heard of that yet, so the process stops between the decision to send and the sending.
 */
export function freezeAtConnection(port: number, nth: number): void {
  let left = nth;
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { readonly socket: Socket };
    // The first of the socket's listeners: no other code has the socket yet.
    socket.once('connect', () => {
      if (socket.remotePort !== port || --left !== 0) return;
      writeSync(1, `${freezingLine}\n`);
      process.kill(process.pid, 'SIGSTOP');
    });
  });
}

/** Resolves once SIGSTOP has taken effect, a moment after it was sent (proc_pid_stat(5): state T). */
export const stopped = (pid = 0): Promise<void> =>
  until(`process ${String(pid)} is stopped`, () =>
    /.*\) T/s.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8')),
  );
