/** Requests that a server never looked at (RFC 9112 §9.3.1): sent once more at the host's pace, and nobody is blamed. */
import { describe, expect, it } from 'vitest';
import { freshAddress } from '../../support/loopback.ts';
import { rawServer, response, type Answer, type RawServer } from '../../net/raw-server.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';

const fetching = withFetching();
const { pool } = fetching;

const delayMs = 120;

async function hosted(
  answer: Answer,
  ...paths: readonly string[]
): Promise<{ server: RawServer; at: number[]; host: HostRow; crawl: number }> {
  const at: number[] = [];
  const server = await rawServer((socket, request, count) => {
    at.push(performance.now());
    if (request.startsWith('GET /robots')) socket.write(response('', {}, '404 Not Found'));
    else answer(socket, request, count);
  }, freshAddress());
  const { host, crawl } = await fetching.queued(server.origin, paths, { delaySeconds: delayMs / 1_000 });
  return { server, at, host, crawl };
}
const pathsOf = (server: RawServer): string[] =>
  server.requests.map((request) => request.split(' ')[1] ?? '');
const gaps = (at: readonly number[]): number[] => at.slice(1).map((time, index) => time - (at[index] ?? 0));

describe('a host that closes kept connections under requests', () => {
  it('is asked again after its delay, on a new connection; no try is counted', async () => {
    const { server, at, host, crawl } = await hosted(
      (socket, _request, count) => {
        if (count > 1) socket.destroy();
        else socket.write(response('<p>page', { 'Content-Type': 'text/html' }));
      },
      '/1',
      '/2',
      '/3',
    );
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 3, lastError: null });
    expect(pathsOf(server)).toEqual(['/robots.txt', '/1', '/1', '/2', '/3']);
    expect(Math.min(...gaps(at))).toBeGreaterThanOrEqual(delayMs - 1);
    const urls = Object.values(await fetching.urls(crawl, server.origin));
    expect(urls.map(({ state, attempts }) => [state, attempts])).toEqual(
      Array.from({ length: 3 }, () => ['done', 0]),
    );
    await expectExact(pool, crawl);
  });

  it('and new ones too: asked twice, then it is the URL’s and the host’s trouble', async () => {
    const { server, host, crawl } = await hosted((socket) => socket.destroy(), '/1');
    await fetching.role().fetchSlice(host);
    expect(pathsOf(server)).toEqual(['/robots.txt', '/1', '/1']);
    expect((await fetching.urls(crawl, server.origin))['/1']).toMatchObject({
      state: 'queued',
      reason: 'reset',
      attempts: 1,
    });
  });
});
