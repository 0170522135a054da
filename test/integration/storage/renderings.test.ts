/**
 * What pages say equals a model, after any sequence of fetches, changes, ends, rankings and renderings over a small web
 * where one body says nothing without a browser: it is nobody's copy, and what the browser made of pages is compared.
 */
import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storedStages } from '../../../domain/stage.ts';
import { createDedup } from '../../../engine/reading/dedup.ts';
import { judgeCopies, rankCopies, type PageRow, type StagedBody } from '../../../storage/pages/index.ts';
import { noteWorker } from '../../../storage/instance/index.ts';
import { releaseLease } from '../../../storage/leases/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { allPages } from '../../support/all-pages.ts';
import { not, tables } from '../../support/database/index.ts';
import { runs } from '../../support/runs.ts';
import { admission, expectExact, keyOf, leased, moveCrawl, newHost, result, runningCrawl, takenLease, withFrontier } from './frontier.ts'; // prettier-ignore
import { unreadBodies } from './unread.ts';

const frontier = withFrontier();
const { pool, writer } = frontier;

const lane = { shard: 0, lane: 0, lanes: 1 };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Two bodies have one text. */
const textOf = (body: string): string => (body === 'b1' ? 'b0' : body);
const bodies = ['b0', 'b1', 'b2', 'b3'];
/** Says nothing without a browser, which makes of it what the page's place says; of two pages the same. */
const shell = 's0';
const made = ['d0', 'd1', 'd2', 'd3', 'd4'];
const madeAt = (at: number): string => made[Math.min(at, 4)] ?? '';
const rendering = { isThere: () => Promise.resolve(true) };
const ends = ['dead', 'moved', 'failed'] as const;
const few = { copies: 1, ofText: 9 };
const browser = randomUUID();

const pageOf = (
  { content_id, host_id, crawl_id, key }: Pick<PageRow, 'content_id' | 'host_id' | 'crawl_id' | 'key'>,
  title: string,
): PageRow => ({
  ...{ content_id, host_id, crawl_id, key },
  ...{ title, description: null, language: 'en', charset: 'utf-8', words: 20, links: 0 },
  ...{ canonical: null, noindex: false, nofollow: false, text_hash: sha256(textOf(title)) },
  ...{ meta: null, fields: null, outlinks: '', counters: [] },
});

/** A standing crawl of six pages of two sites, one of which has a seed, and what each page has answered last. */
class Web {
  readonly crawl: number;
  readonly #urls: readonly { readonly host: number; readonly url: string }[];
  readonly #answers = new Map<string, string>();
  /** By content: what its reading calls it. */
  readonly #titles = new Map<number, string>();
  /** Pages of which a browser could make nothing once. */
  readonly #givenUp = new Set<string>();

  constructor(crawl: number, urls: readonly { readonly host: number; readonly url: string }[]) {
    this.crawl = crawl;
    this.#urls = urls;
  }

  static async open(): Promise<Web> {
    const crawl = await runningCrawl(pool);
    if ((await tables.segment.count(pool, { name: 'made-up' })) === 0)
      await tables.segment.add(pool, { name: 'made-up', state: 'open', owner: randomUUID() });
    await tables.standing.add(pool, { crawl_id: crawl, pages: 0, allowance: 0, queued: 0 });
    const sites = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const origin = `https://${name}-${randomUUID()}.example`;
        return { host: await newHost(pool, origin), origin };
      }),
    );
    const urls = sites.flatMap(({ host, origin }) =>
      ['/', '/x', '/y/z'].map((path) => ({ host, url: origin + path })),
    );
    await writer.write({
      admissions: urls.map(({ host, url }, at) => admission(host, crawl, url, { seed: at === 0, depth: at })),
    });
    return new Web(crawl, urls);
  }

  /** Fetches a page once more; its body waits. */
  async fetch(at: number, answer: string): Promise<void> {
    const { host, url } = this.#urls[at] ?? { host: 0, url: '' };
    const key = Buffer.from(keyOf(url), 'hex');
    const { state, stage } = await tables.url.row(pool, { crawl_id: this.crawl, key });
    // A page that is being rendered is not fetched.
    if (stage > storedStages.extract) return;
    const place = { crawl_id: this.crawl, key };
    if (state !== 'queued') {
      await tables.letter.remove(pool, place);
      await tables.url.change(pool, place, { state: 'queued', stage: 0, reason: 'recrawl' });
    }
    // The others wait meanwhile.
    await tables.url.changeAny(pool, { crawl_id: this.crawl, state: 'queued' }, { priority: 0.1 });
    await tables.url.change(pool, place, { priority: 0.9 });
    const token = await takenLease(pool, host);
    const [lease] = await leased(pool, host, token, 1);
    if (lease === undefined) throw new Error(`${url} was not leased`);
    const body = { content_hash: sha256(answer), content_type: 'text/html' };
    const moved = { reason: 'redirect', status: 301, redirect_to: 'https://c.example/' } as const;
    const row =
      answer === 'dead' || answer === 'failed'
        ? result(lease, answer)
        : result(lease, 'done', answer === 'moved' ? moved : { stage: 1, ...body });
    await writer.write({ results: [row] });
    await releaseLease(pool, host, token, {
      waitMs: 0,
      paceMs: 0,
      failures: 0,
      lastError: null,
      visit: null,
    });
    this.#answers.set(url, answer);
  }

  async judge(most: number): Promise<number> {
    const staged = await unreadBodies(pool, storedStages.dedup, lane, most);
    if (staged.length > 0) await createDedup({ pool, rendering }, () => Promise.resolve())(staged);
    return staged.length;
  }

  async read(most: number): Promise<number> {
    const staged = await unreadBodies(pool, storedStages.extract, lane, most);
    const names = new Map([...bodies, ...made, shell].map((body) => [sha256(body), body]));
    const title = ({ content_hash: hash }: StagedBody): string => names.get(hash.toString('hex')) ?? '';
    await writer.write({
      stages: staged.map(({ host_id, crawl_id, key, content_hash: hash }) => ({
        ...{ host_id, crawl_id, key, from: 2, alias_host: null, alias_key: null, content_id: null },
        to: hash.toString('hex') === sha256(shell) ? 3 : 0,
      })),
      pages: staged.map((page) => {
        const row = pageOf(page, title(page));
        return title(page) === shell ? { ...row, text_hash: null, shell: 'mount' } : row;
      }),
    });
    for (const page of staged) this.#titles.set(page.content_id ?? 0, title(page));
    return staged.length;
  }

  /** A round for pages that wait for one. @param to 1: the browser has made something of them */
  async render(most: number, to: 0 | 1): Promise<number> {
    const staged = await unreadBodies(pool, storedStages.render, lane, most);
    const { id: segment } = await tables.segment.row(pool, { name: 'made-up' });
    const at = ({ url }: StagedBody): number => this.#urls.findIndex((each) => each.url === url);
    await writer.write({
      rounds: staged.map((page) => ({
        ...{ host_id: page.host_id, crawl_id: page.crawl_id, key: page.key, answer: sha256(shell), to },
        ...{ reason: 'mount', rounds: 1, crashes: 0, outcome: to === 1 ? 'settled' : 'crashed', lacks: 0 },
        ...{
          words_before: 0,
          links_before: 0,
          waits: [],
          admitted: 0,
          lacks_login: false,
          resources: [],
          refused: {},
          console: [],
        },
        ...{ navigation: null },
        ...(to === 1 && { body: sha256(madeAt(at(page))), segment, at: 0, length: 1 }),
      })),
    });
    if (to === 0) for (const { url } of staged) this.#givenUp.add(url);
    return staged.length;
  }

  async settle(): Promise<void> {
    await noteWorker(pool, browser, ['render'], null);
    await judgeCopies(pool, 60_000, few);
    const contents = await tables.content.rows(pool, { crawl_id: this.crawl });
    const ids = new Set(contents.map(({ id }) => id));
    const pointing = await tables.url.rows(pool, { crawl_id: this.crawl, content_id: not(null) });
    // No page points at a content that has gone.
    expect(pointing.filter(({ content_id: id }) => !ids.has(id ?? 0)).map(({ url }) => url)).toEqual([]);
  }

  rank(): Promise<number> {
    return inTransaction(pool, (db) => rankCopies(db, this.crawl));
  }

  /** Everything that waits is done, and the crawl ends. */
  async end(): Promise<void> {
    for (let left = 1; left > 0;) {
      left =
        (await this.judge(9)) +
        (await this.read(9)) +
        (await this.render(9, 1)) +
        (await tables.contentDue.count(pool, { crawl_id: this.crawl }));
      await this.settle();
    }
    await this.rank();
    await moveCrawl(pool, this.crawl, 'finished');
    await expectExact(pool, this.crawl);
  }

  async expectTold(): Promise<void> {
    const pages = new Map<string, { readonly title: string | null; readonly of: string | null }>();
    for await (const { url, title, duplicateOf } of allPages(pool, String(this.crawl)))
      pages.set(url, { title, of: duplicateOf });
    const rows = await tables.url.rows(pool, { crawl_id: this.crawl, fetches: not0 });
    const pointed = new Map(rows.map(({ url, content_id: id }) => [url, id]));
    const roots = new Map<string, Set<string>>();
    for (const [url, came] of this.#answers) {
      const isMade = came === shell && rows.some((row) => row.url === url && row.answer_hash !== null);
      if (came === shell) expect([url, isMade || this.#givenUp.has(url)]).toEqual([url, true]);
      const answer = isMade ? madeAt(this.#urls.findIndex((each) => each.url === url)) : came;
      const content = pointed.get(url) ?? null;
      const title = this.#titles.get(content ?? 0) ?? null;
      const page = pages.get(url);
      if (!hasBody(answer)) {
        if (answer !== 'failed') expect([url, content, page?.title]).toEqual([url, null, null]);
        continue;
      }
      expect([url, page?.title, title]).toEqual([url, answer, answer]);
      let root = url;
      for (let steps = 0; (pages.get(root)?.of ?? null) !== null; steps++) {
        expect(steps).toBeLessThan(9);
        root = pages.get(root)?.of ?? '';
      }
      roots.set(textOf(answer), (roots.get(textOf(answer)) ?? new Set<string>()).add(root));
    }
    // One page stands for each text.
    expect([...roots.values()].map(({ size }) => size)).toEqual([...roots.keys()].map(() => 1));
    const contents = await tables.content.rows(pool, { crawl_id: this.crawl });
    const kept = new Set([...pointed.values()].filter((id) => id !== null));
    expect(contents.map(({ id }) => id).sort()).toEqual([...kept].sort());
    // A page that failed before it was read points at a body that nobody has read.
    const answered = [...this.#answers].filter(([, answer]) => hasBody(answer));
    const read = new Set(
      (await tables.reading.rows(pool, { crawl_id: this.crawl })).map(({ content_id: id }) => id),
    );
    expect(answered.map(([url]) => pointed.get(url)).filter((id) => !read.has(id ?? 0))).toEqual([]);
    expect([...read].filter((id) => !kept.has(id))).toEqual([]);
  }
}
const hasBody = (answer: string): boolean => [...bodies, ...made, shell].includes(answer);
const not0 = Array.from({ length: 50 }, (_, at) => at + 1);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(5), fc.constantFrom(...bodies, ...bodies, shell, shell, shell, ...ends))
      .map(([at, answer]) => ({
        name: `fetch ${String(at)} ${answer}`,
        run: (web: Web): Promise<unknown> => web.fetch(at, answer),
      })),
  },
  ...[
    { name: 'judge 1', run: (web: Web): Promise<unknown> => web.judge(1) },
    { name: 'judge', run: (web: Web): Promise<unknown> => web.judge(9) },
    { name: 'read 1', run: (web: Web): Promise<unknown> => web.read(1) },
    { name: 'read', run: (web: Web): Promise<unknown> => web.read(9) },
    { name: 'render 1', run: (web: Web): Promise<unknown> => web.render(1, 1) },
    { name: 'render', run: (web: Web): Promise<unknown> => web.render(9, 1) },
    { name: 'give up 1', run: (web: Web): Promise<unknown> => web.render(1, 0) },
    { name: 'settle', run: (web: Web): Promise<unknown> => web.settle() },
    { name: 'rank', run: (web: Web): Promise<unknown> => web.rank() },
  ].map((each) => ({ weight: 1, arbitrary: fc.constant(each) })),
);

it('are what a model says, after any steps', { tags: ['long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const web = await Web.open();
      for (const { run } of steps) await run(web);
      await web.end();
      await web.expectTold();
    }),
    { numRuns: runs(60) },
  );
});

it('keep what was read of a shell while a page that points at it waits, and the page that stood for it has left', async () => {
  const web = await Web.open();
  await web.fetch(0, shell);
  await web.judge(9);
  await web.read(9);
  await web.fetch(1, shell);
  await web.judge(9);
  await web.render(1, 1);
  await web.judge(9);
  await web.settle();
  await web.end();
  await web.expectTold();
});
