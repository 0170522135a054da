/**
 * Previews of edits (G6): for each setting that may be edited, what the preview says is what the edit does, and what
 * undoes the edit leaves every URL, and the crawl, as they were.
 *
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { createCrawlActivities } from '../../../activities/crawls.ts';
import { workOut } from '../../support/stints.ts';
import { editJobs } from '../../../engine/edits/apply.ts';
import { wholeConfig, type CrawlConfig } from '../../../contracts/crawl.ts';
import type { CrawlEdit, EditPreview } from '../../../contracts/http/edits.ts';
import { defaultKeepFresh } from '../../../domain/recrawl/keep-fresh.ts';
import { previewEdit } from '../../../engine/edits/preview.ts';
import { loadCrawls } from '../../../storage/crawls/index.ts';
import { storeEdit, type EditOutcome } from '../../../storage/edits/index.ts';
import { asActivity } from '../../support/activity.ts';
import { changeCrawl, crawlState, fromNow, like, tables, urlLines } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { withFetching } from './fetching.ts';

const fetching = withFetching();
const { pool } = fetching;

/** Temporal is told nothing: what is looked at here stands in Postgres. */
const nobody = { signalWithStart: () => Promise.resolve() } as never;

/** The settings that the crawl has, and that each edit changes. */
const atFirst: Partial<CrawlConfig> = { maxPages: 100, maxSeconds: 900, exclude: ['*/hidden/*'] };
const origin = (setting: string): string => `https://${setting.toLowerCase()}.example`;

/** A crawl with a fetched page, six queued URLs and a sitemap that robots.txt names, and a URL that a rule excludes. */
async function newCrawl(setting: string): Promise<number> {
  const host = await fetching.host(origin(setting));
  const crawl = await fetching.crawl(atFirst, [`${host.origin}/`]);
  const long = `/long/${'x'.repeat(200)}`;
  await fetching.queue(
    crawl,
    host,
    ...['/', '/hidden/1', '/news/1', '/news/2', '/shop/logout', '/deep/1', '/typed', long, '/sitemap.xml'],
  );
  const put = (path: string, columns: object) =>
    tables.url.change(pool, { crawl_id: crawl, url: like(`%${path}`) }, columns);
  await put('.example/', {
    state: 'done',
    status: 200,
    reason: 'fetched',
    fetches: 1,
    fetched_at: fromNow(),
  });
  await put('/hidden/1', { state: 'excluded', reason: 'pattern', detail: '*/hidden/*' });
  await put('/deep/1', { depth: 9 });
  await put('/typed', { status: 200, content_type: 'application/pdf' });
  await put('/sitemap.xml', { kind: 1 });
  // Running for a minute.
  await changeCrawl(pool, crawl, { started_at: fromNow(-60) });
  return crawl;
}

const stands = (crawl: number): Promise<string[]> => urlLines(pool, { crawl_id: crawl }, 'state', 'reason');
const countOf = (lines: readonly string[], state: string): number =>
  lines.filter((line) => line.split(' ')[1] === state).length;

async function configOf(crawl: number): Promise<CrawlConfig> {
  const [row] = await loadCrawls(pool, [crawl]);
  return wholeConfig(row?.config ?? {});
}
const preview = async (crawl: number, to: CrawlConfig): Promise<EditPreview> =>
  previewEdit(pool, { id: String(crawl), config: await configOf(crawl) }, to, 60_000);
const edit = (crawl: number, to: CrawlConfig, mayEnd: boolean): Promise<EditOutcome> =>
  storeEdit(pool, String(crawl), {
    change: () => to,
    ...{ seen: null, author: 'key test', note: null, restores: null, mayEnd },
  });

/** The job of the edit is done, and then whatever the crawl's watch has its workflow do. */
async function takesEffect(crawl: number): Promise<void> {
  const crawlId = String(crawl);
  const dependencies = fetching.dependencies();
  const activities = createCrawlActivities(dependencies, nobody);
  await asActivity(() =>
    workOut(
      editJobs(dependencies, () => Promise.resolve()),
      crawlId,
    ),
  );
  const { verdict } = await asActivity(() => activities.watchCrawl({ crawlId, watchMs: 0 }));
  if (verdict === 'going' || verdict === 'moved' || verdict === 'complete') return;
  const { revision } = await asActivity(() => activities.lookAtCrawl({ crawlId }));
  const ending = { crawlId, state: 'draining', cause: verdict, reason: 'a limit', revision } as const;
  const draining = await asActivity(() => activities.setCrawlState(ending));
  expect(draining.state).toBe('draining');
  await asActivity(() => activities.drainCrawl({ crawlId, reason: 'a limit' }));
  await asActivity(() =>
    activities.settleCrawl({ crawlId, ending: verdict, reason: 'a limit', revision: draining.revision }),
  );
}

/** By setting: its new value, and what of the crawl that makes. */
const cases = {
  scope: { to: 'prefix', excluded: 0 },
  include: { to: ['*/news/*'], excluded: 4 },
  exclude: { to: ['*/news/*'], excluded: 2, readmitted: 1 },
  includeDomains: { to: ['elsewhere.example'], excluded: 6 },
  excludeDomains: { to: ['excludedomains.example'], excluded: 6 },
  maxUrlLength: { to: 100, excluded: 1 },
  contentTypes: { to: ['text/html'], excluded: 1 },
  maxPages: { to: 1, excluded: 7, ends: 'limit:max-pages' },
  maxDepth: { to: 3, excluded: 1 },
  maxSeconds: { to: 30, excluded: 7, ends: 'limit:max-seconds' },
  finish: { to: { any: [{ pages: 1 }] }, excluded: 7, ends: 'limit:finish-criteria' },
  keepFresh: { to: defaultKeepFresh, excluded: 0 },
  maxPagesPerHost: { to: 2, excluded: 0 },
  maxLinksPerPage: { to: 7, excluded: 0 },
  maxRedirects: { to: 9, excluded: 0 },
  delaySeconds: { to: 3, excluded: 0 },
  delayFactor: { to: 3, excluded: 0 },
  weight: { to: 3, excluded: 0 },
  priority: { to: { depth: 1 }, excluded: 0 },
  focus: { to: { words: ['news'], examples: [] }, excluded: 0 },
  trustedDomains: { to: ['news.example'], excluded: 0 },
  traps: { to: false, excluded: 0 },
  nearDuplicates: { to: true, excluded: 0 },
  boilerplate: { to: 'leave-out', excluded: 0 },
  changes: { to: true, excluded: 0 },
  versionsKept: { to: 2, excluded: 0 },
  soft404: { to: true, excluded: 0 },
  rules: { to: null, excluded: 0 },
  render: { to: 'never', excluded: 0 },
  renderAlways: { to: ['*/news/*'], excluded: 0 },
  renderNever: { to: ['*/news/*'], excluded: 0 },
  screenshot: { to: 'page', excluded: 0 },
  pdf: { to: true, excluded: 0 },
  retentionDays: { to: 3, excluded: 0 },
  headers: { to: { Cookie: 'id=1' }, excluded: 1 },
  sessionLinks: { to: true, excluded: 0 },
} satisfies Record<
  Exclude<keyof CrawlEdit, 'note' | 'mayEnd'>,
  { readonly to: unknown; readonly excluded: number; readonly readmitted?: number; readonly ends?: string }
>;

const sum = <K extends string>(parts: readonly Readonly<Record<K, number>>[], of: K): number =>
  parts.reduce((total, part) => total + part[of], 0);

describe('for each setting, the preview says what the edit does, and undoing the edit undoes that', () => {
  it.each(Object.entries(cases))('%s', async (setting, { to, excluded, ...effect }) => {
    const { readmitted = 0, ends = null } = { ...effect } as { readmitted?: number; ends?: string };
    const crawl = await newCrawl(setting);
    const first = await configOf(crawl);
    const before = await stands(crawl);
    const wanted: CrawlConfig = { ...first, [setting]: to };
    const there = await preview(crawl, wanted);
    expect(await stands(crawl)).toEqual(before);
    expect(there).toMatchObject({ excluded, readmitted, ends, goesOn: false, complete: true });
    for (const parts of [there.byRule, there.byHost])
      expect([sum(parts, 'excluded'), sum(parts, 'readmitted')]).toEqual([excluded, readmitted]);
    if (setting === 'exclude')
      expect(there.byRule).toEqual([
        { reason: 'pattern', rule: '*/news/*', excluded: 2, readmitted: 0 },
        { reason: 'pattern', rule: '*/hidden/*', excluded: 0, readmitted: 1 },
      ]);
    if (ends !== null) {
      expect(await edit(crawl, wanted, false)).toEqual({ kind: 'ends', by: ends });
      expect(await configOf(crawl)).toEqual(first);
    }
    const isChange = JSON.stringify(wanted) !== JSON.stringify(first);
    expect(await edit(crawl, wanted, ends !== null)).toMatchObject({ kind: isChange ? 'stored' : 'same' });
    await takesEffect(crawl);
    const after = await stands(crawl);
    expect(countOf(after, 'excluded') - countOf(before, 'excluded')).toBe(excluded - readmitted);
    expect(countOf(before, 'queued') - countOf(after, 'queued')).toBe(excluded - readmitted);
    expect(await crawlState(pool, crawl)).toBe(ends === null ? 'running' : 'finished');

    const back = await preview(crawl, first);
    expect(back).toMatchObject({
      ...{ excluded: readmitted, readmitted: excluded, ends: null, goesOn: ends !== null },
    });
    if (isChange) expect(await edit(crawl, first, false)).toMatchObject({ kind: 'stored' });
    await takesEffect(crawl);
    expect(await stands(crawl)).toEqual(before);
    expect(await crawlState(pool, crawl)).toBe('running');
    await expectExact(pool, crawl);
  });
});

describe('a crawl that ended at a limit', () => {
  it('takes no edit that leaves it there, and goes on by one that lifts the limit', async () => {
    const crawl = await newCrawl('lifted');
    const first = await configOf(crawl);
    await edit(crawl, { ...first, maxPages: 1 }, true);
    await takesEffect(crawl);
    const still = { ...first, maxPages: 1, exclude: [] };
    expect(await edit(crawl, still, true)).toMatchObject({ kind: 'over', cause: 'limit:max-pages' });
    expect(await edit(crawl, { ...first, maxPages: 2, exclude: ['*/news/*'] }, false)).toMatchObject({
      kind: 'stored',
    });
    await takesEffect(crawl);
    const lines = await stands(crawl);
    expect(lines.filter((line) => line.includes('crawl-limit'))).toEqual([]);
    expect(lines.filter((line) => line.includes('/news/'))).toEqual([
      `${origin('lifted')}/news/1 excluded pattern`,
      `${origin('lifted')}/news/2 excluded pattern`,
    ]);
    expect(countOf(lines, 'queued')).toBe(6);
    expect(await crawlState(pool, crawl)).toBe('running');
    await expectExact(pool, crawl);
  });
});
