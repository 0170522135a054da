/** Egress proxies in small: HTTP CONNECT and SOCKS5, which note what they are asked for, and pass it on. */
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { freshAddress, listen } from './loopback.ts';

export interface NotedProxy {
  /** With the name and the password that it wants. */
  readonly url: string;
  readonly host: string;
  /** `address:port`, as it was asked. */
  readonly asked: readonly string[];
  /** From now on it refuses all that it is asked for: by this status of HTTP, or reply of SOCKS. */
  refuseBy(code: number): void;
  close(): void;
}

const credentials = { user: 'me', password: 'pr0xy-pass' };

type Serve = (socket: Socket, ask: (target: string) => number) => void;

/** Closed when the test is over. */
async function noting(scheme: string, serve: Serve): Promise<NotedProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let code = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket, (target) => {
      asked.push(target);
      return code;
    });
  });
  const address = freshAddress();
  const host = `${address}:${String(await listen(server, address))}`;
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  const { user, password } = credentials;
  return {
    url: `${scheme}://${user}:${password}@${host}`,
    host,
    asked,
    refuseBy: (by) => (code = by),
    close,
  };
}

function pass(socket: Socket, target: string, begun: () => void): void {
  const [, address = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(target) ?? [];
  const on = connect(Number(port), address, () => {
    begun();
    socket.pipe(on).pipe(socket);
  });
  on.on('error', () => socket.destroy());
  socket.on('close', () => on.destroy());
}

const connectProxy = (): Promise<NotedProxy> =>
  noting('http', (socket, ask) => {
    socket.once('data', (head) => {
      const [first = '', ...fields] = head.toString('latin1').split('\r\n');
      const target = first.split(' ')[1] ?? '';
      const { user, password } = credentials;
      const wanted = `Proxy-Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
      const code = fields.includes(wanted) ? ask(target) : 407;
      if (code !== 0) socket.end(`HTTP/1.1 ${String(code)} No\r\n\r\n`);
      else pass(socket, target, () => socket.write('HTTP/1.1 200 Connected\r\nVia: test\r\n\r\n'));
    });
  });

const socksProxy = (): Promise<NotedProxy> =>
  noting('socks5', (socket, ask) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 2]));
      socket.once('data', (login) => {
        const user = login.subarray(2, 2 + (login[1] ?? 0)).toString();
        const password = login.subarray(3 + (login[1] ?? 0)).toString();
        const isGood = user === credentials.user && password === credentials.password;
        socket.write(Buffer.from([1, isGood ? 0 : 1]));
        socket.once('data', (wanted) => {
          const target = `${[...wanted.subarray(4, 8)].join('.')}:${String(wanted.readUInt16BE(8))}`;
          const code = ask(target);
          const reply = Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
          if (code !== 0) socket.end(reply);
          else pass(socket, target, () => socket.write(reply));
        });
      });
    });
  });

export const proxies = { 'HTTP CONNECT': connectProxy, SOCKS5: socksProxy } as const;
