/** A TCP proxy on loopback whose line can be cut: in front of Postgres, Temporal or Redis. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * `open`: bytes pass both ways. `refusing`: connections are broken off, new ones as soon as they are open.
 * `silent`: connections stay open and new ones are accepted, but no byte passes, as when the other machine or a cable is
 * gone.
 */
export type LineState = 'open' | 'refusing' | 'silent';

export interface TcpProxy {
  readonly port: number;
  /** `host:port` */
  readonly address: string;
  /** What is cut stays cut until `set('open')`: then held bytes pass, and connections work again. */
  set(state: LineState): void;
  /** Sends new connections to another port from now on, and breaks off those that are open. */
  retarget(port: number): void;
  close(): Promise<void>;
}

interface ProxyOptions {
  /** That bytes take on their way, in each direction. */
  readonly delayMs?: number;
  /** Where it listens: 127.0.0.1 and any port unless given. */
  readonly host?: string;
  readonly port?: number;
}

/** @param targetPort on 127.0.0.1 */
export async function startTcpProxy(
  targetPort: number,
  { delayMs = 0, host = '127.0.0.1', port: wanted = 0 }: ProxyOptions = {},
): Promise<TcpProxy> {
  let state: LineState = 'open';
  let target = targetPort;
  const sockets = new Set<Socket>();

  const breakAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // `close` tells the other side; the reason does not matter here.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    if (state === 'silent') socket.pause();
    return socket;
  };
  const arrives = (act: () => unknown): void => {
    if (delayMs === 0) act();
    else setTimeout(act, delayMs);
  };
  const pass = (from: Socket, to: Socket): void => {
    const carry = (chunk: Buffer): void => {
      if (to.write(chunk)) return;
      from.pause();
      to.once('drain', () => {
        if (state !== 'silent') from.resume();
      });
    };
    from.on('data', (chunk: Buffer) => arrives(() => carry(chunk)));
    from.on('end', () => arrives(() => to.end()));
    from.once('close', () => arrives(() => to.destroy()));
  };

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (state === 'refusing') {
      near.on('error', () => undefined);
      near.resetAndDestroy();
      return;
    }
    const far = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true });
    pass(near, far);
    pass(far, near);
    // After the handlers above: a listener for data sets a socket flowing.
    keep(near);
    keep(far);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    address: `${host}:${String(port)}`,
    set: (next) => {
      state = next;
      if (state === 'refusing') breakAll();
      for (const socket of sockets) {
        if (state === 'silent') socket.pause();
        else socket.resume();
      }
    },
    retarget: (next) => {
      target = next;
      breakAll();
    },
    close: async () => {
      breakAll();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
