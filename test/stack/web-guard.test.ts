/** The guard in front of Temporal Web: who comes through, and what of a request and its answer does. */
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signInByKey, type SignIn } from '../../stack/sign-in.ts';
import { startWebGuard } from '../../stack/web-guard.ts';
import { reservePort } from '../../stack/ports.ts';

async function listening(
  listener: RequestListener,
): Promise<{ readonly host: string; readonly port: number }> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

/** A guard on a port of its own; answers what was asked behind it, a line a request. */
async function guarded(listener: RequestListener, signIn: SignIn | null = null) {
  const asked: string[] = [];
  const web = await listening((request, response) => {
    asked.push(`${String(request.method)} ${String(request.url)} ${String(request.headers.host)}`);
    listener(request, response);
  });
  const reserved = await reservePort({ what: 'a guard', fixed: null, usual: null });
  const listen = { host: '127.0.0.1', port: reserved.port };
  const guard = await startWebGuard({ listen, web, names: ['Desk.example'], signIn });
  onTestFinished(async () => {
    await guard.close();
    reserved.release();
  });
  return { asked, web, ...listen, url: `http://127.0.0.1:${String(listen.port)}` };
}

/** The status line and all that follows, for a request of these lines. */
async function raw(port: number, ...lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const [first = '', ...rest] = lines;
  socket.write([first, 'Connection: close', ...rest, '', ''].join('\r\n'));
  return text(socket);
}

const echo: RequestListener = (request, response) => {
  void text(request).then((body) => {
    response.writeHead(201, { 'x-seen': JSON.stringify(request.headers), 'set-cookie': ['a=1', 'b=2'] });
    response.end(body.toUpperCase());
  });
};

describe('the guard of Temporal Web', () => {
  it('lets addresses, localhost and its own names in, and no other name', async () => {
    const { port, asked, web } = await guarded(echo);
    const statusOf = async (...fields: string[]): Promise<string> =>
      (await raw(port, 'GET /x HTTP/1.1', ...fields)).slice(9, 12);
    for (const host of [
      '127.0.0.1',
      `127.0.0.1:${String(port)}`,
      'localhost:1',
      '[::1]:8',
      'DESK.example',
      'a.localhost',
    ])
      expect(await statusOf(`Host: ${host}`), host).toBe('201');
    expect(new Set(asked)).toEqual(new Set([`GET /x 127.0.0.1:${String(web.port)}`]));
    const let_in = asked.length;
    for (const host of ['evil.example', 'desk.example.evil', '127.0.0.1.evil.example', '1.2.3.400', ''])
      expect(await statusOf(`Host: ${host}`), host).toBe('421');
    expect(await statusOf('Host: 127.0.0.1', 'Host: evil.example')).toBe('400');
    expect(await statusOf()).toBe('400');
    expect(asked).toHaveLength(let_in);
  });

  it('lets no page of another site in, whatever it asks', async () => {
    const { url, port, asked } = await guarded(echo);
    for (const origin of ['http://evil.example', 'null', `http://127.0.0.1:${String(port + 1)}`])
      for (const method of ['GET', 'POST'])
        expect((await fetch(url, { method, headers: { origin } })).status, origin).toBe(403);
    expect(asked).toEqual([]);
    expect((await fetch(url, { method: 'POST', headers: { origin: url } })).status).toBe(201);
  });

  it('passes bodies, fields and statuses on, and breaks off what breaks off', async () => {
    const { url, port } = await guarded((request, response) => {
      if (request.url !== '/broken') echo(request, response);
      else response.writeHead(200, { 'content-length': 10 }).write('abc', () => response.destroy());
    });
    const answer = await fetch(`${url}/path?a=%20b`, {
      method: 'PUT',
      headers: { 'x-own': 'yes' },
      body: 'hello',
    });
    expect([answer.status, await answer.text(), answer.headers.getSetCookie()]).toEqual([
      201,
      'HELLO',
      ['a=1', 'b=2'],
    ]);
    expect(JSON.parse(answer.headers.get('x-seen') ?? '')).toMatchObject({
      'x-own': 'yes',
      'content-length': '5',
    });
    const chunked = await raw(
      port,
      'POST / HTTP/1.1',
      'Host: localhost',
      'Transfer-Encoding: chunked',
      '',
      '3',
      'abc',
      '0',
      '',
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 201 [^]*ABC/);
    await expect(fetch(`${url}/broken`).then((broken) => broken.text())).rejects.toThrow();
  });

  it('says that Temporal Web does not answer', async () => {
    const { url } = await guarded((request) => request.socket.destroy());
    expect((await fetch(url)).status).toBe(502);
  });

  it('asks for the key of an admin of the instance, if it is told to, and passes no key on', async () => {
    const keys: string[] = [];
    const api = await listening((request, response) => {
      keys.push(String(request.headers.authorization));
      const status = { 'Bearer owk_admin': 200, 'Bearer owk_reader': 403, 'Bearer owk_busy': 429 }[
        keys.at(-1) ?? ''
      ];
      response.writeHead(status ?? 401).end();
    });
    let place: string | null = null;
    const { url } = await guarded(
      echo,
      signInByKey(() => place),
    );
    const basic = (password: string): string => `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
    const statusFor = async (authorization: string): Promise<number> =>
      (await fetch(url, { headers: { authorization } })).status;
    expect(await statusFor(basic('owk_admin'))).toBe(503);
    place = `http://127.0.0.1:${String(api.port)}`;
    const none = await fetch(url);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Temporal Web", charset="UTF-8"',
    ]);
    for (const wrong of [basic('owk_reader'), basic('owk_other'), basic('a b'), 'Basic', 'Digest x'])
      expect(await statusFor(wrong), wrong).toBe(401);
    expect(await statusFor(basic('owk_busy'))).toBe(503);
    keys.length = 0;
    expect([await statusFor(basic('owk_admin')), await statusFor('Bearer owk_admin')]).toEqual([201, 201]);
    expect(keys).toEqual(['Bearer owk_admin']);
    const seen = await fetch(url, { headers: { authorization: basic('owk_admin') } });
    expect(JSON.parse(seen.headers.get('x-seen') ?? '')).not.toHaveProperty('authorization');
  });
});
