/** Large bodies take room that all hosts of a process share (net/body-budget.ts): a slice gives back what it took. */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { NoRoomForBody, type Fetcher } from '../../../contracts/fetching.ts';
import { createFetcher } from '../../../net/fetcher.ts';
import { expectExact } from '../storage/frontier.ts';
import { withFetching } from './fetching.ts';
import { startSite, type Answer } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
/** Room for one body at a time: one that is not given back stops all that come after it. */
const one = 700 * 1024;
const fetcher = createFetcher({ bodyBudgetBytes: one });
afterAll(() => fetcher.close());

const large =
  (type: string, fill: string, code = 200): Answer =>
  (response) => {
    response.writeHead(code, { 'content-type': type }).end(fill.padEnd(600 * 1024, '# \n'));
  };

describe('room', () => {
  afterEach(async () => {
    // Whatever came before, there is room now.
    const { host } = await fetching.site(['/last'], {
      answers: { '/last': large('text/plain', 'last') },
    });
    expect(await fetching.role({}, { fetcher }).fetchSlice(host)).toMatchObject({ fetched: 1 });
  });

  it('is given back after each page, robots.txt and error', async () => {
    const { site, host, crawl } = await fetching.site(['/1', '/missing', '/2', '/broken', '/3', '/no'], {
      answers: {
        '/robots.txt': large('text/plain', 'user-agent: *\ndisallow: /no\n'),
        '/missing': large('text/html', 'missing', 404),
        '/broken': large('text/html', 'broken', 500),
        ...Object.fromEntries(['/1', '/2', '/3'].map((path) => [path, large('text/html', path)])),
      },
    });
    await fetching.role({ sliceMs: 120_000 }, { fetcher }).fetchSlice(host);
    const urls = await fetching.urls(crawl, site.origin);
    for (const path of ['/1', '/2', '/3']) {
      expect(urls[path]).toMatchObject({ state: 'done' });
      const body = await fetching.blobs.get(urls[path]?.content_hash ?? new Uint8Array());
      expect(body?.length).toBe(600 * 1024);
    }
    expect(urls['/missing']).toMatchObject({ state: 'dead' });
    expect(urls['/no']).toMatchObject({ state: 'excluded', reason: 'robots' });
  });

  it('is given back where the body cannot be stored', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const blobs = {
      put: () => Promise.reject(full),
      get: () => Promise.resolve(null),
    };
    const site = await startSite({ '/1': large('text/html', '1') });
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl(), host, '/1');
    await expect(fetching.role({}, { fetcher, blobs }).fetchSlice(host)).rejects.toThrow('ENOSPC');
  });

  it('that was not to be had is nobody’s fault: the URL waits, untried, and its host is left alone a while', async () => {
    const { site, host, crawl } = await fetching.site(['/1']);
    const crowded: Fetcher = {
      fetch: (request) =>
        request.url.endsWith('/robots.txt')
          ? fetcher.fetch(request)
          : Promise.reject(new NoRoomForBody('127.0.0.1:80')),
      addressOf: () => Promise.resolve(null),
      close: () => Promise.resolve(),
    };
    const result = await fetching.role({}, { fetcher: crowded }).fetchSlice(host);
    expect(result).toMatchObject({ fetched: 0, queued: 1, lastError: null, deadLetters: 0 });
    expect(result.waitMs).toBeGreaterThan(8_000);
    expect((await fetching.urls(crawl, site.origin))['/1']).toMatchObject({
      ...{ state: 'queued', reason: null, attempts: 0 },
    });
    await expectExact(pool, crawl);
  });
});
