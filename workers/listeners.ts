/**
 * The ports on which processes of the embedded stack listen now. At every start Temporal takes some random ports for
 * its inner services and its metrics: no setting names them.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/**
 * Milliseconds for which ports are kept: within the first, the new ports of a restarted service become closed to crawls.
 * Services that have been up for `settledMs` open no further ones, and with thousands of sockets on the machine a look
 * takes 40 ms.
 */
const keptMs = 1_000;
const keptLongMs = 15_000;
const settledMs = 60_000;

/**
 * Empty if the data folder has no stack, as in containers, and on systems without /proc.
 * @param dataDir where the launcher notes the processes it runs (stack/folder.ts)
 */
export function stackListeners(dataDir: string): () => ReadonlySet<number> {
  let known: ReadonlySet<number> = new Set();
  let services = '';
  let [changedAt, lookedAt, readAt] = [-Infinity, -Infinity, -Infinity];
  return () => {
    const now = performance.now();
    if (now < lookedAt + keptMs) return known;
    lookedAt = now;
    const pids = processes(path.join(dataDir, 'run'));
    if (pids.join() !== services) changedAt = now;
    services = pids.join();
    if (now < changedAt + settledMs || now >= readAt + keptLongMs) {
      known = listeningPorts(new Set(pids.flatMap(socketsOf)));
      readAt = now;
    }
    return known;
  };
}

const processes = (run: string): string[] =>
  orNone(() => readdirSync(run))
    // Workers listen on ports that a setting names alone (services.ts), and may have thousands of sockets open.
    .filter((name) => name.endsWith('.pid') && !name.startsWith('worker'))
    .flatMap((name) => orNone(() => [readFileSync(path.join(run, name), 'utf8').trim()]));

/** Inodes of the sockets that a process has open. */
const socketsOf = (pid: string): string[] =>
  orNone(() => readdirSync(`/proc/${pid}/fd`))
    .flatMap((fd) => orNone(() => [readlinkSync(`/proc/${pid}/fd/${fd}`)]))
    .flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);

function listeningPorts(sockets: ReadonlySet<string>): Set<number> {
  const ports = new Set<number>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of orNone(() => readFileSync(`/proc/net/${table}`, 'utf8').split('\n'))) {
      // sl, local address, remote address, state (0A: listening), … the tenth is the inode.
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === '0A' && sockets.has(inode))
        ports.add(parseInt(local.slice(local.lastIndexOf(':') + 1), 16));
    }
  }
  return ports;
}

/** Null for a process that has ended or a file that is not there: such errors are expected. */
function orNone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}
