/**
 * Connections by way of an egress proxy: HTTP CONNECT (RFC 9110 §9.3.6), or SOCKS5 (RFC 1928) with a name and a password
 * where it wants them (RFC 1929).
 *
 * The proxy is asked for an address that was resolved here and that the address guard has permitted, never for a name: so
 * a name cannot mean one thing to the guard and another to the proxy. What the proxy then does with the address, and from
 * where it asks, nobody here can see.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ProxyDown } from '../contracts/fetching.ts';
import { codeOf, NetFault } from './net-fault.ts';
import type { ResolvedAddress } from './resolver.ts';

export interface ProxyTarget extends ResolvedAddress {
  readonly port: number;
  /** host:port, for messages. */
  readonly where: string;
}

/** Most bytes of the head by which a proxy answers CONNECT. */
const longestHead = 16_384;

export const proxyPort = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'socks5:' ? 1080 : 80) : Number(port);

/** How people read of it: without its name and password. */
export const proxyName = ({ protocol, host }: URL): string => `${protocol}//${host}`;

/** Milliseconds after which a proxy that has not taken a connection counts as down. */
const probeMs = 5_000;

/** That of a worker. `reach` resolves when it takes a connection; its other faults show at requests alone. */
export const egressProxy = (url: string): { readonly url: string; readonly reach: () => Promise<void> } => ({
  url,
  reach: async () => {
    const proxy = new URL(url);
    const socket = connect(proxyPort(proxy), proxy.hostname.replace(/^\[(.*)\]$/, '$1'));
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(probeMs) });
    } finally {
      socket.destroy();
    }
  },
});

/**
 * Has the proxy connect the socket, which leads to it, with the target. From then on the socket is that connection.
 * @throws ProxyDown if the proxy refuses or breaks off @throws NetFault if it says that the target cannot be reached
 */
export async function tunnelTo(socket: Socket, proxy: URL, target: ProxyTarget): Promise<void> {
  await (proxy.protocol === 'socks5:' ? bySocks : byConnect)(socket, proxy, target);
  socket.removeAllListeners('readable');
}

const credentialsOf = ({ username, password }: URL): readonly [user: string, password: string] | null =>
  username === '' ? null : [decodeURIComponent(username), decodeURIComponent(password)];

async function byConnect(socket: Socket, proxy: URL, target: ProxyTarget): Promise<void> {
  const { address, family, port } = target;
  const authority = `${family === 6 ? `[${address}]` : address}:${String(port)}`;
  const credentials = credentialsOf(proxy);
  const authorization =
    credentials === null
      ? ''
      : `Proxy-Authorization: Basic ${Buffer.from(credentials.join(':')).toString('base64')}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    // Byte by byte: what follows the head belongs to the tunnel.
    head += (await take(socket, proxy, 1)).toString('latin1');
    if (head.length > longestHead) throw new ProxyDown(proxyName(proxy), 'sent too long a head');
  }
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
  if (status >= 200 && status < 300) return;
  if (status === 502 || status === 503 || status === 504)
    throw unreached(proxy, target, `answered ${String(status)}`);
  if (Number.isNaN(status)) throw new ProxyDown(proxyName(proxy), 'does not speak HTTP');
  const ofTarget = status === 407 ? null : 'connect-refused';
  throw new ProxyDown(proxyName(proxy), `answered ${String(status)}`, ofTarget);
}

/** RFC 1928 §6: what the target, or the way to it, is to blame for. */
const unreachedReplies: Readonly<Record<number, string>> = {
  3: 'the network cannot be reached',
  4: 'the host cannot be reached',
  5: 'the connection was refused',
  6: 'its time was over',
};

async function bySocks(socket: Socket, proxy: URL, target: ProxyTarget): Promise<void> {
  const credentials = credentialsOf(proxy);
  const down = (why: string): ProxyDown => new ProxyDown(proxyName(proxy), why);
  socket.write(Buffer.from(credentials === null ? [5, 1, 0] : [5, 2, 0, 2]));
  const [version, method] = await take(socket, proxy, 2);
  if (version !== 5) throw down('does not speak SOCKS5');
  if (method === 2 && credentials !== null) {
    const [user, password] = credentials.map((text) => Buffer.from(text).subarray(0, 255));
    socket.write(
      Buffer.concat([
        Buffer.from([1, user?.length ?? 0]),
        user ?? Buffer.of(),
        Buffer.from([password?.length ?? 0]),
        password ?? Buffer.of(),
      ]),
    );
    const [, status] = await take(socket, proxy, 2);
    if (status !== 0) throw down('refused the name and the password');
  } else if (method !== 0) throw down('takes no way to log in that it was offered');
  const { address, family, port } = target;
  const bytes = ipaddr.parse(address).toByteArray();
  socket.write(Buffer.from([5, 1, 0, family === 6 ? 4 : 1, ...bytes, port >> 8, port & 255]));
  const [, reply = 1, , kind] = await take(socket, proxy, 4);
  const length = kind === 4 ? 16 : kind === 3 ? (await take(socket, proxy, 1)).readUInt8() : 4;
  await take(socket, proxy, length + 2);
  const why = unreachedReplies[reply];
  if (why !== undefined) throw unreached(proxy, target, why);
  if (reply !== 0)
    throw new ProxyDown(proxyName(proxy), `refused the connection (${String(reply)})`, 'connect-refused');
}

const unreached = (proxy: URL, { where }: ProxyTarget, why: string): NetFault =>
  new NetFault('connect-refused', `${where} cannot be reached by ${proxyName(proxy)}: ${why}.`);

/** The next so many bytes. @throws ProxyDown if they do not come */
async function take(socket: Socket, proxy: URL, length: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(length) as Buffer | null;
    if (bytes?.length === length) return bytes;
    if (bytes !== null || socket.readableEnded || socket.destroyed)
      throw new ProxyDown(proxyName(proxy), 'closed the connection', 'connect-refused');
    const over = new AbortController();
    try {
      const { signal } = over;
      await Promise.race(['readable', 'end', 'close'].map((event) => once(socket, event, { signal })));
    } catch (error) {
      throw new ProxyDown(proxyName(proxy), `broke the connection off (${codeOf(error)})`, 'connect-refused');
    } finally {
      over.abort();
    }
  }
}
