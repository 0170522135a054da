import { beforeEach, describe, expect, it } from 'vitest';
import { auditView, pageView, type AuditView, type PageView } from '../../../contracts/http/results.ts';
import {
  addLetter,
  addUrl,
  changeCrawl,
  holdSnapshot,
  holdTable,
  setState,
  tables,
  type UrlColumns,
} from '../../support/database/index.ts';
import { allPages } from '../../support/all-pages.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { until } from '../../support/until.ts';
import {
  getOk,
  addPage,
  newCrawl,
  storeBody,
  textOf,
  newRunningCrawl,
  withServices,
  withServed,
} from './world.ts';

const services = withServices();
const { pool } = services;
const api = withServed(pool);
let crawl: string;
beforeEach(async () => {
  crawl = await newRunningCrawl(pool, {}, ['https://a.example/docs/']);
});

const get = <T>(path: string): Promise<T> => getOk<T>(`${api.url}/v1/crawls/${crawl}${path}`);

interface Pages {
  readonly items: PageView[];
  readonly next: string | null;
}

/** Follows the cursor until nothing comes any more. */
async function feed(query = '', cursor: string | null = null): Promise<Pages> {
  const items: PageView[] = [];
  for (;;) {
    const answer = await get<Pages>(`/pages?limit=3${query}${cursor === null ? '' : `&cursor=${cursor}`}`);
    items.push(...answer.items);
    cursor = answer.next;
    if (cursor === null || answer.items.length === 0) return { items, next: cursor };
  }
}

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
const content = { title: 'One', text: 'a few words', links: ['https://a.example/2'] };

describe('pages', () => {
  it('come in the order of their answers, each once, to the end', async () => {
    const urls = Array.from({ length: 10 }, (_, i) => `https://a.example/${String(i)}`);
    // Four share each instant: the cursor tells them apart.
    const first = Date.now() - 60_000;
    for (const [i, url] of urls.entries()) {
      await addPage(
        pool,
        crawl,
        url,
        { ...content, title: url },
        { fetched_at: new Date(first + Math.floor(i / 4)) },
      );
    }
    await setState(pool, crawl, 'finished', 'complete');
    const { items, next } = await feed();
    expect(next).toBeNull();
    expect(items.map(({ url }) => url).sort()).toEqual(urls);
    expect(items.map(({ fetchedAt }) => fetchedAt)).toEqual(items.map(({ fetchedAt }) => fetchedAt).sort());
    expect((await get<Pages>('/pages?limit=1000')).next).toBeNull();
    const { items: latest, next: behind } = await get<Pages>('/pages?from=latest&limit=4');
    expect(latest).toEqual(items.slice(-4));
    expect((await get<Pages>(`/pages?from=latest&limit=4&cursor=${behind ?? ''}`)).items).toEqual([]);
    expect((await get<Pages>('/pages?from=latest&limit=20')).items).toEqual(items);
  });

  it('say what was found, with links and text where asked for', async () => {
    await tables.content.remove(pool);
    await addPage(pool, crawl, 'https://a.example/1', content, { fetched_at: secondsAgo(60) });
    const [plain] = (await feed()).items;
    expect(plain).toMatchObject({
      url: 'https://a.example/1', status: 200, state: 'done', title: 'One', language: 'en', words: 3, linkCount: 1,
      contentType: 'text/html', duplicateOf: null, duplicateBy: null, revisitOf: null, noindex: false,
    }); // prettier-ignore
    expect(plain?.contentHash).toMatch(/^[0-9a-f]{64}$/);
    expect(plain).not.toHaveProperty('text');
    const [full] = (await feed('&fields=links,text')).items;
    expect(full).toMatchObject({ text: 'a few words', links: ['https://a.example/2'] });
    expect(pageView.parse(full)).toEqual(full);
  });

  it('hold back what may still change or be overtaken, and lose nothing of it', async () => {
    await addPage(pool, crawl, 'https://a.example/1', content, { fetched_at: secondsAgo(60) });
    await addPage(pool, crawl, 'https://a.example/2', content, {
      fetched_at: secondsAgo(50),
      stage: 2,
    });
    await addPage(pool, crawl, 'https://a.example/3', content, { fetched_at: secondsAgo(40) });
    const first = await feed();
    expect(first.items.map(({ url }) => url)).toEqual(['https://a.example/1']);
    expect(first.next).not.toBeNull();
    await tables.url.change(pool, { crawl_id: crawl }, { stage: 0 });

    // A transaction that began before now and commits later: its rows may still land between 2 and 3.
    const late = await holdSnapshot(pool);
    const began = late.since;
    await addPage(pool, crawl, 'https://a.example/4', content, {
      fetched_at: new Date(began.getTime() + 1),
    });
    // Past the margin for clocks, so that only the open transaction holds page 4 back.
    await until('the margin is over', () => Date.now() > began.getTime() + 1_200);
    const second = await feed('', first.next);
    expect(second.items.map(({ url }) => url)).toEqual(['https://a.example/2', 'https://a.example/3']);
    await late.release();

    await setState(pool, crawl, 'finished', 'complete');
    const last = await feed('', second.next);
    expect(last).toMatchObject({ items: [{ url: 'https://a.example/4' }], next: null });
  });

  it('show a duplicate with what its original holds, and leave out what has no outcome', async () => {
    const original = await addPage(pool, crawl, 'https://a.example/1', content, {
      fetched_at: secondsAgo(60),
    });
    await addUrl(pool, crawl, 'https://a.example/copy', {
      state: 'done', status: 200, fetched_at: secondsAgo(50), alias_host: original.hostId, alias_key: original.key,
      content_id: original.contentId,
      content_hash: storeBody(content.text), content_type: 'text/html',
    }); // prettier-ignore
    await addUrl(pool, crawl, 'https://a.example/gone', {
      state: 'dead',
      status: 404,
      fetched_at: secondsAgo(40),
    });
    await addUrl(pool, crawl, 'https://a.example/again', {
      state: 'queued',
      status: 500,
      fetched_at: secondsAgo(30),
    });
    await addUrl(pool, crawl, 'https://a.example/sitemap.xml', {
      state: 'done', status: 200, kind: 1, fetched_at: secondsAgo(20),
    }); // prettier-ignore
    const { items } = await feed('&fields=text');
    expect(items).toMatchObject([
      { url: 'https://a.example/1', duplicateOf: null },
      {
        url: 'https://a.example/copy',
        ...{ duplicateOf: 'https://a.example/1', duplicateBy: 'body' },
        title: 'One',
        text: 'a few words',
      },
      { url: 'https://a.example/gone', state: 'dead', status: 404, title: null, text: null },
    ]);
  });

  it('come in smaller answers where texts are long', async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index + 10);
    for (const i of numbers) {
      const long = { ...content, text: `${String(i)}${'x'.repeat(900_000)}` };
      await addPage(pool, crawl, `https://a.example/${String(i)}`, long, {
        fetched_at: secondsAgo(60 - i),
      });
    }
    await setState(pool, crawl, 'finished', 'complete');
    const answer = await get<Pages>('/pages?fields=text');
    expect(answer.items).toHaveLength(4);
    const titles: string[] = [];
    for await (const page of allPages(pool, crawl, ['text'], textOf))
      titles.push(page.text?.slice(0, 2) ?? '');
    expect(titles).toEqual(numbers.map(String));
  });

  it.each(['x', 'eC4x', '', Buffer.from('1.2.zz').toString('base64url')])(
    'refuse the cursor %j',
    async (cursor) => {
      const response = await fetch(`${api.url}/v1/crawls/${crawl}/pages?cursor=${cursor}`);
      expect(response.status).toBe(400);
    },
  );
});

describe('one page', () => {
  const at = (url: string, query = ''): string =>
    `${api.url}/v1/crawls/${crawl}/page?url=${encodeURIComponent(url)}${query}`;

  it('is told as in the list, by any spelling of its URL, with what is asked for', async () => {
    await addPage(pool, crawl, 'https://a.example/1', content);
    await addPage(pool, crawl, 'https://a.example/2', { ...content, title: 'Two' });
    await setState(pool, crawl, 'finished', 'complete');
    const page = await getOk<PageView>(at('HTTPS://A.example:443/./1#x', '&fields=links,text'));
    expect(page).toEqual((await feed('&fields=links,text')).items[0]);
    expect(page).toMatchObject({ title: 'One', text: 'a few words', links: ['https://a.example/2'] });
    expect(pageView.parse(page)).toEqual(page);
  });

  it('is refused where the crawl has no answer to the URL', async () => {
    await addUrl(pool, crawl, 'https://a.example/waits');
    const statuses = await Promise.all(
      ['https://a.example/waits', 'https://never.example/', 'mailto:a@b.example'].map(
        async (url) => (await fetch(at(url))).status,
      ),
    );
    expect(statuses).toEqual([404, 404, 422]);
  });
});

describe('audit', () => {
  it('finds nothing in a sound crawl', async () => {
    await addPage(pool, crawl, 'https://a.example/1', content);
    await addUrl(pool, crawl, 'https://b.example/');
    const audit = await get<AuditView>('/audit');
    expect(audit).toMatchObject({
      ok: true, balanced: true, hosts: 2, differences: [], ledger: { discovered: 2, queued: 1, done: 1 },
    }); // prettier-ignore
    expect(audit.recount).toEqual(audit.ledger);
    expect(auditView.parse(audit)).toEqual(audit);
  });

  it('leaves the database to others, however many ask for one at once', async () => {
    const crawls = [crawl, await newCrawl(pool), await newCrawl(pool)];
    const holder = createPool(services.world.databaseUrl, 1, () => undefined);
    const holding = await holdTable(holder, 'url');
    const asking = Array.from({ length: 30 }, (_, at) =>
      fetch(`${api.url}/v1/crawls/${String(crawls[at % crawls.length])}/audit`),
    );
    await expect.poll(() => holding.waiting()).toBeGreaterThan(0);
    // Were it held up by the audits, it would be answered once they are given up, and none would wait any more.
    const other = await fetch(`${api.url}/v1/crawls/${crawl}/ledger`);
    const held = await holding.waiting();
    await holding.release();
    await holder.end();
    expect(other.status).toBe(200);
    expect(held).toBe(1);
    // One is worked on and four wait; those that come meanwhile are refused.
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
  });

  const urls = (columns: UrlColumns) => (id: string) => tables.url.change(pool, { crawl_id: id }, columns);
  const ledger = (columns: Parameters<typeof tables.ledger.change>[2]) => (id: string) =>
    tables.ledger.change(pool, { crawl_id: id }, columns);
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['ledger.done', ledger({ done: 77 })],
    ['ledger.sum', ledger({ dead: 77 })],
    ['ledger.bytes', ledger({ bytes: 77 })],
    ['ledger.hosts', (id) => tables.queue.remove(pool, { crawl_id: id })],
    ['ledger.waiting_hosts', (id) => tables.queue.change(pool, { crawl_id: id }, { queued: 5 })],
    ['ledger.working_hosts', (id) => tables.queue.change(pool, { crawl_id: id }, { leased: 5 })],
    ['host.queued', (id) => tables.queue.change(pool, { crawl_id: id }, { queued: 5 })],
    ['host.total', (id) => tables.queue.remove(pool, { crawl_id: id })],
    ['failed-without-letter', urls({ state: 'failed' })],
    [
      'letter-without-failed',
      async (id) => {
        const { host_id: hostId, key } = await tables.url.row(pool, { crawl_id: id });
        await addLetter(pool, id, { hostId, key }, 'tls');
      },
    ],
    ['token-without-lease', urls({ lease_token: 1 })],
    ['staged-but-not-done', urls({ stage: 1, state: 'dead' })],
    ['read-without-page', (id) => tables.reading.remove(pool, { crawl_id: id })],
    ['alias-of-nothing', urls({ alias_host: 0, alias_key: Buffer.of(0) })],
    ['unknown-parent', urls({ parent_host: 0, parent_key: Buffer.of(0) })],
    [
      'closed.pending',
      async (id) => {
        await changeCrawl(pool, id, { state: 'finished' });
        await urls({ stage: 2 })(id);
      },
    ],
  ])('finds %s', async (check, damage) => {
    await addPage(pool, crawl, 'https://a.example/1', content);
    await damage(crawl);
    const audit = await get<AuditView>('/audit');
    expect(audit.ok).toBe(false);
    expect(audit.differences.map((difference) => difference.check)).toContain(check);
  });
});
