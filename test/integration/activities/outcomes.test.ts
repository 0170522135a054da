/** What becomes of a URL and of its host after each kind of answer (docs/design.md, "Politeness"; RFC 9110). */
import { describe, expect, it } from 'vitest';
import { failureTypes } from '../../../contracts/failures.ts';
import { createFetcher } from '../../../net/fetcher.ts';
import { ownServices } from '../../../net/own-services.ts';
import { bringBack, parkHost } from '../../../storage/hosts/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { requeueLostBodies } from '../../../storage/pages/index.ts';
import { closedEndpoint } from '../../support/loopback.ts';
import { expectExact } from '../storage/frontier.ts';
import {
  changeCrawl,
  changeHost,
  fromNow,
  hadSettings,
  hostFailed,
  hostRested,
  hostRow,
  leaseEnded,
  lettersOf,
  longAgo,
  robotsRead,
  tables,
  urlLines,
} from '../../support/database/index.ts';
import { noting, type HostRow, withFetching } from './fetching.ts';
import { gaps, page, robots, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

interface Visited {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
}
const hosted = async (
  answers: Readonly<Record<string, Answer>>,
  ...paths: readonly string[]
): Promise<Visited> => {
  const site = await startSite(answers);
  const { host, crawl } = await fetching.queued(site.origin, paths, { scope: 'host' }, [`${site.origin}/`]);
  return { site, host, crawl };
};
const pages = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');
/** The time of backoff and waiting URLs is over. */
const later = async ({ hostId }: HostRow): Promise<void> => {
  await hostRested(pool, hostId);
  await tables.url.change(pool, { host_id: hostId }, { due_at: fromNow() });
};

describe('a host that asks for less (RFC 9110 §10.2.3)', () => {
  it.each([429, 503])(
    '%i at first: nothing more is sent, Retry-After is kept, the delay doubles',
    async (code) => {
      const { site, host, crawl } = await hosted(
        { '/a': status(code, { 'retry-after': '3600' }) },
        '/a',
        '/b',
      );
      const result = await fetching.role().fetchSlice(host);
      expect(result).toMatchObject({ fetched: 0, next: 'trouble', queued: 2 });
      expect(result.waitMs).toBeGreaterThan(3_590_000);
      expect(result.waitMs).toBeLessThanOrEqual(3_600_000);
      expect(pages(site)).toEqual(['/a']);
      // Another worker, or an activity retry that fires early.
      const early = await fetching.role().fetchSlice(host);
      expect(early).toMatchObject({ fetched: 0, next: 'wait', delayMs: 2_000 });
      expect(early.waitMs).toBeGreaterThan(3_580_000);
      expect(pages(site)).toEqual(['/a']);
      expect((await fetching.urls(crawl, site.origin))['/a']).toMatchObject({
        state: 'queued',
        reason: 'overloaded',
        attempts: 1,
      });
    },
  );

  it('with a date: until then (RFC 9110 §5.6.7)', async () => {
    const inTenMinutes: Answer = (...request) => {
      const date = new Date(Date.now() + 600_000).toUTCString();
      status(503, { 'retry-after': date })(...request);
    };
    const { host } = await hosted({ '/a': inTenMinutes }, '/a');
    const { waitMs } = await fetching.role().fetchSlice(host);
    expect(waitMs).toBeGreaterThan(590_000);
    expect(waitMs).toBeLessThanOrEqual(600_000);
  });

  it.each([
    [503, { 'retry-after': '3600' }],
    [429, { 'retry-after': '3600' }],
  ])(
    '%i of one page of a host that is well stops the host for that time; after it, the page alone',
    async (code, fields) => {
      const { site, host, crawl } = await hosted({ '/1': status(code, fields) }, '/0', '/1', '/2', '/3');
      const first = await fetching.role().fetchSlice(host);
      expect(first).toMatchObject({ next: 'trouble', queued: 3 });
      expect(first.waitMs).toBeGreaterThan(3_590_000);
      // A process that knows nothing of it.
      expect((await fetching.role().fetchSlice(host)).waitMs).toBeGreaterThan(3_580_000);
      expect(pages(site)).toEqual(['/0', '/1']);
      await hostRested(pool, host.hostId);
      await fetching.role().fetchSlice(host);
      expect(pages(site)).toEqual(['/0', '/1', '/2', '/3']);
      // Others were answered well since.
      await later(host);
      await fetching.role().fetchSlice(host);
      expect(pages(site).slice(4)).toEqual(['/1']);
      const { failures, last_error: error, not_before_ms: waitMs } = await hostRow(pool, host.hostId);
      expect({ failures, error, waits: waitMs > 60_000 }).toEqual({ failures: 0, error: null, waits: false });
      const url = (await fetching.urls(crawl, site.origin))['/1'];
      expect(url).toMatchObject({ state: 'queued', reason: 'overloaded', attempts: 2, tries: 2 });
      expect(url?.due_at_ms).toBeGreaterThan(3_500_000);
      await expectExact(pool, crawl);
    },
  );

  it('is in the database before anything else becomes of the answer: a crash then shortens no pause and no delay', async () => {
    const { site, host } = await hosted({ '/a': status(503, { 'retry-after': '3600' }) }, '/a', '/b');
    const writer = new FrontierWriter(pool);
    const killed = Promise.withResolvers<undefined>();
    writer.write = () => {
      killed.resolve(undefined);
      return new Promise(() => undefined);
    };
    void fetching.role({}, { writer }).fetchSlice(host);
    await killed.promise;
    expect(await hostRow(pool, host.hostId)).toMatchObject({ slowdown: 1 });
    await leaseEnded(pool, host.hostId);
    const { fetched, waitMs } = await fetching.role().fetchSlice(host);
    expect(fetched).toBe(0);
    expect(waitMs).toBeGreaterThan(3_580_000);
    expect(pages(site)).toEqual(['/a']);
  });

  it('one page that always answers 503 and names no time waits by itself, and its neighbours go on', async () => {
    const paths = Array.from({ length: 6 }, (_, at) => `/${String(at)}`);
    const { site, host, crawl } = await hosted({ '/3': status(503) }, ...paths);
    await hadSettings(pool, host.hostId, { delaySeconds: 0 });
    await fetching.role({ sliceMs: 60_000 }).fetchSlice(host);
    // The delay is doubled from a second on, and the host is not closed.
    expect(pages(site)).toEqual(paths);
    expect(await hostRow(pool, host.hostId)).toMatchObject({
      slowdown: 1,
      failures: 0,
      last_error: null,
    });
    const urls = await fetching.urls(crawl, site.origin);
    expect(Object.values(urls).filter(({ state }) => state === 'done')).toHaveLength(5);
    expect(urls['/3']).toMatchObject({ state: 'queued', reason: 'overloaded', attempts: 1, tries: 1 });
    await expectExact(pool, crawl);
  });

  it('and ends as a dead letter of its class, behind all others', async () => {
    const { site, host, crawl } = await hosted({ '/bad': status(503) }, '/good', '/bad', '/fine', '/more');
    await robotsRead(pool, host.hostId);
    const role = fetching.role({ sliceMs: 0 });
    for (let slice = 0; slice < 9; slice++) {
      await role.fetchSlice(host);
      await later(host);
    }
    expect(pages(site)).toEqual(['/good', '/bad', '/fine', '/more', '/bad', '/bad', '/bad', '/bad']);
    expect(await lettersOf(pool, crawl)).toEqual([
      { class: 'overloaded', status: 503, message: 'answered 503', attempts: 4 },
    ]);
    expect(await hostRow(pool, host.hostId)).toMatchObject({ failures: 0, parked_at: null });
    await expectExact(pool, crawl);
  });

  it('a second page that says so speaks for the host, whichever process hears it', async () => {
    const { site, host } = await hosted(
      { '/a': status(503), '/b': status(503, { 'retry-after': '600' }) },
      '/1',
      '/a',
      '/2',
      '/b',
      '/3',
    );
    for (let slice = 0; slice < 6; slice++) {
      await fetching.role({ sliceMs: 0 }).fetchSlice(host);
      // Trouble alone is left to hold it.
      const { failures } = await hostRow(pool, host.hostId);
      await changeHost(pool, host.hostId, {
        ...{ paced_until: longAgo, asked_at: null },
        ...(failures === 0 ? { not_before: longAgo } : {}),
      });
    }
    expect(pages(site)).toEqual(['/1', '/a', '/2', '/b']);
    expect(await hostRow(pool, host.hostId)).toMatchObject({
      failures: 1,
      last_error: 'overloaded: answered 503',
    });
  });

  it('gets its speed back by clean answers', async () => {
    const { host } = await hosted({}, '/a');
    const { hostId } = host;
    await robotsRead(pool, hostId);
    for (const [clean, after] of [
      [15, { slowdown: 3, clean: 16, since_complaint: 1 }],
      [19, { slowdown: 2, clean: 0 }],
    ] as const) {
      await changeHost(pool, hostId, {
        ...{ slowdown: 3, clean, since_complaint: 0, complained_at: fromNow() },
      });
      await later(host);
      await fetching.queue(await fetching.crawl(), host, '/a');
      await fetching.role({ sliceMs: 0 }).fetchSlice(host);
      expect(await hostRow(pool, host.hostId)).toMatchObject(after);
    }
  });
});

describe('trouble', () => {
  it('of a page is the page’s own: the others are fetched', async () => {
    const { site, host, crawl } = await hosted(
      { '/bad': status(500), '/gone': status(410), '/no': status(403) },
      '/bad',
      '/gone',
      '/no',
      '/ok',
    );
    expect(await fetching.role().fetchSlice(host)).toMatchObject({
      fetched: 3,
      lastError: null,
      deadLetters: 1,
    });
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/bad']).toMatchObject({ state: 'queued', reason: 'server-error', attempts: 1 });
    expect(urls['/gone']).toMatchObject({ state: 'dead', reason: 'gone' });
    expect(urls['/no']).toMatchObject({ state: 'failed', reason: 'forbidden' });
    expect(urls['/ok']).toMatchObject({ state: 'done' });
    await expectExact(pool, crawl);
  });

  it('of a page ends after three tries, with a dead letter', async () => {
    const { site, host, crawl } = await hosted({ '/bad': status(500) }, '/bad');
    const role = fetching.role();
    for (let slice = 0; slice < 4; slice++) {
      await role.fetchSlice(host);
      await later(host);
    }
    expect(pages(site)).toEqual(['/bad', '/bad', '/bad']);
    expect(await lettersOf(pool, crawl)).toEqual([
      { class: 'server-error', status: 500, message: 'answered 500', attempts: 2 },
    ]);
  });

  it('of five pages in a row is the host’s: down for an hour', async () => {
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6', '/7'];
    const { site, host } = await hosted(
      Object.fromEntries(paths.map((path) => [path, status(500)])),
      ...paths,
    );
    const result = await fetching.role().fetchSlice(host);
    expect(result).toMatchObject({ next: 'trouble', queued: 7 });
    expect(result.waitMs).toBeGreaterThan(3_590_000);
    expect(pages(site)).toEqual(paths.slice(0, 5));
  });

  it('of pages among good ones is never the host’s, however many', async () => {
    const paths = ['/1', '/good', '/2', '/3', '/fine', '/4', '/5', '/well', '/6', '/7'];
    const bad = paths.filter((path) => /\d/.test(path));
    const { site, host } = await hosted(Object.fromEntries(bad.map((path) => [path, status(500)])), ...paths);
    for (let slice = 0; slice < 30; slice++) {
      await fetching.role({ sliceMs: 0 }).fetchSlice(host);
      await later(host);
    }
    expect(pages(site).slice(0, 10)).toEqual(paths);
    expect(pages(site).filter((path) => /\d/.test(path))).toHaveLength(21);
    expect(await hostRow(pool, host.hostId)).toMatchObject({ outages: 0, failures: 0 });
  });

  it('of a host that is down: backoff, then Temporal’s retries, then a person', async () => {
    const { host, crawl } = await fetching.queued((await closedEndpoint()).origin, ['/a', '/b']);
    const role = fetching.role();
    const first = await role.fetchSlice(host);
    expect(first).toMatchObject({ fetched: 0, next: 'trouble', queued: 2, deadLetters: 0 });
    expect(first.lastError).toMatch(/^connect-refused: /);
    expect(first.waitMs).toBeGreaterThan(1_500);
    for (let failure = 2; failure <= 4; failure++) {
      await later(host);
      await expect(role.fetchSlice(host)).rejects.toMatchObject({
        type: failureTypes.host,
        nextRetryDelay: expect.any(Number) as number,
        details: [{ class: 'connect-refused', failuresInARow: failure }],
      });
    }
    await later(host);
    await expect(role.fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.spent,
      nonRetryable: true,
    });
    expect(await hostRow(pool, host.hostId)).toMatchObject({ failures: 5, lease_token: null });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 2 });
  });

  it('is a result, however long it has lasted, where the workflow shows none', async () => {
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6'];
    const { host } = await hosted(Object.fromEntries(paths.map((path) => [path, status(500)])), ...paths);
    await hostFailed(pool, host.hostId, 2);
    const result = await fetching.role().fetchSlice({ ...host, inTrouble: false });
    expect(result).toMatchObject({ next: 'trouble', lastError: 'server-errors: answered 500' });
  });

  it('of five pages in a row is told over processes too', async () => {
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6'];
    const { site, host } = await hosted(
      Object.fromEntries(paths.map((path) => [path, status(500)])),
      ...paths,
    );
    for (let slice = 0; slice < 7; slice++) await fetching.role({ sliceMs: 0 }).fetchSlice(host);
    expect(pages(site)).toEqual(paths.slice(0, 5));
    expect(await hostRow(pool, host.hostId)).toMatchObject({ outages: 1, failures: 1 });
  });

  it('passes: a good answer forgets the failures', async () => {
    const { host } = await hosted({}, '/a');
    await hostFailed(pool, host.hostId, 3);
    await fetching.role().fetchSlice(host);
    expect(await hostRow(pool, host.hostId)).toMatchObject({
      failures: 0,
      failing_since: null,
      last_error: null,
    });
  });

  it('does not let an operator’s retry come sooner than the delay', async () => {
    const { site, host } = await hosted({ '/a': status(503) });
    const crawl = await fetching.crawl({ delaySeconds: 0.7 });
    await fetching.queue(crawl, host, '/a');
    const role = fetching.role();
    await role.fetchSlice(host);
    // What `retry` does (the crawl-delay still holds, says contracts/workflows.ts).
    await bringBack(pool, host.hostId);
    await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/a', '/a']);
    expect(gaps(site).at(-1)).toBeGreaterThanOrEqual(700);
  });
});

describe('an address that is guarded', () => {
  it('is excluded, and nothing reaches it', async () => {
    const { site, host, crawl } = await fetching.site(['/a', '/b'], { config: { allowPrivate: [] } });
    expect(await fetching.role().fetchSlice(host)).toMatchObject({
      fetched: 2,
      next: 'idle',
      lastError: null,
    });
    expect(site.paths()).toEqual([]);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/a']).toMatchObject({ state: 'excluded', reason: 'address-refused', fetches: 0 });
    expect(urls['/a']?.detail).toContain(new URL(site.origin).hostname);
  });

  it('is so for the crawl that may not go there, whoever else may', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const [may, mayNot] = [await fetching.crawl(), await fetching.crawl({ allowPrivate: [] })];
    await fetching.queue(may, host, '/open');
    await fetching.queue(mayNot, host, '/closed');
    await fetching.role().fetchSlice(host);
    expect(pages(site)).toEqual(['/open']);
    expect((await fetching.urls(mayNot, site.origin))['/closed']).toMatchObject({
      state: 'excluded',
      reason: 'address-refused',
    });
  });

  it('tells such a crawl nothing of what others have learned there', async () => {
    const lines = ['User-agent: *', 'Disallow: /secret', 'Sitemap: /inner/list.xml'];
    const site = await startSite({ '/robots.txt': robots(...lines) });
    const host = await fetching.host(site.origin);
    const [may, mayNot] = [await fetching.crawl(), await fetching.crawl({ allowPrivate: [] })];
    await fetching.queue(may, host, '/open');
    await fetching.queue(mayNot, host, '/secret/1', '/closed');
    await fetching.role().fetchSlice(host);
    // From the stored copy, in a process that has not read it.
    await fetching.queue(may, host, '/next');
    await fetching.queue(mayNot, host, '/secret/2');
    await fetching.role().fetchSlice(host);
    expect(Object.keys(await fetching.urls(may, site.origin))).toContain('/inner/list.xml');
    const urls = await fetching.urls(mayNot, site.origin);
    expect(Object.keys(urls).sort()).toEqual(['/closed', '/secret/1', '/secret/2']);
    for (const path of Object.keys(urls)) {
      expect(urls[path]).toMatchObject({ state: 'excluded', reason: 'address-refused' });
      expect(urls[path]?.detail).not.toContain('robots');
    }
    const queues = await tables.queue.rows(pool, { host_id: host.hostId });
    expect(queues.map(({ crawl_id, reached }) => [crawl_id, reached]).sort()).toEqual([
      [may, true],
      [mayNot, false],
    ]);
  });

  it('a crawl that asked in vain for robots.txt has been let go there, and one that may not go there has not', async () => {
    const host = await fetching.host((await closedEndpoint()).origin);
    const [may, mayNot] = [await fetching.crawl(), await fetching.crawl({ allowPrivate: [] })];
    // With a delay so long that a request for robots.txt is no turn of this crawl.
    const seldom = await fetching.crawl({ delaySeconds: 7_200 });
    for (const crawl of [may, mayNot, seldom]) await fetching.queue(crawl, host, '/a');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ next: 'trouble' });
    const reached = async (): Promise<readonly unknown[]> => {
      const queues = await tables.queue.rows(pool, { host_id: host.hostId });
      return queues.map((row) => [row.crawl_id, row.reached]).sort();
    };
    const expected = [[may, true], [mayNot, false], [seldom, true]]; // prettier-ignore
    expect(await reached()).toEqual(expected);
    // The same by a probe of the parked host, for crawls that were not there when it was asked last.
    await tables.queue.change(pool, { host_id: host.hostId }, { reached: false });
    await parkHost(pool, host.hostId, 'connect-refused: x', ['connect-refused']);
    await hostRested(pool, host.hostId);
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'fails' });
    expect(await reached()).toEqual(expected);
  });
});

describe("the stack's own services", () => {
  it('are excluded whatever a crawl may reach, and other ports of the machine go on', async () => {
    const [site, service] = [await startSite(), await startSite()];
    const port = Number(new URL(service.origin).port);
    const fetcher = createFetcher({ own: ownServices([{ host: 'localhost', port }]) });
    const crawl = await fetching.crawl({ allowPrivate: ['127.0.0.0/8'] });
    for (const { origin } of [site, service]) {
      const host = await fetching.host(origin);
      await fetching.queue(crawl, host, '/a');
      await fetching.role({}, { fetcher }).fetchSlice(host);
    }
    expect((await fetching.urls(crawl, site.origin))['/a']).toMatchObject({ state: 'done' });
    const refused = (await fetching.urls(crawl, service.origin))['/a'];
    expect(refused).toMatchObject({ state: 'excluded', reason: 'address-refused', fetches: 0 });
    expect(refused?.detail).toContain("the crawler's own stack");
    expect(service.paths()).toEqual([]);
    await fetcher.close();
  });
});

describe('bodies', () => {
  it('over the limit are excluded, and not stored', async () => {
    const { site, host, crawl } = await hosted({ '/a': page('x'.repeat(10_000)) }, '/a', '/b');
    await fetching.role({ maxBodyBytes: 5_000 }).fetchSlice(host);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/a']).toMatchObject({ state: 'excluded', reason: 'too-large', content_hash: null });
    expect(urls['/b']).toMatchObject({ state: 'done' });
  });

  it('that are lost are fetched again, whole, also where the server knows validators (RFC 9110 §13)', async () => {
    const answer: Answer = (response, request, count) => {
      if (request.headers['if-none-match'] === '"1"') status(304)(response, request, count);
      else page('here', { etag: '"1"' })(response, request, count);
    };
    const { site, host, crawl } = await hosted({ '/a': answer }, '/a');
    const role = fetching.role();
    await role.fetchSlice(host);
    const hex = (bytes: Buffer | null) => bytes?.toString('hex');
    const lost = (await tables.url.rows(pool, { crawl_id: crawl })).map((url) => ({
      crawl_id: crawl,
      key: hex(url.key),
      hash: hex(url.content_hash),
    }));
    await requeueLostBodies(pool, host.hostId, JSON.stringify(lost));
    await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/a', '/a']);
    const url = (await fetching.urls(crawl, site.origin))['/a'];
    expect(url).toMatchObject({ state: 'done', reason: 'fetched', stage: 1 });
    expect(await fetching.blobs.get(url?.content_hash ?? Buffer.alloc(32))).not.toBeNull();
  });

  describe('that our own store does not take', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const brokenBlobs = {
      put: () => Promise.reject(full),
      get: () => Promise.resolve(null),
    };
    const expire = (host: HostRow) => leaseEnded(pool, host.hostId);

    it('are our fault, to be tried again, and no outcome of the URL', async () => {
      const { host, crawl, site } = await hosted({}, '/a');
      await expect(fetching.role({}, { blobs: brokenBlobs }).fetchSlice(host)).rejects.toMatchObject({
        type: failureTypes.infrastructure,
        nonRetryable: false,
      });
      await expire(host);
      expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 1 });
      expect((await fetching.urls(crawl, site.origin))['/a']).toMatchObject({ state: 'done' });
      await expectExact(pool, crawl);
    });

    it('fail no URL, however long that takes (F07)', async () => {
      const { host, crawl } = await hosted({}, '/a', '/b', '/c');
      await hadSettings(pool, host.hostId, { delaySeconds: 0 });
      const role = fetching.role({}, { blobs: brokenBlobs });
      for (let outage = 0; outage < 8; outage++) {
        await role.fetchSlice(host).catch(() => undefined);
        await expire(host);
      }
      expect(await expectExact(pool, crawl)).toMatchObject({ failed: 0 });
    });
  });
});

describe('limits and orders of a crawl', () => {
  it('a page limit is kept exactly', async () => {
    const { site, host } = await hosted({ '/gone': status(404) });
    const crawl = await fetching.crawl({ maxPages: 3 });
    await fetching.queue(crawl, host, '/gone', '/1', '/2', '/3', '/4', '/5');
    const role = fetching.role();
    for (let slice = 0; slice < 4; slice++) await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/gone', '/1', '/2', '/3']);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 3, dead: 1, queued: 2, leased: 0 });
  });

  it('a pause takes effect within a second, and what was leased goes back', async () => {
    const paths = Array.from({ length: 40 }, (_, at) => `/${String(at)}`);
    const { site, host } = await hosted({});
    const crawl = await fetching.crawl({ delaySeconds: 0.1 });
    await fetching.queue(crawl, host, ...paths);
    const { fetcher, begun } = noting(fetching.dependencies().fetcher);
    const running = fetching.role({}, { fetcher }).fetchSlice(host);
    await expect.poll(() => pages(site).length).toBeGreaterThan(1);
    await changeCrawl(pool, crawl, { state: 'paused' });
    const pausedAt = performance.now();
    await running;
    expect(begun.filter((at) => at > pausedAt + 1_200)).toEqual([]);
    expect(pages(site).length).toBeLessThan(30);
    const ledger = await expectExact(pool, crawl);
    expect(ledger).toMatchObject({ leased: 0, queued: 40 - pages(site).length });
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 0, next: 'idle' });
  });
});

describe('content types that a crawl does not take (F27)', () => {
  it('are excluded by the head of the answer, without their body', async () => {
    const video: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(64 * 1024), () => setImmediate(more));
      };
      more();
    };
    const png: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.end('not really');
    };
    const site = await startSite({ '/endless': video, '/png': png, '/html': page('html') });
    const { host, crawl } = await fetching.queued(
      site.origin,
      ['/endless', '/html', '/png'],
      { scope: 'host', contentTypes: ['text/*'], delaySeconds: 0 },
      [`${site.origin}/`],
    );
    await later(host);
    await fetching.role().fetchSlice(host);
    const rows = await tables.url.rows(pool, { crawl_id: crawl });
    const kept = rows.map(({ url, content_hash: hash, bytes }) => ({
      path: url.replace(site.origin, ''),
      bodiless: hash === null,
      small: bytes < 1_000_000,
    }));
    expect(await urlLines(pool, { crawl_id: crawl }, 'state', 'reason', 'detail')).toEqual([
      `${site.origin}/endless excluded content-type video/mp4`,
      `${site.origin}/html done fetched`,
      `${site.origin}/png excluded content-type image/png`,
    ]);
    expect(kept).toEqual([
      { path: '/endless', bodiless: true, small: true },
      { path: '/html', bodiless: false, small: true },
      { path: '/png', bodiless: true, small: true },
    ]);
    await expectExact(pool, crawl);
  });
});
