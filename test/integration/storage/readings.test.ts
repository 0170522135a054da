/**
 * What pages say equals a model, after any sequence of fetches, changes, ends, deaths of processes, rankings and
 * re-extractions over a small web: a reading belongs to a body, and a page points at it.
 */
import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storedStages } from '../../../domain/stage.ts';
import { createDedup } from '../../../engine/reading/dedup.ts';
import { judgeCopies, rankCopies, type PageRow, type StagedBody } from '../../../storage/pages/index.ts';
import { releaseLease } from '../../../storage/leases/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import {
  changeReextraction,
  keepReextracted,
  leaveReextraction,
  reextractionRows,
  removeReextracted,
  startReextraction,
  storeReextracted,
  walkPages,
} from '../../../storage/reextraction/index.ts';
import { allPages } from '../../support/all-pages.ts';
import { tables, waitingForLocks } from '../../support/database/index.ts';
import { runs } from '../../support/runs.ts';
import { until } from '../../support/until.ts';
import { admission, expectExact, keyOf, leased, moveCrawl, newHost, result, runningCrawl, takenLease, withFrontier } from './frontier.ts'; // prettier-ignore
import { unreadBodies } from './unread.ts';

const frontier = withFrontier();
const { pool, writer } = frontier;

const lane = { shard: 0, lane: 0, lanes: 1 };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Two bodies have one text. */
const textOf = (body: string): string => (body === 'b1' ? 'b0' : body);
const bodies = ['b0', 'b1', 'b2', 'b3'];
const ends = ['dead', 'moved', 'failed'] as const;
/** Its transactions are lost at their fourth statement. */
const dying = new Proxy(pool, {
  get: (target, name) =>
    name !== 'connect'
      ? (Reflect.get(target, name) as unknown)
      : async () => {
          const client = await target.connect();
          const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
          let left = 3;
          return Object.assign(Object.create(client) as typeof client, {
            query: (...args: readonly unknown[]) => {
              if (left-- === 0) throw new Error('killed');
              return query(...args);
            },
          });
        },
});
const few = { copies: 1, ofText: 9 };

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
  /** By content: what its readings call it. */
  readonly #titles = new Map<number, { readonly own: string; readonly again: string | null }>();
  #job: string | null = null;
  #inUse = false;

  constructor(crawl: number, urls: readonly { readonly host: number; readonly url: string }[]) {
    this.crawl = crawl;
    this.#urls = urls;
  }

  static async open(): Promise<Web> {
    const crawl = await runningCrawl(pool);
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
  fetch(at: number, answer: string): Promise<void> {
    return this.#fetch(at, answer, false);
  }

  /** Fetches a page that is asked for as if for the first time, and reads it with its result. */
  fetchAtHand(at: number, answer: string): Promise<void> {
    return this.#fetch(at, answer, true);
  }

  async #fetch(at: number, answer: string, isAtHand: boolean): Promise<void> {
    const { host, url } = this.#urls[at] ?? { host: 0, url: '' };
    const key = Buffer.from(keyOf(url), 'hex');
    const { state } = await tables.url.row(pool, { crawl_id: this.crawl, key });
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
    const named = { host_id: host, crawl_id: this.crawl, key: lease.key, content_id: -1 };
    await writer.write({
      ...(isAtHand && {
        claims: [{ ...named, hash: sha256(answer), origins: [] }],
        pages: [pageOf(named, answer)],
      }),
      results: [
        isAtHand
          ? result(lease, 'done', { ...body, content_id: -1 })
          : answer === 'dead'
            ? result(lease, 'dead')
            : answer === 'failed'
              ? result(lease, 'failed')
              : answer === 'moved'
                ? result(lease, 'done', {
                    reason: 'redirect',
                    status: 301,
                    redirect_to: 'https://c.example/',
                  })
                : result(lease, 'done', { stage: 1, ...body }),
      ],
    });
    await releaseLease(pool, host, token, {
      waitMs: 0,
      paceMs: 0,
      failures: 0,
      lastError: null,
      visit: null,
    });
    this.#answers.set(url, answer);
    if (!isAtHand) return;
    const { content_id: id } = await tables.url.row(pool, place);
    this.#titles.set(id ?? 0, { own: answer, again: null });
  }

  /** @param dies the process claims the bodies and is killed */
  async judge(most: number, dies = false): Promise<number> {
    const staged = await unreadBodies(pool, storedStages.dedup, lane, most);
    if (staged.length === 0) return 0;
    const judged = createDedup({ pool: dies ? dying : pool }, () => Promise.resolve())(staged);
    await (dies ? expect(judged).rejects.toThrow('killed') : judged);
    return staged.length;
  }

  async read(most: number): Promise<number> {
    const staged = await unreadBodies(pool, storedStages.extract, lane, most);
    const names = new Map(bodies.map((body) => [sha256(body), body]));
    const title = ({ content_hash: hash }: StagedBody): string => names.get(hash.toString('hex')) ?? '';
    await writer.write({
      stages: staged.map(({ host_id, crawl_id, key }) => ({
        ...{ host_id, crawl_id, key, from: 2, to: 0, alias_host: null, alias_key: null, content_id: null },
      })),
      pages: staged.map((page) => pageOf(page, title(page))),
    });
    for (const page of staged) this.#titles.set(page.content_id ?? 0, { own: title(page), again: null });
    return staged.length;
  }

  async work(): Promise<void> {
    await this.judge(9);
    await this.read(9);
  }

  settle(): Promise<void> {
    return judgeCopies(pool, 60_000, few);
  }

  rank(): Promise<number> {
    return inTransaction(pool, (db) => rankCopies(db, this.crawl));
  }

  /** Begins a re-extraction, or takes the next step with the one that there is. */
  async reextract(what: 'switch' | 'undo' | 'keep' | 'remove'): Promise<void> {
    const owner = randomUUID();
    if (this.#job === null) return this.#start(owner);
    if ((what === 'undo' || what === 'keep') !== this.#inUse) return;
    expect(await changeReextraction(pool, String(this.crawl), this.#job, what)).toBeNull();
    await reextractionRows.claim(pool, this.#job, owner);
    await this.#ended(owner, what === 'keep' ? 'kept' : 'finished', what === 'switch');
    this.#inUse = what === 'switch';
    if (what === 'switch' || what === 'undo') return;
    if (what === 'keep') {
      while (((await keepReextracted(pool, this.#job, String(this.crawl), 1))[0]?.rows ?? 0) > 0);
      await leaveReextraction(pool, String(this.crawl), this.#job);
      for (const [id, { own, again }] of this.#titles)
        this.#titles.set(id, { own: again ?? own, again: null });
    } else {
      while (((await removeReextracted(pool, this.#job, 1))[0]?.rows ?? 0) > 0);
      await reextractionRows.drop(pool, this.#job);
      for (const [id, { own }] of this.#titles) this.#titles.set(id, { own, again: null });
    }
    this.#job = null;
  }

  /** Nothing is left to do. */
  async #ended(owner: string, phase: 'finished' | 'kept', isInUse: boolean): Promise<void> {
    const [job] = await reextractionRows.find(pool, String(this.crawl), this.#job ?? '');
    const progress = { ...job?.progress, phase, isInUse, isSettled: true };
    const next = JSON.stringify({ state: 'finished', place: null, progress, error: null });
    expect(await reextractionRows.note(pool, this.#job ?? '', owner, next, false)).toHaveLength(1);
  }

  async #start(owner: string): Promise<void> {
    const id = await startReextraction(pool, String(this.crawl));
    if (typeof id !== 'string') throw new Error(id.refused);
    const [job] = await reextractionRows.claim(pool, id, owner);
    for (let after = 0; ;) {
      const walk = {
        crawlId: String(this.crawl),
        after,
        until: job?.detail.until ?? 0,
        limit: 1,
        mostLooked: 2,
      };
      const rows = await walkPages(pool, walk);
      const last = rows.at(-1);
      if (last === undefined) break;
      const found = rows.flatMap(({ content_id, host_id, key, before }) =>
        key === null
          ? []
          : [{ ...before, title: `${String(before['title'])} again`, content_id, host_id, key, print: null }],
      );
      for (const { content_id: each, title } of found)
        this.#titles.set(each, { own: title.replace(/ again$/, ''), again: title });
      expect(await storeReextracted(pool, id, owner, JSON.stringify(found))).toHaveLength(1);
      after = last.content_id;
    }
    this.#job = id;
    await this.#ended(owner, 'finished', false);
  }

  /** Everything that waits is done, and the crawl ends. */
  async end(): Promise<void> {
    for (let left = 1; left > 0;) {
      left =
        (await this.judge(9)) +
        (await this.read(9)) +
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
    for (const [url, answer] of this.#answers) {
      const content = pointed.get(url) ?? null;
      const { own, again } = this.#titles.get(content ?? 0) ?? { own: null, again: null };
      const page = pages.get(url);
      if (!bodies.includes(answer)) {
        if (answer !== 'failed') expect([url, content, page?.title]).toEqual([url, null, null]);
        continue;
      }
      expect([url, page?.title]).toEqual([url, (this.#inUse ? again : null) ?? own]);
      expect(own?.replaceAll(' again', '')).toBe(answer);
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
    const answered = [...this.#answers].filter(([, answer]) => bodies.includes(answer));
    const read = new Set(
      (await tables.reading.rows(pool, { crawl_id: this.crawl })).map(({ content_id: id }) => id),
    );
    expect(answered.map(([url]) => pointed.get(url)).filter((id) => !read.has(id ?? 0))).toEqual([]);
    expect([...read].filter((id) => !kept.has(id))).toEqual([]);
  }
}
const not0 = Array.from({ length: 50 }, (_, at) => at + 1);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(5), fc.constantFrom(...bodies, ...bodies, ...ends)).map(([at, answer]) => ({
      name: `fetch ${String(at)} ${answer}`,
      run: (web: Web): Promise<unknown> => web.fetch(at, answer),
    })),
  },
  ...[
    { name: 'judge 1', run: (web: Web): Promise<unknown> => web.judge(1) },
    { name: 'judge', run: (web: Web): Promise<unknown> => web.judge(9) },
    { name: 'judge, killed', run: (web: Web): Promise<unknown> => web.judge(9, true) },
    { name: 'read 1', run: (web: Web): Promise<unknown> => web.read(1) },
    { name: 'read', run: (web: Web): Promise<unknown> => web.read(9) },
    { name: 'settle', run: (web: Web): Promise<unknown> => web.settle() },
    { name: 'rank', run: (web: Web): Promise<unknown> => web.rank() },
    ...(['switch', 'undo', 'keep', 'remove'] as const).map((what) => ({
      name: `reextract, ${what}`,
      run: (web: Web): Promise<unknown> => web.reextract(what),
    })),
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

it('lose no body to which a page still points that failed, when another page took it over and left it', async () => {
  const web = await Web.open();
  await web.fetch(1, 'b0');
  await web.work();
  await web.fetch(1, 'failed');
  await web.fetch(2, 'b0');
  await web.work();
  await web.fetch(2, 'b2');
  await web.work();
  await web.end();
  await web.expectTold();
});

it('are those of a copy, where the page that stands for a body fails before it was read', async () => {
  const web = await Web.open();
  await web.fetch(3, 'b2');
  await web.fetch(0, 'b2');
  await web.judge(9);
  await web.fetch(0, 'failed');
  await web.end();
  await web.expectTold();
});

it('go with a body that was claimed for a page which had another one by then', async () => {
  const web = await Web.open();
  await web.fetch(1, 'b0');
  const late = await unreadBodies(pool, storedStages.dedup, lane, 9);
  await web.work();
  await web.fetch(1, 'b2');
  await web.work();
  await web.settle();
  await createDedup({ pool }, () => Promise.resolve())(late);
  await web.end();
  await web.expectTold();
});

it('are of the new body where a copy that failed is read at hand once more', async () => {
  const web = await Web.open();
  for (const at of [1, 2]) {
    await web.fetch(at, 'b0');
    await web.work();
  }
  await web.fetch(2, 'failed');
  await web.fetchAtHand(2, 'b2');
  await web.fetch(1, 'failed');
  await web.fetchAtHand(1, 'b3');
  await web.end();
  await web.expectTold();
});

it('are no copy’s of a page whose body a page has left while copies were ranked', async () => {
  const web = await Web.open();
  // The page nearest to the seed is to stand for the others, and came last.
  for (const at of [5, 4, 3]) {
    await web.fetch(at, 'b0');
    await web.work();
  }
  const ranked = await inTransaction(pool, async (db) => {
    await tables.content.change(db, { crawl_id: web.crawl }, { tenant_id: 1 });
    const ranking = web.rank();
    await until('the ranking waits', async () => (await waitingForLocks(db)) > 0);
    await web.fetch(4, 'b2');
    await web.work();
    return { ranking };
  });
  await ranked.ranking;
  await web.settle();
  expect(
    await tables.url.rows(pool, { crawl_id: web.crawl, content_hash: Buffer.from(sha256('b2'), 'hex') }),
  ).toMatchObject([{ alias_host: null }]);
  await web.end();
  await web.expectTold();
});

it('are not taken for those of a body that came while another one was read', async () => {
  const web = await Web.open();
  await web.fetch(1, 'b0');
  await web.judge(9);
  const late = await unreadBodies(pool, storedStages.extract, lane, 9);
  await web.read(9);
  await web.fetch(1, 'b2');
  await web.judge(9);
  await writer.write({
    stages: late.map(({ host_id, crawl_id, key, content_id }) => ({
      ...{ host_id, crawl_id, key, from: 2, to: 0, alias_host: null, alias_key: null, content_id },
    })),
  });
  await web.end();
  await web.expectTold();
});

it('by a re-extraction are none of a body that goes while they are stored', async () => {
  const web = await Web.open();
  await web.fetch(1, 'b0');
  await web.work();
  const made = await inTransaction(pool, async (db) => {
    await tables.content.remove(db, { crawl_id: web.crawl });
    let isOver = false;
    const making = web.reextract('switch').finally(() => (isOver = true));
    await until('it waits, or is over', async () => isOver || (await waitingForLocks(db)) > 0);
    return { making };
  });
  await made.making;
  expect(await tables.reading.rows(pool, { crawl_id: web.crawl })).toEqual([]);
});

it('have no fingerprint where their body has gone', async () => {
  const web = await Web.open();
  const print = { words: 9, simhash: '1', sketch: 'ab', numbers: 'cd', bands: ['1'] };
  await writer.write({ prints: [{ crawl_id: web.crawl, content_id: 2 ** 40, ...print }] });
  expect(await tables.print.count(pool, { crawl_id: web.crawl })).toBe(0);
});
