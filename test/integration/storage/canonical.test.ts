/** Which of several pages with one body, or one text, stands for the others (F20), as the pages feed tells it. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { storedStages } from '../../../domain/stage.ts';
import { createDedup } from '../../../engine/reading/dedup.ts';
import { canonicalize } from '../../../domain/url.ts';
import { judgeCopies, packOutlinks, rankCopies, type PageRow } from '../../../storage/pages/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { releaseLease } from '../../../storage/leases/index.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { addTenant, changeCrawl, tables } from '../../support/database/index.ts';
import { allPages } from '../../support/all-pages.ts';
import {
  admission,
  expectExact,
  keyOf,
  leased,
  moveCrawl,
  newHost,
  result,
  runningCrawl,
  takenLease,
  withFrontier,
} from './frontier.ts';
import { nobodyRenders, unreadBodies } from './unread.ts';

const frontier = withFrontier();
const { pool } = frontier;
let crawl: number;
let hosts: Map<string, number>;
beforeEach(async () => {
  crawl = await runningCrawl(pool);
  hosts = new Map();
});

interface Fetched {
  /** As found. */
  readonly url: string;
  /** Its bytes are those of this name; default: its own. */
  readonly body?: string;
  /** Its text, where it has enough of it to tell; default: none. */
  readonly text?: string;
  readonly depth?: number;
  readonly seed?: boolean;
  /** What its body names as rel=canonical. */
  readonly canonical?: string;
  readonly links?: readonly string[];
  /** It is no page: it redirects there. */
  readonly redirectTo?: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hostOf = async (origin: string): Promise<number> => {
  const host = hosts.get(origin) ?? (await newHost(pool, origin));
  hosts.set(origin, host);
  return host;
};

const pageRow = (
  content_id: number | null,
  host: number,
  key: string,
  { url, body = url, text, canonical, links = [] }: Fetched,
): PageRow => ({
  ...{ content_id, host_id: host, crawl_id: crawl, key, title: body, description: null, language: 'en' },
  ...{ charset: 'utf-8', words: 20, links: 0, canonical: canonical ?? null, noindex: false },
  ...{ nofollow: false, text_hash: text === undefined ? null : sha256(text) },
  ...{ meta: null, fields: null, outlinks: packOutlinks(new URL(url).origin, links), counters: [] },
});

/** Takes URLs the way of every URL, one after another: found, fetched, judged, and read where they are originals. */
async function fetched(...urls: readonly Fetched[]): Promise<void> {
  const { writer } = frontier;
  const judge = createDedup({ ...frontier, rendering: nobodyRenders }, () => Promise.resolve());
  const all = { shard: 0, lane: 0, lanes: 1 };
  for (const page of urls) {
    const { url, body = url, depth = 1, seed = false, redirectTo } = page;
    const link = canonicalize(url);
    if (!link.ok) throw new Error(link.rejected);
    const host = await hostOf(link.value.host);
    const key = keyOf(link.value.canonical);
    await writer.write({ admissions: [admission(host, crawl, url, { key, depth, seed })] });
    const token = await takenLease(pool, host);
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error(`${url} was not new`);
    const row =
      redirectTo === undefined
        ? result(place, 'done', { stage: 1, content_hash: sha256(body) })
        : result(place, 'done', { reason: 'redirect', status: 301, redirect_to: redirectTo });
    await writer.write({ results: [row] });
    await releaseLease(pool, host, token, {
      waitMs: 0,
      paceMs: 0,
      failures: 0,
      lastError: null,
      visit: null,
    });
    const [staged] = await unreadBodies(pool, storedStages.dedup, all, 1);
    if (staged === undefined) continue;
    await judge([staged]);
    const [original] = await unreadBodies(pool, storedStages.extract, all, 1);
    if (original === undefined) continue;
    await writer.write({
      stages: [{ ...place, from: 2, to: 0, alias_host: null, alias_key: null, content_id: null }],
      pages: [pageRow(original.content_id, host, key, page)],
    });
  }
}

/** As the end of a crawl does. Answers how many pages changed their place. */
async function settle(): Promise<number> {
  const changed = await inTransaction(pool, (db) => rankCopies(db, crawl));
  await moveCrawl(pool, crawl, 'finished');
  await expectExact(pool, crawl);
  return changed;
}

/** Of each page: whose duplicate it is (null: nobody's), and the body that its title came from. */
async function canonicals(): Promise<Record<string, readonly [string | null, string | null]>> {
  const pages: Record<string, readonly [string | null, string | null]> = {};
  for await (const page of allPages(pool, String(crawl))) {
    if (page.redirectTo === null) pages[page.url] = [page.duplicateOf, page.title];
  }
  return pages;
}

/** Settles and expects `winner` to stand for all the others; each has the title of the one body. */
async function expectChosen(winner: string, ...others: readonly string[]): Promise<void> {
  await settle();
  const pages = await canonicals();
  expect(pages[winner]).toEqual([null, 'same']);
  for (const other of others) expect([other, pages[other]]).toEqual([other, [winner, 'same']]);
  expect(Object.keys(pages)).toEqual(expect.arrayContaining([winner, ...others]));
}

const a = 'https://a.example/long/way/to/the/page';
const b = 'https://a.example/page';
const c = 'https://b.example/page';
const same = (url: string, more: Partial<Fetched> = {}): Fetched => ({ url, body: 'same', ...more });

describe('of pages with one body stands for the others', () => {
  it('the one its own rel=canonical names, though found deeper, and redirects lead to another', async () => {
    const names = { canonical: a };
    await fetched(
      ...[same(b, { ...names, depth: 0 }), same(c, { ...names, depth: 1 }), same(a, { depth: 5 })],
      ...[1, 2].map((n) => ({ url: `https://b.example/moved/${String(n)}`, redirectTo: b })),
    );
    await expectChosen(a, b, c);
  });

  it('a chosen one for copies too that wait to be fetched again', async () => {
    await fetched(same(a, { depth: 5 }), same(b, { depth: 4 }), same(c, { depth: 0 }));
    await tables.url.change(pool, { crawl_id: crawl, url: b }, { state: 'queued', reason: 'recrawl' });
    await inTransaction(pool, (db) => rankCopies(db, crawl));
    await judgeCopies(pool, 60_000);
    const { key } = await tables.url.row(pool, { crawl_id: crawl, url: c });
    expect(await tables.url.row(pool, { crawl_id: crawl, url: b })).toMatchObject({
      state: 'queued',
      alias_key: key,
    });
    expect(await tables.url.row(pool, { crawl_id: crawl, url: a })).toMatchObject({ alias_key: key });
  });

  it('that one by its seen-key, where it was found in another spelling than the canonical one', async () => {
    const found = `${a}?utm_source=mail`;
    await fetched(same(b, { canonical: a }), same(found, { depth: 5 }));
    await expectChosen(found, b);
  });

  it('that one by its spelling, where rel=canonical names no canonical form', async () => {
    const found = `${a}?z=1&a=2`;
    await fetched(same(b, { canonical: found }), same(found, { depth: 5 }));
    await expectChosen(found, b);
  });

  it('else the one that redirects lead to, though found deeper', async () => {
    await fetched(
      ...[same(b), same(c), same(a, { depth: 5 })],
      ...[1, 2].map((n) => ({ url: `https://b.example/moved/${String(n)}`, redirectTo: a })),
      { url: 'https://b.example/moved/elsewhere', redirectTo: b },
    );
    await expectChosen(a, b, c);
  });

  it('else the one that pages of its site with its text name as theirs, though redirects lead to another', async () => {
    await fetched(
      ...[same(b, { text: 'told' }), same(a, { depth: 5 })],
      { url: 'https://b.example/moved', redirectTo: b },
      { url: 'https://a.example/print', canonical: a, text: 'told', depth: 6 },
    );
    await settle();
    expect(await canonicals()).toMatchObject({ [a]: [null, 'same'], [b]: [a, 'same'] });
  });

  it('else the one that most links lead to, from its own host and from others', async () => {
    await fetched(
      ...[same(b), same(c), same(a, { depth: 5 })],
      { url: 'https://a.example/1', links: [a, b, c] },
      { url: 'https://b.example/2', links: [a] },
    );
    await expectChosen(a, b, c);
  });

  it('and before that the one that a redirect leads to, however many links lead elsewhere', async () => {
    await fetched(
      ...[same(b), same(a, { depth: 5 })],
      { url: 'https://a.example/1', links: [b] },
      { url: 'https://b.example/moved', redirectTo: a },
    );
    await expectChosen(a, b);
  });

  it('but not for another crawl’s redirects and links', async () => {
    const mine = crawl;
    await fetched(same(b), same(a, { depth: 5 }));
    crawl = await runningCrawl(pool);
    await fetched(
      { url: 'https://b.example/moved', redirectTo: a },
      { url: 'https://b.example/', links: [a] },
    );
    crawl = mine;
    await expectChosen(b, a);
  });

  it('else the one nearest to a seed', async () => {
    await fetched(same(b, { depth: 2 }), same(a, { depth: 1 }));
    await expectChosen(a, b);
  });

  it.each([
    ['the shortest URL', [a, b], b],
    ['the first by name', [c, b], b],
  ])('at equal depth %s', async (_what, urls, winner) => {
    await fetched(...urls.map((url) => same(url)));
    await expectChosen(winner, ...urls.filter((url) => url !== winner));
  });

  it('whatever a rel=canonical names that no copy has', async () => {
    await fetched(same(a, { canonical: 'https://a.example/never/fetched', depth: 3 }), same(b));
    await expectChosen(b, a);
  });

  it('whatever pages that are not like it name: all pages of a site may name its home page', async () => {
    await fetched(
      ...[same(b), same(a, { depth: 5 })],
      ...[1, 2, 3].map((n) => ({ url: `https://a.example/${String(n)}`, canonical: a, text: String(n) })),
    );
    await expectChosen(b, a);
  });

  it('nobody, where a page has no copy or the same body lies in another crawl', async () => {
    await fetched(same(a));
    const mine = crawl;
    crawl = await runningCrawl(pool);
    await fetched(same(b));
    expect(await settle()).toBe(0);
    expect(await canonicals()).toEqual({ [b]: [null, 'same'] });
    crawl = mine;
    expect(await settle()).toBe(0);
    expect(await canonicals()).toEqual({ [a]: [null, 'same'] });
  });

  it('one again, after a crawl has gone on behind its end', async () => {
    await fetched(same(a, { depth: 3 }), same(c, { depth: 2 }));
    await expectChosen(c, a);
    expect(await settle()).toBe(0);
    await moveCrawl(pool, crawl, 'running');
    await fetched(same(b));
    await expectChosen(b, a, c);
  });
});

describe('a site with a seed', () => {
  const seedA = { url: 'https://a.example/', seed: true };
  const seedC = { url: 'http://www.b.example/', seed: true };

  it('has its pages read though another site has them too; at the end one stands for both', async () => {
    await fetched(seedA, seedC, same(a), same(c, { depth: 3 }), same(`${c}/again`, { depth: 4 }));
    expect(await titles()).toEqual([a, c]);
    expect(await settle()).toBe(1);
    expect(await canonicals()).toMatchObject({
      [a]: [null, 'same'],
      [c]: [a, 'same'],
      [`${c}/again`]: [c, 'same'],
    });
    expect(await titles()).toEqual([a, c]);
    expect(await settle()).toBe(0);
  });

  it('chooses among its own copies first, and is judged anew after the crawl has gone on', async () => {
    await fetched(
      seedA,
      seedC,
      same(a, { depth: 3 }),
      same(c, { depth: 3 }),
      same(`${c}/best`, { depth: 2 }),
    );
    await settle();
    expect(await canonicals()).toMatchObject({
      [a]: [`${c}/best`, 'same'],
      [c]: [`${c}/best`, 'same'],
      [`${c}/best`]: [null, 'same'],
    });
    await moveCrawl(pool, crawl, 'running');
    await fetched(same(`${a}/first`, { depth: 1 }));
    await settle();
    expect(await canonicals()).toMatchObject({
      [a]: [`${a}/first`, 'same'],
      [`${a}/first`]: [null, 'same'],
      [c]: [`${c}/best`, 'same'],
      [`${c}/best`]: [`${a}/first`, 'same'],
    });
    expect(await titles()).toEqual([`${a}/first`, `${c}/best`]);
  });

  it('and copies on sites without one are read once at most, whoever comes first', async () => {
    const d = 'https://d.example/page';
    const e = 'https://e.example/page';
    await fetched(seedA, same(d), same(a), same(e), same(c));
    expect(await titles()).toEqual([a, d]);
    crawl = await runningCrawl(pool);
    await fetched(seedA, same(a), same(d), same(e));
    expect(await titles()).toEqual([a]);
  });

  /** URLs that were read and have the same body. */
  async function titles(): Promise<string[]> {
    const pages = await tables.content.rows(pool, {
      crawl_id: crawl,
      hash: Buffer.from(sha256('same'), 'hex'),
    });
    const urls = await tables.url.rows(pool, { crawl_id: crawl, key: pages.map(({ key }) => key) });
    return urls.map(({ url }) => url);
  }
});

describe('of pages with one text and several bodies stands for the others', () => {
  const text = 'the very same words';
  const alike = (url: string, more: Partial<Fetched> = {}): Fetched => ({ url, text, ...more });

  it('the one that names itself; each keeps what was extracted of it', async () => {
    await fetched(
      ...[
        alike(b, { depth: 0, canonical: c }),
        alike(c, { canonical: b }),
        alike(a, { depth: 5, canonical: a }),
      ],
      { url: 'https://b.example/moved', redirectTo: b },
    );
    await settle();
    expect(await canonicals()).toEqual({ [a]: [null, a], [b]: [a, b], [c]: [a, c] });
  });

  it('else the one the others of its site name', async () => {
    await fetched(alike(b, { depth: 0, canonical: a }), alike(c, { canonical: a }), alike(a, { depth: 5 }));
    await settle();
    expect(await canonicals()).toEqual({ [a]: [null, a], [b]: [a, b], [c]: [a, c] });
  });

  it('but not the one that pages of another site name', async () => {
    await fetched(alike(b), alike(c, { canonical: a }), alike(a, { depth: 5 }));
    await settle();
    expect(await canonicals()).toEqual({ [b]: [null, b], [a]: [b, a], [c]: [b, c] });
  });

  it('nor one that names another itself: the end of a chain is believed, its links are not', async () => {
    const d = 'https://a.example/the/end/of/the/chain';
    await fetched(
      ...[alike(b, { depth: 0, canonical: a }), alike(`${b}/2`, { canonical: a })],
      ...[alike(a, { canonical: d, depth: 5 }), alike(d, { depth: 9 })],
    );
    await settle();
    expect(await canonicals()).toMatchObject({
      [d]: [null, d],
      [a]: [d, a],
      [b]: [d, b],
      [`${b}/2`]: [d, `${b}/2`],
    });
  });

  it('nor any of a loop', async () => {
    const d = 'https://a.example/a';
    await fetched(
      ...[
        alike(a, { canonical: b }),
        alike(b, { canonical: a }),
        alike(`${a}/2`, { canonical: a, depth: 2 }),
      ],
      alike(d, { depth: 0 }),
    );
    await settle();
    expect(await canonicals()).toMatchObject({
      [d]: [null, d],
      [a]: [d, a],
      [b]: [d, b],
      [`${a}/2`]: [d, `${a}/2`],
    });
  });

  it('else the one most links lead to', async () => {
    await fetched(...[alike(b, { depth: 0 }), alike(c, { links: [b, a] }), alike(a, { depth: 5 })], {
      url: 'https://b.example/',
      links: [a],
    });
    await settle();
    expect(await canonicals()).toMatchObject({ [a]: [null, a], [b]: [a, b], [c]: [a, c] });
  });

  it('else the one nearest to a seed', async () => {
    await fetched(alike(b, { depth: 2 }), alike(a, { depth: 1 }), alike(c, { depth: 3 }));
    await settle();
    expect(await canonicals()).toEqual({ [a]: [null, a], [b]: [a, b], [c]: [a, c] });
  });

  it('nobody, where there is too little text to tell', async () => {
    await fetched({ url: a }, { url: b });
    expect(await settle()).toBe(0);
    expect(await canonicals()).toEqual({ [a]: [null, a], [b]: [null, b] });
  });

  it('and exact copies stay with the page of their own body', async () => {
    await fetched(alike(a), alike(`${a}/copy`, { body: a, depth: 2 }), alike(b, { depth: 0 }));
    await settle();
    expect(await canonicals()).toEqual({ [b]: [null, b], [a]: [b, a], [`${a}/copy`]: [a, a] });
  });

  it('one again, without a chain, after a crawl has gone on behind its end', async () => {
    await fetched(alike(a, { depth: 3 }), alike(c, { depth: 2 }));
    await settle();
    expect(await canonicals()).toEqual({ [c]: [null, c], [a]: [c, a] });
    expect(await settle()).toBe(0);
    await moveCrawl(pool, crawl, 'running');
    await fetched(alike(b));
    await settle();
    expect(await canonicals()).toEqual({ [b]: [null, b], [a]: [b, a], [c]: [b, c] });
  });
});

describe('while a crawl goes on', () => {
  const text = 'told again and again';
  let most: number;
  beforeEach(() => {
    most = 1_000;
  });
  const alike = (url: string, more: Partial<Fetched> = {}): Fetched => ({ url, text, ...more });
  const judged = async (...urls: readonly Fetched[]): Promise<Record<string, string | null>> => {
    await fetched(...urls);
    await judgeCopies(pool, 60_000, { copies: 10, ofText: most });
    expect(await tables.textDue.rows(pool, { crawl_id: crawl })).toEqual([]);
    const rows = await tables.url.rows(pool, { crawl_id: crawl });
    const url = (key: Buffer | null): string | null => rows.find((row) => key?.equals(row.key))?.url ?? null;
    return Object.fromEntries(rows.map((row) => [row.url, url(row.alias_key)]));
  };

  it('pages with the same text are marked; one that names itself takes over, one that comes later does not', async () => {
    expect(await judged(alike(b), { url: 'https://b.example/', text: 'else' })).toMatchObject({ [b]: null });
    expect(await judged(alike(a))).toMatchObject({ [b]: null, [a]: b });
    expect(await judged(alike(c, { depth: 0 }))).toMatchObject({ [b]: null, [a]: b, [c]: b });
    const own = `${a}/own`;
    expect(await judged(alike(own, { canonical: own, depth: 9 }))).toEqual({
      ...{ [own]: null, [a]: own, [b]: own, [c]: own },
      'https://b.example/': null,
    });
    expect(await settle()).toBe(0);
  });

  it('what redirects and links decided at an end is kept', async () => {
    await judged(alike(b), alike(a, { depth: 5 }), { url: 'https://b.example/moved', redirectTo: a });
    await settle();
    await moveCrawl(pool, crawl, 'running');
    expect(await judged(alike(c, { depth: 0 }))).toMatchObject({ [a]: null, [b]: a, [c]: a });
  });

  it('a page that is alone with its text again stands for itself, and its former copies have another page', async () => {
    await judged(alike(b), alike(a), alike(c));
    await changeText(b, 'something new');
    expect(await judged()).toMatchObject({ [b]: null, [c]: null, [a]: c });
    await changeText(c, 'something else');
    expect(await judged()).toMatchObject({ [a]: null, [b]: null, [c]: null });
    await changeText(c, text);
    expect(await judged()).toMatchObject({ [a]: c, [b]: null, [c]: null });
  });

  it('of more pages with one text than are compared, each newcomer is marked, and their page stays', async () => {
    const first = alike(b);
    const others = [1, 2, 3, 4, 5, 6].map((n) => alike(`${b}/${String(n)}`));
    await judged(first);
    most = 3;
    expect(await judged(...others)).toEqual({
      [b]: null,
      ...Object.fromEntries(others.map(({ url }) => [url, b])),
    });
    const own = `${b}/own`;
    expect(await judged(alike(own, { canonical: own }))).toMatchObject({ [b]: null, [own]: b });
    await settle();
    const url = others[0]?.url ?? '';
    expect(await judged()).toMatchObject({ [own]: null, [b]: own, [url]: own });
  });

  it('pages that come in one commit are compared with each other', async () => {
    await judged({ url: a, text: 'one' }, { url: b, text: 'two' });
    const rows = await tables.url.rows(pool, { crawl_id: crawl });
    await frontier.writer.write({
      pages: rows.map((row) =>
        pageRow(row.content_id, row.host_id, row.key.toString('hex'), { url: row.url, text }),
      ),
    });
    expect(Object.values(await judged()).filter((alias) => alias !== null)).toHaveLength(1);
  });

  it('another crawl’s texts are no business of it', async () => {
    await judged(alike(b));
    crawl = await runningCrawl(pool);
    expect(await judged(alike(a))).toEqual({ [a]: null });
  });

  /** As if the page had been read again. */
  async function changeText(url: string, now: string): Promise<void> {
    const [row] = await tables.url.rows(pool, { crawl_id: crawl, url });
    if (row === undefined) throw new Error(`${url} is not there`);
    await frontier.writer.write({
      pages: [pageRow(row.content_id, row.host_id, row.key.toString('hex'), { url, text: now })],
    });
  }
});

describe('a body that another crawl of the tenant had first', () => {
  /** Of each page: the crawl and the page that had its body first; null: this crawl had. */
  const known = async (): Promise<Record<string, readonly [string, string] | null>> => {
    await moveCrawl(pool, crawl, 'finished');
    const pages: Record<string, readonly [string, string] | null> = {};
    for await (const { url, revisitOf } of allPages(pool, String(crawl)))
      pages[url] = revisitOf && [revisitOf.crawlId, revisitOf.url];
    return pages;
  };
  /** Two crawls of tenants, each with its pages, in this order; the second is the one that is looked at. */
  const inTwo = async (
    tenants: readonly number[],
    ...pages: readonly (readonly Fetched[])[]
  ): Promise<string> => {
    const first = crawl;
    for (const [n, some] of pages.entries()) {
      if (n > 0) crawl = await runningCrawl(pool);
      await changeCrawl(pool, crawl, { tenant_id: tenants[n] ?? 0 });
      await fetched(...some);
    }
    return String(first);
  };
  /** Each test has a tenant of its own: other tests have the same bodies. */
  let ours: readonly [number, number];
  beforeEach(async () => {
    const tenant = await addTenant(pool, `tenant ${String(Math.random())}`);
    ours = [tenant, tenant];
  });

  it('is told with that crawl and the page of the same URL there, else the one that stands for the body', async () => {
    const first = await inTwo(ours, [same(a), same(b)], [same(b), same(c), { url: 'https://a.example/new' }]);
    expect(await known()).toEqual({ [b]: [first, b], [c]: [first, a], 'https://a.example/new': null });
    const told = await explainUrlOf(pool, String(crawl), c, 'Test/1.0');
    expect(told?.record?.revisitOf).toMatchObject({ crawlId: first, url: a });
    expect(told?.decisions.find(({ verdict }) => verdict === 'revisit')?.because).toContain(
      `Crawl ${first} had`,
    );
    crawl = Number(first);
    expect(await known()).toEqual({ [a]: null, [b]: null });
  });

  it('by who had it first, not by which crawl began first', async () => {
    const first = await inTwo(ours, [], [same(a)]);
    const second = String(crawl);
    crawl = Number(first);
    await fetched(same(b));
    expect(await known()).toEqual({ [b]: [second, a] });
  });

  it('but never if that crawl is another tenant’s, whichever had the body first', async () => {
    const other = await addTenant(pool, `other ${String(Math.random())}`);
    const first = await inTwo([other, ours[1]], [same(a)], [same(a)]);
    expect(await known()).toEqual({ [a]: null });
    const second = String(crawl);
    crawl = await runningCrawl(pool);
    await changeCrawl(pool, crawl, { tenant_id: ours[1] });
    await fetched(same(a));
    expect(await known()).toEqual({ [a]: [second, a] });
    crawl = Number(first);
    expect(await known()).toEqual({ [a]: null });
  });

  it('nor of a crawl that is deleted', async () => {
    const first = await inTwo(ours, [same(a)], [same(a)]);
    await moveCrawl(pool, Number(first), 'cancelled');
    await changeCrawl(pool, Number(first), { removed_at: new Date() });
    expect(await known()).toEqual({ [a]: null });
  });
});
