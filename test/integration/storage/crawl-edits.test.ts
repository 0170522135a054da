/**
 * What keeps an edit and those who admit URLs apart (`hold_config`): nothing is admitted under settings that are no
 * longer in force, however long ago it was judged, and whatever was admitted before an edit is there for its job.
 */
import { describe, expect, it } from 'vitest';
import { Admission } from '../../../engine/admission/admission.ts';
import { candidate, type Candidate } from '../../../engine/admission/candidates.ts';
import { openBooks } from '../../../engine/books/books.ts';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import { canonicalize } from '../../../domain/url.ts';
import {
  endEdit,
  findConfig,
  readConfigs,
  storeEdit,
  type EditOutcome,
} from '../../../storage/edits/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { MemorySeenCache } from '../../../storage/seen/index.ts';
import { admitUrls, outdatedConfig, type FrontierWriter } from '../../../storage/frontier/index.ts';
import { changeCrawl, fromNow, tables, urlLines, waitingForLocks } from '../../support/database/index.ts';
import {
  admission,
  expectExact,
  keyOf,
  leased,
  newHost,
  result,
  runningCrawl,
  takenLease,
  withFrontier,
} from './frontier.ts';

const frontier = withFrontier();
const { pool } = frontier;

const edit = (crawl: number, changes: Partial<CrawlConfig>): Promise<EditOutcome> =>
  storeEdit(pool, String(crawl), {
    change: (config) => ({ ...config, ...changes }),
    seen: null,
    author: 'key test',
    note: null,
    restores: null,
    mayEnd: false,
  });
const urlsOf = (crawl: number): Promise<string[]> => urlLines(pool, { crawl_id: crawl }, 'state', 'reason');

describe('settings that were changed', () => {
  it('are not admitted under any more, and no company of such a write is held up', async () => {
    const [edited, other] = [await runningCrawl(pool), await runningCrawl(pool)];
    const host = await newHost(pool);
    expect(await edit(edited, { maxDepth: 3 })).toEqual({ kind: 'stored', version: 2, loginChanged: false });
    const late = frontier.writer.write({ admissions: [admission(host, edited, 'https://a.example/1')] });
    const fine = frontier.writer.write({ admissions: [admission(host, other, 'https://a.example/1')] });
    await expect(late).rejects.toMatchObject({ code: outdatedConfig });
    expect(await fine).toMatchObject({ admitted: 1 });
    expect([await urlsOf(edited), await urlsOf(other)]).toEqual([[], ['https://a.example/1 queued']]);
    const now = admission(host, edited, 'https://a.example/1', { config_version: 2 });
    expect(await frontier.writer.write({ admissions: [now] })).toMatchObject({ admitted: 1 });
    await expectExact(pool, edited);
  });

  it('wait for whoever admits under those there were', async () => {
    const crawl = await runningCrawl(pool);
    const [host, other] = [await newHost(pool), await newHost(pool)];
    let stored: EditOutcome | null = null;
    let storing: Promise<unknown> = Promise.resolve();
    await inTransaction(pool, async (db) => {
      await admitUrls(db, [admission(host, crawl, 'https://a.example/early')]);
      storing = edit(crawl, { maxDepth: 3 }).then((outcome) => (stored = outcome));
      // Asked within the transaction, which Postgres ends where it lies still for long.
      await expect.poll(() => waitingForLocks(db)).toBe(1);
      // Others may admit meanwhile: nobody but the edit waits.
      await frontier.writer.write({ admissions: [admission(other, crawl, 'https://b.example/too')] });
      expect(stored).toBeNull();
    });
    await storing;
    expect(stored).toEqual({ kind: 'stored', version: 2, loginChanged: false });
    expect(await urlsOf(crawl)).toHaveLength(2);
  });

  it('have what was judged before them judged anew', async () => {
    const crawl = await runningCrawl(pool, { scope: 'any' });
    const books = openBooks(pool, { userAgent: 'test/1', allowPrivate: [], shards: 1 });
    const open = await books.crawls.open(crawl);
    const parts = { seen: new MemorySeenCache(1_000), wakeHosts: () => undefined };
    const admitting = new Admission(parts, books);
    const found = ['https://a.example/shop', 'https://a.example/news', 'https://b.example/'].map(
      (url): Candidate => {
        const link = canonicalize(url);
        if (!link.ok) throw new Error(link.rejected);
        return candidate(open, link.value, { in: 'offer', depth: 1 });
      },
    );
    await edit(crawl, { exclude: ['*/shop'], excludeDomains: ['b.example'] });
    let writes = 0;
    const write: FrontierWriter['write'] = (rows) => {
      writes++;
      return frontier.writer.write(rows);
    };
    await admitting.store({ write }, found);
    expect(writes).toBe(2);
    expect(await urlsOf(crawl)).toEqual([
      'https://a.example/news queued',
      'https://a.example/shop excluded pattern',
      'https://b.example/ excluded domain',
    ]);
    await expectExact(pool, crawl);
  });

  it('exclude nothing any more: what a request was refused, or its body was not taken for, is queued again', async () => {
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool);
    const token = await takenLease(pool, host);
    await frontier.writer.write({
      admissions: ['ruled', 'robots', 'now'].map((name) =>
        admission(host, crawl, `https://a.example/${name}`),
      ),
    });
    await leased(pool, host, token, 3);
    await edit(crawl, { exclude: ['*.pdf'] });
    const place = (name: string) => ({
      host_id: host,
      crawl_id: crawl,
      key: keyOf(`https://a.example/${name}`),
      token,
    });
    await frontier.writer.write({
      results: [
        result(place('ruled'), 'excluded', { reason: 'pattern', detail: '*', config_version: 1 }),
        result(place('robots'), 'excluded', { reason: 'robots', detail: 'line 3' }),
        result(place('now'), 'excluded', { reason: 'pattern', detail: '*', config_version: 2 }),
      ],
    });
    expect(await urlsOf(crawl)).toEqual([
      'https://a.example/now excluded pattern',
      'https://a.example/robots excluded robots',
      'https://a.example/ruled queued',
    ]);
    await expectExact(pool, crawl);
  });
});

describe('an edit', () => {
  it('that changes nothing makes no version, in whatever order its fields stand', async () => {
    const crawl = await runningCrawl(pool, { exclude: ['*.pdf'] });
    expect(await edit(crawl, { exclude: ['*.pdf'], maxDepth: null })).toEqual({ kind: 'same', version: 1 });
    expect(await edit(crawl, { exclude: [] })).toEqual({ kind: 'stored', version: 2, loginChanged: false });
  });

  it('of a crawl that is at its limit, or was cancelled, is refused', async () => {
    const crawl = await runningCrawl(pool, { maxSeconds: 30 });
    await changeCrawl(pool, crawl, { started_at: fromNow(-60) });
    for (const [state, cause, kind] of [
      ['draining', null, 'over'],
      ['finished', 'limit:max-pages', 'over'],
      ['cancelled', 'cancelled', 'over'],
      ['finished', 'complete', 'stored'],
    ]) {
      await changeCrawl(pool, crawl, { state, cause });
      expect(await edit(crawl, { maxDepth: 5 })).toMatchObject({ kind });
    }
    expect(await edit(999_999, { maxDepth: 5 })).toEqual({ kind: 'unknown' });
  });
});

describe('versions', () => {
  it('end where the job has come to, and not where it has to begin once more meanwhile', async () => {
    const crawl = await runningCrawl(pool);
    await edit(crawl, { maxDepth: 3 });
    const state = async () => (await findConfig(pool, String(crawl), 2))?.state;
    await endEdit(pool, String(crawl), { version: 2, place: 'pages:7:00' }, 'applied');
    expect(await state()).toBe('pending');
    await endEdit(pool, String(crawl), { version: 2, place: null }, 'applied');
    expect(await state()).toBe('applied');
  });

  it('that are large are listed few at a time, and none is left out', async () => {
    const crawl = await runningCrawl(pool);
    const domains = (mark: string) =>
      Array.from({ length: 5_000 }, (_, n) => `${mark}${String(n)}.${'long.'.repeat(20)}example`);
    for (const mark of ['a', 'b', 'c']) await edit(crawl, { excludeDomains: domains(mark) });
    const found: number[] = [];
    let pages = 0;
    for (let from: number | null = 99; from !== null; pages++) {
      const page: Awaited<ReturnType<typeof readConfigs>> = await readConfigs(
        ...([pool, String(crawl), from, 100, 1_000_000] as const),
      );
      found.push(...page.rows.map(({ version }) => version));
      from = page.next;
    }
    expect(found).toEqual([4, 3, 2, 1]);
    expect(pages).toBe(3);
    expect(await readConfigs(pool, String(crawl), 99, 2, 1e9)).toMatchObject({
      rows: [{ version: 4 }, { version: 3 }],
      next: 2,
    });
  });

  it('are kept up to a thousand, the first among them', async () => {
    const crawl = await runningCrawl(pool);
    await edit(crawl, { maxDepth: 1 });
    const versions = Array.from({ length: 1_098 }, (_, at) => at + 3);
    await tables.config.addAll(
      pool,
      versions.map((version) => ({
        ...{ crawl_id: crawl, version, config: {}, state: 'applied', rereads: false },
      })),
    );
    await changeCrawl(pool, crawl, { config_version: 1_100 });
    expect(await edit(crawl, { maxDepth: 2 })).toEqual({
      kind: 'stored',
      version: 1_101,
      loginChanged: false,
    });
    const [first, ...kept] = await tables.config.rows(pool, { crawl_id: crawl });
    expect([first?.version, kept[0]?.version, kept.length]).toEqual([1, 102, 1_000]);
    expect(await findConfig(pool, String(crawl), 1)).toMatchObject({ config: { maxDepth: null } });
    expect(await findConfig(pool, String(crawl), 101)).toBeNull();
  });
});
