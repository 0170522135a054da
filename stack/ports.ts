/**
 * Loopback ports for the embedded services. A lock file reserves a port for as long as the stack runs: a service takes
 * its port only after seconds, so two stacks that start together would otherwise both find it free.
 */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StackError } from './errors.ts';
import { takeLock } from './lock.ts';
import type { Lock } from './lock.ts';

export interface PortRequest {
  /** What the port is for, in the error message: "the API". */
  readonly what: string;
  /** Set by the user: no other port will do. Null: any port. */
  readonly fixed: { readonly port: number; readonly setting: string } | null;
  /** Tried first; null: a random port at once. */
  readonly usual: number | null;
  readonly host?: string;
}

export interface ReservedPort extends Lock {
  readonly port: number;
}

/**
 * Below the range from which systems give ports to outgoing connections (Linux: 32768): a crawler has many such
 * connections, and one could take a service's port just when the service is restarted.
 */
const range = { low: 20_000, high: 32_000 };
const tries = 200;

const reservations = (): string => {
  const folder = path.join(tmpdir(), `orbweaver-ports-${String(process.getuid?.() ?? 0)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

const canListen = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });

const reserve = async (port: number, host: string): Promise<ReservedPort | null> => {
  const taken = takeLock(path.join(reservations(), String(port)));
  if (!('lock' in taken)) return null;
  if (await canListen(port, host)) return { port, release: taken.lock.release };
  taken.lock.release();
  return null;
};

const randomPort = (): number => range.low + Math.floor(Math.random() * (range.high - range.low));

/**
 * Finds and reserves a port.
 * @throws StackError if the fixed port is taken
 */
export const reservePort = async (request: PortRequest): Promise<ReservedPort> => {
  const { fixed, usual, what, host = '127.0.0.1' } = request;
  if (fixed !== null) {
    const reserved = await reserve(fixed.port, host);
    if (reserved !== null) return reserved;
    throw new StackError(
      `Port ${String(fixed.port)} for ${what} is in use: free that port, set ${fixed.setting} to another port, or leave ${fixed.setting} unset.`,
    );
  }
  const candidates = [...(usual === null ? [] : [usual]), ...Array.from({ length: tries }, randomPort)];
  for (const port of candidates) {
    const reserved = await reserve(port, host);
    if (reserved !== null) return reserved;
  }
  throw new StackError(`No free port was found for ${what}.`);
};
