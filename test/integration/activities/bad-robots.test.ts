/**
 * robots.txt of every broken kind (RFC 9309 §2.2–2.5): one clear verdict each, in bounded time and memory.
 *
 * @module-tag long
 */
import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fetcher } from '../../../contracts/fetching.ts';
import { maxRobotsOctets } from '../../../domain/robots.ts';
import { freshAddress } from '../../support/loopback.ts';
import { pour, rawServer, response, type Answer, type RawServer } from '../../net/raw-server.ts';
import { type Fetching, type HostRow, withFetching } from './fetching.ts';

const fetching = withFetching();

const MiB = 1024 * 1024;
const rules = 'User-agent: *\nDisallow: /private\n';
const head = (lines: string, status = '200 OK'): string => `HTTP/1.1 ${status}\r\n${lines}\r\n\r\n`;

interface Hosted {
  readonly server: RawServer;
  readonly host: HostRow;
  readonly crawl: number;
  /** A worker that is impatient with robots.txt alone, so that no page is given up on a busy machine. */
  readonly role: () => ReturnType<Fetching['role']>;
  /** Paths that were asked for, robots.txt and its redirects left out. */
  readonly pages: () => string[];
}

/** A host whose robots.txt is answered by hand, and whose pages are all there. `/private/x` and `/open` are queued. */
async function hosted(robots: Answer): Promise<Hosted> {
  const server = await rawServer((socket, request, count) => {
    if (/^GET \/(?:robots|hop)/.test(request)) robots(socket, request, count);
    else socket.write(response('<p>page', { 'Content-Type': 'text/html' }));
  }, freshAddress());
  const { host, crawl } = await fetching.queued(server.origin, ['/private/x', '/open']);
  const { fetcher } = fetching.dependencies();
  const impatient: Fetcher = {
    ...fetcher,
    fetch: (request) =>
      fetcher.fetch(
        request.url.endsWith('/robots.txt')
          ? { ...request, limits: { ...request.limits, totalTimeoutMs: robotsMs } }
          : request,
      ),
  };
  return {
    server,
    host,
    crawl,
    role: () => fetching.role({}, { fetcher: impatient }),
    pages: () => pathsOf(server).filter((path) => !/^\/(?:robots|hop)/.test(path)),
  };
}
const pathsOf = (server: RawServer): string[] =>
  server.requests.map((request) => request.split(' ')[1] ?? '');

const sending =
  (body: string | Buffer, fields: Readonly<Record<string, string>> = {}, status = '200 OK'): Answer =>
  (socket) => {
    socket.write(response(body, { 'Content-Type': 'text/plain', ...fields }, status));
  };

describe('a robots.txt that is too much', () => {
  it('50 MB: its first 500 KiB count, and the rest is not waited for (§2.5)', async () => {
    let poured = { written: 0 };
    const { host, pages, server } = await hosted((socket) => {
      socket.write(`${head(`Content-Length: ${String(50 * MiB)}`)}${rules}`);
      poured = pour(socket, Buffer.from(`# ${'x'.repeat(60)}\n`.repeat(1_000)), 50 * MiB);
    });
    await fetching.role().fetchSlice(host);
    expect(pages()).toEqual(['/open']);
    expect(poured.written).toBeLessThan(16 * MiB);
    expect(server.requests.length).toBe(2);
  });

  it('endless: cut the same way', async () => {
    const { host, pages } = await hosted((socket) => {
      socket.write(`${head('Connection: close')}${rules}`);
      pour(socket, Buffer.alloc(65_536, '\n'), 1024 * MiB);
    });
    await fetching.role().fetchSlice(host);
    expect(pages()).toEqual(['/open']);
  });

  it('a bomb of gzip: cut the same way', async () => {
    const bomb = zlib.gzipSync(Buffer.concat([Buffer.from(rules), Buffer.alloc(32 * MiB, '\n')]));
    const { host, pages } = await hosted(sending(bomb, { 'Content-Encoding': 'gzip' }));
    await fetching.role().fetchSlice(host);
    expect(pages()).toEqual(['/open']);
  });

  it.each([0, 1, 2])(
    'a rule that the cut goes through is no rule, least of all its first half (%i)',
    async (over) => {
      const last = 'Disallow: /open';
      const filler = '#'.repeat(maxRobotsOctets - rules.length - 'Disallow: /'.length - over - 1);
      const { host, pages } = await hosted(sending(`${rules}${filler}\n${last}\n${'#'.repeat(1_000)}`));
      await fetching.role().fetchSlice(host);
      expect(pages()).toEqual(['/open']);
    },
  );

  it.each([
    ['100,000 rules', Array.from({ length: 100_000 }, (_, at) => `Disallow: /${String(at)}$`)],
    [
      'rules of stars',
      Array.from({ length: 2_000 }, (_, at) => `Disallow: /${'*a'.repeat(40)}${String(at)}`),
    ],
  ])('%s are read and asked in a moment', async (_name, lines) => {
    const { host, crawl, pages } = await hosted(sending(rules + lines.join('\n')));
    const many = Array.from({ length: 30 }, (_, at) => `/${'a'.repeat(1_000)}/${String(at)}`);
    await fetching.queue(crawl, host, ...many);
    await fetching.role({ sliceMs: 120_000 }).fetchSlice(host);
    expect(pages().length).toBe(31);
  });
});

describe('a robots.txt that is something else', () => {
  it.each<[string, string | Buffer, string[]]>([
    ['noise', randomBytes(300_000), ['/private/x', '/open']],
    ['nothing but NULs', Buffer.alloc(100_000), ['/private/x', '/open']],
    ['empty', '', ['/private/x', '/open']],
    ['a page', '<!doctype html><title>Disallow: /</title><p>User-agent: *', ['/private/x', '/open']],
    ['a page that tells of rules', `<pre>\n${rules}</pre>`, ['/open']],
    ['Latin-1', Buffer.from(`# caf\xe9\n${rules}Disallow: /caf\xe9\n`, 'latin1'), ['/open']],
    ['ended by carriage returns', rules.replaceAll('\n', '\r'), ['/open']],
  ])('%s: what can be read of it counts', async (_name, body, expected) => {
    const { host, pages } = await hosted(sending(body));
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ lastError: null });
    expect(pages()).toEqual(expected);
  });

  it('a NUL ends its line, for who reads it from the database too', async () => {
    const { host, crawl, pages, server } = await hosted(
      sending('User-agent: *\nDisallow: /private\0/x\n\0Disallow: /open\nDisallow: /later\0'),
    );
    await fetching.role().fetchSlice(host);
    await fetching.queue(crawl, host, '/private/y', '/later', '/open2');
    await fetching.role().fetchSlice(host);
    expect(pages()).toEqual(['/open', '/open2']);
    expect(server.requests.length).toBe(3);
  });
});

/** Milliseconds in which the head of an answer must come, and after which one that hangs is given up. */
const robotsMs = 2_500;

describe('a robots.txt that does not come', () => {
  it.each<[string, Answer]>([
    ['in drops', (socket) => void setTimeout(() => socket.write(head('Content-Length: 99')), 20)],
    ['half', (socket) => socket.end(`${head('Content-Length: 999')}${rules}`)],
    ['in broken chunks', (socket) => socket.write(`${head('Transfer-Encoding: chunked')}zz\r\n`)],
    ['in a broken coding', sending(rules, { 'Content-Encoding': 'br' })],
    ['in no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['at all', (socket) => socket.destroy()],
  ])('%s: nothing is fetched, and the host backs off (§2.3.1.4)', async (_name, answer) => {
    const { host, crawl, pages, server, role } = await hosted(answer);
    const result = await role().fetchSlice(host);
    expect(result).toMatchObject({ fetched: 0, next: 'trouble', queued: 2 });
    expect(result.lastError).toContain('robots-unreachable');
    expect(pages()).toEqual([]);
    expect(server.requests.length).toBe(1);
    const urls = Object.values(await fetching.urls(crawl, server.origin));
    expect(urls.map(({ state }) => state)).toEqual(['queued', 'queued']);
  });

  it.each<[string, Answer]>([
    ['hangs', (socket) => socket.write(`${head('Content-Length: 99', '404 Not Found')}x`)],
    ['breaks off', (socket) => socket.end(`${head('Content-Length: 99', '404 Not Found')}x`)],
    ['cannot be decoded', sending('x', { 'Content-Encoding': 'gzip' }, '404 Not Found')],
  ])('by a 404 whose page %s: there is none, everything is allowed (§2.3.1.3)', async (_name, answer) => {
    const { host, pages, role } = await hosted(answer);
    await role().fetchSlice(host);
    expect(pages()).toEqual(['/private/x', '/open']);
  });
});

describe('a robots.txt that is elsewhere', () => {
  const moved = (location: string): Answer => sending('', { Location: location }, '302 Found');

  it.each<[string, string, number]>([
    ['at itself', '/robots.txt', 6],
    ['nowhere', '', 6],
    ['in a script', 'javascript:alert(1)', 1],
    ['at half an address', 'http://[::1', 1],
    ['at a place with a password', 'http://user:secret@127.0.0.1/', 1],
    ['10 KB away', `/hop${'x'.repeat(10_000)}`, 1],
  ])('%s: as if there were none (§2.3.1.2)', async (_name, location, requests) => {
    const { host, pages, server } = await hosted(moved(location));
    await fetching.role().fetchSlice(host);
    expect(pages()).toEqual(['/private/x', '/open']);
    expect(server.requests.length).toBe(requests + 2);
  });

  it('to and fro: five hops, then as if there were none', async () => {
    const { host, pages, server } = await hosted((socket, request, count) =>
      moved(request.startsWith('GET /robots') ? '/hop' : '/robots.txt')(socket, request, count),
    );
    await fetching.role().fetchSlice(host);
    expect(pages()).toEqual(['/private/x', '/open']);
    expect(pathsOf(server).slice(0, 6)).toEqual([
      '/robots.txt',
      '/hop',
      '/robots.txt',
      '/hop',
      '/robots.txt',
      '/hop',
    ]);
  });
});
