/**
 * What pages, searches, exports and changes say equals a model that keeps everything by URL, after any sequence of fetches,
 * changes, ends, deaths of processes, rankings, holds and re-extractions over a small web: a reading belongs to a body,
 * and a page points at it.
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
import type { PageView } from '../../../contracts/http/results.ts';
import { forgetDead } from '../../../storage/frontier/index.ts';
import { restartIndex } from '../../../storage/search/index.ts';
import { holdMissing } from '../../../storage/traps/index.ts';
import { allPages } from '../../support/all-pages.ts';
import { longAgo, tables, waitingForLocks } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';
import { runs } from '../../support/runs.ts';
import { until } from '../../support/until.ts';
import { admission, expectExact, keyOf, leased, moveCrawl, newHost, result, runningCrawl, takenLease, withFrontier } from './frontier.ts'; // prettier-ignore
import { dying, Followers } from './followers.ts';
import { nobodyRenders, unreadBodies } from './unread.ts';

const frontier = withFrontier();
const { pool, writer } = frontier;

const folder = ownFolder();
const lane = { shard: 0, lane: 0, lanes: 1 };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Two bodies have one text. */
const textOf = (body: string): string => (body === 'b1' ? 'b0' : body);
/** Re-extractions call a body by its title with this behind it, and tell the texts of all bodies apart. */
const again = / again.*$/;
const textOfTitle = (title: string): string =>
  again.test(title) ? title.replace(again, ' again') : textOf(title);
const bodies = ['b0', 'b1', 'b2', 'b3'];
const ends = ['dead', 'moved', 'failed'] as const;
const names = new Map(bodies.map((body) => [sha256(body), body]));
const few = { copies: 1, ofText: 9 };

const pageOf = (
  { content_id, host_id, crawl_id, key }: Pick<PageRow, 'content_id' | 'host_id' | 'crawl_id' | 'key'>,
  title: string,
): PageRow => ({
  ...{ content_id, host_id, crawl_id, key },
  ...{
    title,
    description: null,
    language: 'en',
    charset: 'utf-8',
    words: 20,
    links: 0,
  },
  ...{
    canonical: null,
    noindex: false,
    nofollow: false,
    text_hash: sha256(textOfTitle(title)),
  },
  ...{ meta: null, fields: null, outlinks: '', counters: [] },
});

/** What a page has answered last, and when. */
interface Answer {
  readonly answer: string;
  readonly micros: number;
}

/** What changes tell of an answer. */
interface Version {
  readonly status: number;
  readonly gone: boolean;
  readonly bodyHash: string | null;
}

/** A standing crawl of six pages of three sites, the first of which has a seed, and what each page has answered last. */
class Web {
  readonly crawl: number;
  readonly #urls: readonly { readonly host: number; readonly url: string }[];
  readonly followers: Followers;
  readonly #answers = new Map<string, Answer>();
  /** By URL, the answer that was compared last. */
  readonly #versions = new Map<string, Version & { readonly number: number }>();
  readonly #changes: (Version & {
    readonly url: string;
    readonly version: string;
  })[] = [];
  /** Up to which instant answers were compared, in microseconds. */
  #comparedTo = 0;
  /** Of the latest answer. */
  #latest = 0;
  /** By content: what its readings call it. */
  readonly #titles = new Map<number, { readonly own: string; readonly again: string | null }>();
  #job: string | null = null;
  #inUse = false;

  constructor(crawl: number, urls: readonly { readonly host: number; readonly url: string }[]) {
    this.crawl = crawl;
    this.followers = new Followers(pool, crawl, folder, (hash) => names.get(hash) ?? '');
    this.#urls = urls;
  }

  static async open(): Promise<Web> {
    const crawl = await runningCrawl(pool, { changes: true });
    await tables.standing.add(pool, {
      crawl_id: crawl,
      pages: 0,
      allowance: 0,
      queued: 0,
    });
    const sites = await Promise.all(
      [['/', '/x', '/y/z'], ['/', '/x'], ['/']].map(async (paths, at) => {
        const origin = `https://${String(at)}-${randomUUID()}.example`;
        const host = await newHost(pool, origin);
        return paths.map((path) => ({ host, url: origin + path }));
      }),
    );
    const urls = sites.flat();
    const web = new Web(crawl, urls);
    for (const at of urls.keys()) await web.#admit(at);
    return web;
  }

  async #admit(at: number): Promise<void> {
    const { host, url } = this.#at(at);
    await writer.write({
      admissions: [admission(host, this.crawl, url, { seed: at === 0, depth: at })],
    });
  }

  place(at: number) {
    return { crawl_id: this.crawl, key: this.#at(at).key };
  }

  #at(at: number): {
    readonly host: number;
    readonly url: string;
    readonly key: Buffer;
  } {
    const { host, url } = this.#urls[at] ?? { host: 0, url: '' };
    return { host, url, key: Buffer.from(keyOf(url), 'hex') };
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
    const { host, url } = this.#at(at);
    const place = this.place(at);
    if ((await tables.url.count(pool, place)) === 0) await this.#admit(at);
    const { state } = await tables.url.row(pool, place);
    if (state !== 'queued') {
      await tables.letter.remove(pool, place);
      await tables.url.change(pool, place, {
        state: 'queued',
        stage: 0,
        reason: 'recrawl',
      });
    }
    // The others wait meanwhile.
    await tables.url.changeAny(pool, { crawl_id: this.crawl, state: 'queued' }, { priority: 0.1 });
    await tables.url.change(pool, place, { priority: 0.9 });
    const token = await takenLease(pool, host);
    const [lease] = await leased(pool, host, token, 1);
    if (lease === undefined) throw new Error(`${url} was not leased`);
    const body = { content_hash: sha256(answer), content_type: 'text/html' };
    const named = {
      host_id: host,
      crawl_id: this.crawl,
      key: lease.key,
      content_id: -1,
    };
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
    // By a clock of the web's own, so that whoever waits for instants to be past need not wait.
    const fetched_at = new Date(began + answers++ * 2_000);
    await tables.url.change(pool, place, { fetched_at });
    this.#latest = fetched_at.getTime() * 1_000;
    this.#answers.set(url, { answer, micros: this.#latest });
    if (!isAtHand) return;
    const { content_id: id } = await tables.url.row(pool, place);
    this.#titles.set(id ?? 0, { own: answer, again: null });
  }

  /** @param dies the process claims the bodies and is killed */
  async judge(most: number, dies = false): Promise<number> {
    const staged = await unreadBodies(pool, storedStages.dedup, lane, most);
    if (staged.length === 0) return 0;
    const judged = createDedup({ pool: dies ? dying(pool, 4) : pool, rendering: nobodyRenders }, () =>
      Promise.resolve(),
    )(staged);
    await (dies ? expect(judged).rejects.toThrow('killed') : judged);
    return staged.length;
  }

  async read(most: number): Promise<number> {
    const staged = await unreadBodies(pool, storedStages.extract, lane, most);
    const title = ({ content_hash: hash }: StagedBody): string => names.get(hash.toString('hex')) ?? '';
    await writer.write({
      stages: staged.map(({ host_id, crawl_id, key }) => ({
        ...{
          host_id,
          crawl_id,
          key,
          from: 2,
          to: 0,
          alias_host: null,
          alias_key: null,
          content_id: null,
        },
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
    await restartIndex(pool, String(this.crawl));
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
          : [
              {
                ...before,
                title: `${String(before['title'])} again`,
                text_hash: sha256(textOfTitle(`${String(before['title'])} again`)),
                content_id,
                host_id,
                key,
                print: null,
              },
            ],
      );
      for (const { content_id: each, title } of found)
        this.#titles.set(each, { own: title.replace(/ again$/, ''), again: title });
      expect(await storeReextracted(pool, id, owner, JSON.stringify(found))).toHaveLength(1);
      after = last.content_id;
    }
    this.#job = id;
    await this.#ended(owner, 'finished', false);
  }

  /** Pages of the host are found to be none, and their copies there are held with them. */
  async hold(at: number): Promise<void> {
    const { host, key } = this.#at(at);
    const hold = (keys: readonly Buffer[]) =>
      holdMissing(
        pool,
        { host_id: host, crawl_id: this.crawl },
        keys.map((each) => each.toString('hex')),
        held,
      );
    if ((await hold([key])) === 0) return;
    const copies = { crawl_id: this.crawl, host_id: host, alias_host: host, alias_key: key };
    await hold((await tables.url.rows(pool, copies)).map((copy) => copy.key));
  }

  async release(): Promise<void> {
    await tables.url.changeAny(
      pool,
      { crawl_id: this.crawl, state: 'excluded' },
      { state: 'done', reason: 'fetched', detail: null },
    );
  }

  /** Forgets the pages that are gone. */
  async forget(): Promise<void> {
    await forgetDead(pool, 0, 9, 9, this.crawl, longAgo, 0, Buffer.alloc(0));
    const rows = await tables.url.rows(pool, { crawl_id: this.crawl });
    const known = new Set(rows.map(({ url }) => url));
    for (const { url } of this.#urls) {
      if (known.has(url)) continue;
      this.#answers.delete(url);
      this.#versions.delete(url);
    }
  }

  /** Compares answers, as far as no body before them waits to be read. */
  async follow(statements?: number): Promise<void> {
    await this.followers.followChanges(this.#latest, statements);
    const from = this.#comparedTo;
    this.#comparedTo = await this.followers.comparedTo();
    const states = new Map(
      (await tables.url.rows(pool, { crawl_id: this.crawl })).map(({ url, state }) => [url, state]),
    );
    const passed = [...this.#answers].sort(([, a], [, b]) => a.micros - b.micros);
    for (const [url, { answer, micros }] of passed) {
      const state = states.get(url) ?? '';
      if (micros <= from || micros > this.#comparedTo || !['done', 'dead'].includes(state)) continue;
      const before = this.#versions.get(url);
      const bodyHash = bodies.includes(answer) ? sha256(answer) : null;
      const status = bodyHash !== null ? 200 : answer === 'moved' ? 301 : 404;
      const version = { status, gone: answer === 'dead', bodyHash };
      if (before?.status === status && before.bodyHash === bodyHash) continue;
      const number = (before?.number ?? 0) + 1;
      this.#versions.set(url, { ...version, number });
      if (before !== undefined)
        this.#changes.push({
          ...version,
          url,
          version: `${String(this.crawl)}-${String(number)}`,
        });
    }
  }

  /** Everything that waits is done, and the crawl ends; before, a search has found each text. */
  async end(): Promise<void> {
    await this.workOff();
    await this.rank();
    await this.workOff();
    const rows = await tables.url.rows(pool, { crawl_id: this.crawl, state: 'done' });
    const there = new Map(rows.map(({ url }) => [url, textOf(this.#answers.get(url)?.answer ?? '')]));
    await this.followers.index();
    const found = (await this.followers.found()).map(([url]) => there.get(url));
    const texts = [...there.values()].filter((text) => bodies.includes(text));
    expect(new Set(found)).toEqual(new Set(texts));
    await moveCrawl(pool, this.crawl, 'finished');
    await expectExact(pool, this.crawl);
  }

  async workOff(): Promise<void> {
    for (let left = 1; left > 0;) {
      left =
        (await this.judge(9)) +
        (await this.read(9)) +
        (await tables.contentDue.count(pool, { crawl_id: this.crawl }));
      await this.settle();
    }
  }

  async expectTold(): Promise<void> {
    const pages = new Map<string, PageView>();
    for await (const page of allPages(pool, String(this.crawl))) pages.set(page.url, page);
    const rows = await tables.url.rows(pool, {
      crawl_id: this.crawl,
      fetches: not0,
    });
    const pointed = new Map(rows.map(({ url, content_id: id }) => [url, id]));
    /** By text, the pages that stand for its pages. */
    const standing = new Map<string, Set<string>>();
    for (const [url, { answer }] of this.#answers) {
      const content = pointed.get(url) ?? null;
      const { own, again } = this.#titles.get(content ?? 0) ?? {
        own: null,
        again: null,
      };
      const page = pages.get(url);
      if (!bodies.includes(answer)) {
        if (answer !== 'failed') expect([url, content, page?.title]).toEqual([url, null, null]);
        continue;
      }
      expect([url, page?.title]).toEqual([url, (this.#inUse ? again : null) ?? own]);
      expect(own?.replaceAll(' again', '')).toBe(answer);
      if (page?.state !== 'done') continue;
      let root = url;
      for (let steps = 0; (pages.get(root)?.duplicateOf ?? null) !== null; steps++) {
        expect(steps).toBeLessThan(9);
        root = pages.get(root)?.duplicateOf ?? '';
      }
      const text = textOfTitle(page.title ?? '');
      standing.set(text, (standing.get(text) ?? new Set<string>()).add(root));
    }
    // One page stands for each text, and it is there.
    const stand = [...standing.values()].map((roots) => [...roots]);
    expect(stand.map((roots) => roots.length)).toEqual(stand.map(() => 1));
    const originals = stand.flat().sort();
    expect(originals.map((url) => [url, pages.get(url)?.state])).toEqual(
      originals.map((url) => [url, 'done']),
    );
    await this.followers.index();
    expect(await this.followers.found()).toEqual(originals.map((url) => [url, pages.get(url)?.title]));
    expect(await this.followers.exported()).toEqual([...pages.values()]);
    await this.follow();
    expect(await this.followers.changes()).toMatchObject(this.#changes);
    expect(this.#changes).toHaveLength((await this.followers.changes()).length);

    const contents = await tables.content.rows(pool, { crawl_id: this.crawl });
    const kept = new Set([...pointed.values()].filter((id) => id !== null));
    expect(contents.map(({ id }) => id).sort()).toEqual([...kept].sort());
    // A page that failed before it was read points at a body that nobody has read.
    const answered = [...this.#answers].filter(([, { answer }]) => bodies.includes(answer));
    const read = new Set(
      (await tables.reading.rows(pool, { crawl_id: this.crawl })).map(({ content_id: id }) => id),
    );
    expect(answered.map(([url]) => pointed.get(url)).filter((id) => !read.has(id ?? 0))).toEqual([]);
    expect([...read].filter((id) => !kept.has(id))).toEqual([]);
  }
}
/** The quarantine. */
const held = { id: '1', shape: '/' };
const began = Date.now() - 7 * 86_400_000;
let answers = 0;
const not0 = Array.from({ length: 50 }, (_, at) => at + 1);

const step = fc.oneof(
  {
    weight: 16,
    arbitrary: fc
      .tuple(fc.nat(5), fc.constantFrom('b0', 'b0', ...bodies, ...ends, 'failed'), fc.boolean())
      .map(([at, answer, isRead]) => ({
        name: `fetch ${String(at)} ${answer}${isRead ? ', and work' : ''}`,
        run: async (web: Web): Promise<unknown> => {
          await web.fetch(at, answer);
          return isRead && web.work();
        },
      })),
  },
  ...[
    fc.nat(5).map((at) => ({
      name: `hold ${String(at)}`,
      run: (web: Web): Promise<unknown> => web.hold(at),
    })),
    fc.nat(12).map((n) => ({
      name: `index, killed at ${String(n)}`,
      run: (web: Web): Promise<unknown> => web.followers.index(n),
    })),
    fc.nat(8).map((n) => ({
      name: `follow, killed at ${String(n)}`,
      run: (web: Web): Promise<unknown> => web.follow(n),
    })),
  ].map((arbitrary) => ({ weight: 2, arbitrary })),
  ...[
    {
      name: 'index',
      run: (web: Web): Promise<unknown> => web.followers.index(),
    },
    { name: 'follow', run: (web: Web): Promise<unknown> => web.follow() },
  ].map((each) => ({ weight: 4, arbitrary: fc.constant(each) })),
  ...[
    { name: 'judge 1', run: (web: Web): Promise<unknown> => web.judge(1) },
    { name: 'judge', run: (web: Web): Promise<unknown> => web.judge(9) },
    {
      name: 'judge, killed',
      run: (web: Web): Promise<unknown> => web.judge(9, true),
    },
    { name: 'read 1', run: (web: Web): Promise<unknown> => web.read(1) },
    { name: 'read', run: (web: Web): Promise<unknown> => web.read(9) },
    { name: 'settle', run: (web: Web): Promise<unknown> => web.settle() },
    { name: 'rank', run: (web: Web): Promise<unknown> => web.rank() },
    { name: 'release', run: (web: Web): Promise<unknown> => web.release() },
    { name: 'forget', run: (web: Web): Promise<unknown> => web.forget() },
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
  await createDedup({ pool, rendering: nobodyRenders }, () => Promise.resolve())(late);
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
    await tables.url.rows(pool, {
      crawl_id: web.crawl,
      content_hash: Buffer.from(sha256('b2'), 'hex'),
    }),
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
      ...{
        host_id,
        crawl_id,
        key,
        from: 2,
        to: 0,
        alias_host: null,
        alias_key: null,
        content_id,
      },
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
  const print = {
    words: 9,
    simhash: '1',
    sketch: 'ab',
    numbers: 'cd',
    bands: ['1'],
  };
  await writer.write({
    prints: [{ crawl_id: web.crawl, content_id: 2 ** 40, ...print }],
  });
  expect(await tables.print.count(pool, { crawl_id: web.crawl })).toBe(0);
});

it('are told of a copy, where the page that stands for it fails', async () => {
  const web = await Web.open();
  for (const at of [1, 2]) {
    await web.fetch(at, 'b0');
    await web.work();
  }
  await web.fetch(1, 'failed');
  await web.end();
  await web.expectTold();
});

it('are told of a copy at another site, where the page that stands for it is held', async () => {
  const web = await Web.open();
  for (const at of [3, 5]) {
    await web.fetch(at, 'b0');
    await web.work();
  }
  await web.hold(3);
  await web.end();
  await web.expectTold();
});

it('are told of a copy at another site, where another copy is held', async () => {
  const web = await Web.open();
  for (const at of [1, 2, 3]) {
    await web.fetch(at, 'b0');
    await web.work();
  }
  await web.hold(2);
  await web.fetch(1, 'b2');
  await web.workOff();
  expect(await tables.url.row(pool, web.place(3))).toMatchObject({ state: 'done', alias_host: null });
  await web.end();
  await web.expectTold();
});

it('are found by a search while the crawl goes on, where a copy takes over', async () => {
  const web = await Web.open();
  for (const at of [1, 2]) {
    await web.fetch(at, 'b0');
    await web.work();
  }
  await web.followers.index();
  await web.fetch(1, 'b2');
  await web.workOff();
  await web.followers.index();
  expect(await web.followers.found()).toHaveLength(2);
});

it('are told by changes of each answer but a failure', async () => {
  const web = await Web.open();
  for (const answer of ['b0', 'failed', 'dead', 'moved', 'b0']) {
    await web.fetch(1, answer);
    await web.work();
    await web.follow();
  }
  await web.end();
  await web.expectTold();
});

it('are found by what the re-extraction in use calls them', async () => {
  const web = await Web.open();
  await web.fetch(1, 'b0');
  await web.work();
  await web.followers.index();
  await web.reextract('switch');
  await web.reextract('switch');
  await web.end();
  await web.expectTold();
});

it('are no copies of a page whose text was that of a body which they have left, when copies are ranked', async () => {
  const web = await Web.open();
  await web.fetch(4, 'b0');
  await web.work();
  await web.fetch(3, 'b0');
  await web.work();
  await web.fetch(0, 'b0');
  await web.work();
  await web.fetch(4, 'b2');
  await web.work();
  await web.rank();
  expect(await tables.url.row(pool, web.place(4))).toMatchObject({ alias_host: null });
  await web.end();
  await web.expectTold();
});

it('are no copies any more by a text that a re-extraction tells apart', async () => {
  const web = await Web.open();
  for (const [at, body] of ['b0', 'b1'].entries()) await web.fetch(at, body);
  await web.workOff();
  expect(await tables.url.row(pool, web.place(1))).toMatchObject({ alias_key: web.place(0).key });
  await web.reextract('switch');
  await web.reextract('switch');
  await web.end();
  await web.expectTold();
});

it('are found by their own name again, where a copy takes over and is read anew while a re-extraction is in use', async () => {
  const web = await Web.open();
  await web.fetch(4, 'b2');
  await web.work();
  await web.reextract('switch');
  await web.fetch(3, 'b2');
  await web.work();
  await web.fetch(4, 'b0');
  await web.reextract('switch');
  // The copy is indexed by what the re-extraction calls it, before it takes over and is read by its own URL.
  await web.followers.index();
  await web.end();
  await web.expectTold();
});
