/**
 * Another place on the network: a namespace of Linux, from which one line leads to us and nowhere else. How long that line is
 * is told by the proxies at its end (tcp-proxy.ts), since not every kernel can delay packets by itself.
 */
import { spawnSync } from 'node:child_process';

export interface FarPlace {
  /** Ours, as it is reached from there. */
  readonly address: string;
  /** Before a command that is to run there. */
  readonly command: readonly string[];
  close(): void;
}

/** Within it are all addresses of such lines. */
export const farNet = '10.213.0.0/16';

const ip = (...args: readonly string[]): boolean => spawnSync('ip', args, { stdio: 'ignore' }).status === 0;

/** Null where this process may not make one. */
export function openFarPlace(): FarPlace | null {
  const id = String(process.pid);
  const [name, near, far] = [`orbweaver-${id}`, `ow${id}n`, `ow${id}f`];
  const [net, first] = [(process.pid >> 6) & 255, (process.pid & 63) * 4];
  const at = (nth: number): string => `10.213.${String(net)}.${String(first + nth)}`;
  if (!ip('netns', 'add', name)) return null;
  const isMade =
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name) &&
    ip('addr', 'add', `${at(1)}/30`, 'dev', near) &&
    ip('link', 'set', near, 'up') &&
    ip('-n', name, 'addr', 'add', `${at(2)}/30`, 'dev', far) &&
    ip('-n', name, 'link', 'set', far, 'up') &&
    ip('-n', name, 'link', 'set', 'lo', 'up');
  // The line goes with the namespace, unless it was not made that far.
  const close = (): void => {
    ip('link', 'del', near);
    ip('netns', 'del', name);
  };
  if (isMade) return { address: at(1), command: ['ip', 'netns', 'exec', name], close };
  close();
  return null;
}
