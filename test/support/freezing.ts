/** Processes that are stopped (SIGSTOP) at a chosen moment. */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { until } from './until.ts';

/** What a process that stops itself says just before. */
export const freezingLine = 'freezing';

/**
 * This process will stop itself at the moment its nth connection (from 1) to a port stands: before whoever opened it is
 * told, so between the decision to send and the sending.
 */
export function freezeAtConnection(port: number, nth: number): void {
  let left = nth;
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { readonly socket: Socket };
    // Of the socket's listeners the first: nobody else has it yet.
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
