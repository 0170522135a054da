/**
 * Opens connections for undici, to permitted addresses only.
 *
 * The connector resolves a name once, and the socket dials those answers that are permitted: the resolver is not asked
 * again, so a name that changes its answer between check and use gains nothing. Literal addresses never reach a
 * resolver and are checked directly. The address to which the socket is connected is checked once more, before a byte
 * of TLS or HTTP is sent. No connection goes to a place where the stack itself listens, whatever is allowed
 * (own-services.ts).
 */
import { once } from 'node:events';
import { isIP, connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { ProxyDown } from '../contracts/fetching.ts';
import { addressRefusal, parseCidrs, type CidrBlock } from './address-guard.ts';
import { repairAnswers } from './answer-repair.ts';
import { proxyName, proxyPort, tunnelTo } from './egress-proxy.ts';
import { codeOf, connectFault, NetFault } from './net-fault.ts';
import type { IsOurs, OwnServices } from './own-services.ts';
import { notFoundCodes, type ResolvedAddress, type Resolver } from './resolver.ts';

export interface ConnectorOptions {
  readonly allowed: readonly CidrBlock[];
  /** Absent: there are none. */
  readonly own?: OwnServices;
  readonly resolver: Resolver;
  /** Milliseconds to resolve, connect and shake hands. */
  readonly connectTimeoutMs: number;
  /** PEM certificates trusted instead of the bundled authorities. */
  readonly ca?: string;
  /** The egress proxy by which all connections go; absent: they go directly. */
  readonly proxy?: URL;
  /** Offer HTTP/2 to servers. */
  readonly http2: boolean;
  /** Longest head of an answer. */
  readonly maxHeaderBytes: number;
}

/**
 * The phases are resolve → connect → tls (https only) → open. The connector forgets a connection when the attempt fails
 * or the socket closes.
 */
export interface Connection {
  phase: 'resolve' | 'connect' | 'tls' | 'open';
  /** Set from the socket once it is connected. */
  remoteAddress: string | null;
  /** Requests that the connection has carried. Whoever sends a request counts it. */
  requests: number;
  /** An answer broke the rules of HTTP and was mended (answer-repair.ts): no further request may follow it. */
  mended: boolean;
}

interface LedConnection extends Connection {
  /** The answer of the resolver, narrowed to the address to which the connection leads; null: not known yet. */
  led: Permitted | null;
}

export interface Connector {
  /** For `new Client(origin, { connect })`. */
  readonly connect: buildConnector.connector;
  /**
   * The newest connection to an origin ("https://example.com", default ports left out) that is open or being opened.
   */
  connectionOf(origin: string): Connection | undefined;
  /**
   * The address of the open connection to an origin, else the one that the next connection will most likely lead to.
   * That connection goes by the same answer of the resolver, if it is made soon. Null: not known.
   */
  addressOf(origin: string, hostname: string, port: number): Promise<string | null>;
  /** The next connection to the origin leads where its newest one does: a request is about to be made again for that. */
  stayThere(origin: string): void;
  /** Makes the next connections to the origin offer HTTP/1.1 only. */
  avoidHttp2(origin: string): void;
}

/**
 * Milliseconds that an address is tried before the next one is tried too; the last address has the time that is left.
 */
const attemptTimeoutMs = 500;
/** Milliseconds for all that a proxy has to do: nobody waits so long for a host. */
const proxyMs = 6_000;
const maxTlsSessions = 1_000;
/** Milliseconds for which a look-up ahead of a connection is waited for. */
const aheadMs = 2_000;
/** Milliseconds for which it counts for this connection: a request may wait that long for a permit of its address. */
const aheadCountsMs = 60_000;
const maxAhead = 10_000;
/** Origins that are remembered as wanting HTTP/1.1, at most. */
const maxHttp1Only = 10_000;

export function createConnector(options: ConnectorOptions): Connector {
  const connections = new Map<string, LedConnection>();
  const tlsSessions = new LRUCache<string, Buffer>({ max: maxTlsSessions });
  const http1Only = new LRUCache<string, true>({ max: maxHttp1Only });
  /** Look-ups whose answers the next connections go by. */
  const ahead = new LRUCache<string, Promise<Permitted>>({ max: maxAhead, ttl: aheadCountsMs });
  /** Where the last connections to names with several addresses led. */
  const ledTo = new LRUCache<string, string>({ max: maxAhead });

  async function addressOf(origin: string, hostname: string, port: number): Promise<string | null> {
    const open = connections.get(origin);
    if (open?.phase === 'open') return open.remoteAddress;
    if (isIP(hostname) !== 0) return hostname;
    const found =
      ahead.get(origin) ?? permittedAddresses(hostname, port, `${hostname}:${String(port)}`, options);
    ahead.set(origin, found);
    // If the name cannot be resolved, the connection fails by the same look-up, and says why.
    const known = await Promise.race([found.catch(() => null), sleep(aheadMs, null, { ref: false })]);
    if (known === null) return null;
    // A name may give its addresses in another order each time, and one that is dead may be the first.
    const last = known.addresses.find(({ address }) => address === ledTo.get(origin));
    if (last === undefined) return known.addresses[0]?.address ?? null;
    const others = known.addresses.filter((each) => each !== last);
    ahead.set(origin, Promise.resolve({ ...known, addresses: [last, ...others] }));
    return last.address;
  }

  function connect(target: buildConnector.Options, callback: buildConnector.Callback): void {
    const secure = target.protocol === 'https:';
    const authority = target.host ?? target.hostname;
    const origin = `${target.protocol}//${authority}`;
    const port = target.port === '' ? (secure ? 443 : 80) : Number(target.port);
    const where = target.port === '' ? `${authority}:${String(port)}` : authority;
    const connection: LedConnection = {
      phase: 'resolve',
      remoteAddress: null,
      requests: 0,
      mended: false,
      led: null,
    };
    connections.set(origin, connection);
    const forget = (): void => {
      if (connections.get(origin) === connection) connections.delete(origin);
    };

    let socket: Socket | undefined;
    let settled = false;
    const fail = (error: Error): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      forget();
      socket?.destroy();
      callback(error, null);
    };
    const { proxy } = options;
    const limitMs =
      proxy === undefined ? options.connectTimeoutMs : Math.min(proxyMs, options.connectTimeoutMs);
    const timer = setTimeout(() => {
      if (proxy !== undefined && connection.phase === 'connect')
        fail(
          new ProxyDown(
            proxyName(proxy),
            `did not connect ${where} within ${String(limitMs)} ms`,
            'connect-timeout',
          ),
        );
      else fail(lateFault(connection.phase, where, limitMs));
    }, limitMs);

    const open = (dialled: Socket): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      connection.phase = 'open';
      if (!speaksHttp2(dialled))
        repairAnswers(dialled, options.maxHeaderBytes, () => {
          connection.mended = true;
        });
      callback(null, dialled);
    };

    /** The socket becomes the connection. */
    const take = (dialled: Socket): void => {
      socket = dialled;
      dialled.setNoDelay(true);
      // This listener stays for the life of the socket. After the hand-over, errors belong to undici, which listens
      // too.
      dialled.on('error', (error) => {
        fail(connectFault(error, where, connection.phase === 'tls' ? 'tls' : 'connect'));
      });
      dialled.once('close', () => {
        forget();
        fail(new NetFault(secure ? 'tls' : 'reset', `${where} closed the connection at once.`));
      });
      if (secure)
        dialled.once('secureConnect', () => {
          open(dialled);
        });
    };

    const leadsTo = (remote: string, { addresses, refusalOf }: Permitted): void => {
      connection.remoteAddress = remote;
      connection.led = { addresses: addresses.filter(({ address }) => address === remote), refusalOf };
      if (secure) connection.phase = 'tls';
    };

    const dial = (permitted: Permitted): void => {
      if (settled) return;
      connection.phase = 'connect';
      if (proxy !== undefined) {
        viaProxy(proxy, permitted).catch(fail);
        return;
      }
      const { addresses, refusalOf } = permitted;
      const tcp = tcpOptions(target.hostname, port, addresses);
      const dialled = secure ? openTls(target.hostname, origin, tcp) : connectTcp(tcp);
      take(dialled);
      dialled.once('connect', () => {
        const remote = dialled.remoteAddress ?? '';
        const refusal = refusalOf(remote);
        if (refusal !== null) {
          fail(refused(where, `connected to ${remote}, ${refusal}`));
          return;
        }
        leadsTo(remote, permitted);
        if (addresses.length > 1) ledTo.set(origin, remote);
        if (!secure) open(dialled);
      });
    };

    /** Most proxies reach addresses of IPv4, and not all of them others. */
    const viaProxy = async (by: URL, permitted: Permitted): Promise<void> => {
      const [chosen] = permitted.addresses.toSorted((one, other) => one.family - other.family);
      if (chosen === undefined) throw new NetFault('dns-not-found', `${where} has no address.`);
      const way = await dialProxy(by, options, (begun) => (socket = begun));
      await tunnelTo(way, by, { ...chosen, port, where });
      if (settled) return;
      leadsTo(chosen.address, permitted);
      const dialled = secure ? openTls(target.hostname, origin, { socket: way }) : way;
      take(dialled);
      if (!secure) open(dialled);
    };

    const lookedUp = ahead.get(origin);
    ahead.delete(origin);
    (lookedUp ?? permittedAddresses(target.hostname, port, where, options)).then(dial).catch(fail);
  }

  /** @param by how it is connected, or the socket that is */
  function openTls(
    hostname: string,
    origin: string,
    by: ReturnType<typeof tcpOptions> | { readonly socket: Socket },
  ): Socket {
    const session = tlsSessions.get(origin);
    // SNI carries names without the root's dot and never addresses (RFC 6066 section 3).
    const servername = isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '';
    const socket = connectTls({
      ...by,
      servername,
      ALPNProtocols: options.http2 && !http1Only.has(origin) ? ['http/1.1', 'h2'] : ['http/1.1'],
      ...(session === undefined ? {} : { session }),
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    socket.on('session', (ticket) => tlsSessions.set(origin, ticket));
    return socket;
  }

  return {
    connect,
    connectionOf: (origin) => connections.get(origin),
    addressOf,
    stayThere(origin) {
      const led = connections.get(origin)?.led ?? null;
      if (led !== null && led.addresses.length > 0) ahead.set(origin, Promise.resolve(led));
    },
    avoidHttp2(origin) {
      http1Only.set(origin, true);
      // A resumed session may bring the protocol of the earlier connection along.
      tlsSessions.delete(origin);
    },
  };
}

const anywhere = parseCidrs(['0.0.0.0/0', '::/0']);

/**
 * Connects to a proxy. Whoever may name one may name any address, but none where the stack itself listens.
 * @param begun is told the socket before it is connected @throws ProxyDown
 */
async function dialProxy(
  proxy: URL,
  options: ConnectorOptions,
  begun: (socket: Socket) => void,
): Promise<Socket> {
  const name = proxyName(proxy);
  const port = proxyPort(proxy);
  const hostname = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    const { addresses } = await permittedAddresses(hostname, port, name, { ...options, allowed: anywhere });
    const socket = connectTcp(tcpOptions(hostname, port, addresses));
    begun(socket);
    // Whoever reads from it is told by its end.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const why = error instanceof Error ? connectFault(error, name, 'connect').message : String(error);
    throw new ProxyDown(name, `cannot be reached: ${error instanceof NetFault ? error.message : why}`);
  }
}

const speaksHttp2 = (socket: Socket): boolean => socket instanceof TLSSocket && socket.alpnProtocol === 'h2';

const tcpOptions = (
  host: string,
  port: number,
  addresses: readonly ResolvedAddress[],
): {
  host: string;
  port: number;
  lookup: LookupFunction;
  autoSelectFamily: true;
  autoSelectFamilyAttemptTimeout: number;
} => ({
  host,
  port,
  // Node calls this only if `host` is a name; with autoSelectFamily it asks for all addresses.
  lookup: (_hostname, _options, callback) => {
    callback(
      null,
      addresses.map(({ address, family }) => ({ address, family })),
    );
  },
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
});

interface Permitted {
  readonly addresses: readonly ResolvedAddress[];
  readonly refusalOf: RefusalOf;
}

/** Why an address may not be reached, and what follows from that; null: the address may be reached. */
type RefusalOf = (address: string) => string | null;

async function permittedAddresses(
  hostname: string,
  port: number,
  where: string,
  { allowed, own, resolver }: ConnectorOptions,
): Promise<Permitted> {
  const refusalOf = refusalBy(allowed, (await own?.(port)) ?? null);
  const literal = isIP(hostname);
  if (literal !== 0) {
    const refusal = refusalOf(hostname);
    if (refusal !== null) throw refused(where, `is ${refusal}`);
    return { addresses: [{ address: hostname, family: literal === 6 ? 6 : 4 }], refusalOf };
  }
  const answers = await resolve(hostname, resolver);
  const addresses = answers.filter(({ address }) => refusalOf(address) === null);
  if (addresses.length > 0) return { addresses, refusalOf };
  const [first] = answers;
  if (first === undefined) throw new NetFault('dns-not-found', `The name ${hostname} has no address.`);
  throw refused(where, `resolves to ${first.address}, ${refusalOf(first.address) ?? ''}`);
}

const refusalBy =
  (allowed: readonly CidrBlock[], isOurs: IsOurs | null): RefusalOf =>
  (address) => {
    const range = addressRefusal(address, allowed);
    if (range !== null) return `a ${range} address, which this crawl may not reach`;
    return isOurs?.(address) === true
      ? "a place where the crawler's own stack listens, which no crawl may reach"
      : null;
  };

async function resolve(hostname: string, resolver: Resolver): Promise<readonly ResolvedAddress[]> {
  try {
    return await resolver.resolve(hostname);
  } catch (error) {
    const code = codeOf(error);
    if (notFoundCodes.has(code)) {
      throw new NetFault('dns-not-found', `The name ${hostname} does not exist.`, error);
    }
    const detail = code === '' ? '' : ` (${code})`;
    throw new NetFault('dns-unavailable', `The name ${hostname} could not be resolved${detail}.`, error);
  }
}

const refused = (where: string, what: string): NetFault =>
  new NetFault('address-refused', `${where} ${what}.`);

/** The fault of a time limit that passed while the connection was in `phase`; `where` is host:port. */
export function lateFault(phase: Connection['phase'], where: string, limitMs: number): NetFault {
  const within = `within ${String(limitMs)} ms`;
  switch (phase) {
    case 'resolve':
      return new NetFault('dns-unavailable', `The name of ${where} was not resolved ${within}.`);
    case 'connect':
      return new NetFault('connect-timeout', `${where} did not accept the connection ${within}.`);
    case 'tls':
      return new NetFault('connect-timeout', `${where} did not finish the TLS handshake ${within}.`);
    case 'open':
      return new NetFault('timeout', `${where} did not take the request ${within}.`);
  }
}
