/**
 * Changes of pages: told by comparing two crawls, or the visits of one, each once and in the order of the answers.
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { differences, versionsOf } from '../../../engine/changes/differences.ts';
import { followChanges, followCrawl } from '../../../engine/changes/follow.ts';
import { createVersionReader, type ReadAnswer } from '../../../engine/changes/read-version.ts';
import { runRecrawl } from '../../../engine/recrawl/run.ts';
import { defaultKeepFresh } from '../../../domain/recrawl/keep-fresh.ts';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import type { VersionChange } from '../../../contracts/http/changes.ts';
import { freeBodies, markRemoved, removeBatch } from '../../../storage/crawls/index.ts';
import { readEvents } from '../../../storage/events/index.ts';
import { createWebhook } from '../../../storage/webhooks/index.ts';
import { changeCrawl, fromNow, tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { moveCrawl } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { redirect, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
const read = createVersionReader(fetching.blobs);

const article = (about: string): string =>
  Array.from({ length: 900 }, (_, at) => `${about}${String((at * 7919) % 1_000)}`).join(' ');
/** A page whose bytes differ with each answer, and its text only if told so. */
const page =
  (title: string, text: string): Answer =>
  (response, _request, count) => {
    const html = `<!doctype html><title>${title}</title><!-- ${String(count)} --><main><p>${text}</p></main>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  };
const picture =
  (bytes: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
  };

interface Crawl {
  readonly id: number;
  readonly site: Site;
  readonly host: HostRow;
}

async function fetchAll({ host }: Pick<Crawl, 'host'>): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await fetching.role().fetchSlice(host);
    await readBodies(fetching, host);
  }
}

async function crawled(
  site: Site,
  host: HostRow,
  paths: readonly string[],
  config: Partial<CrawlConfig>,
): Promise<Crawl> {
  const id = await fetching.crawl({ scope: 'host', ...config }, [`${site.origin}/`]);
  await fetching.queue(id, host, ...paths);
  await changeCrawl(pool, id, { seeded_line: 1 });
  const crawl = { id, site, host };
  await fetchAll(crawl);
  return crawl;
}

const follow = ({ id }: Crawl, most?: number): Promise<number> =>
  followCrawl(pool, read, String(id), () => true, most);

/** Answers are compared once they are older than every open transaction, after a second at least. */
async function followed(crawl: Crawl, answers: number): Promise<void> {
  let compared = 0;
  await until(`${String(answers)} answers are compared`, async () => {
    compared += await follow(crawl);
    return compared >= answers;
  });
  expect(compared).toBe(answers);
}

async function feed({ id, site }: Crawl): Promise<(readonly [string, readonly string[]])[]> {
  const events = await readEvents(pool, String(id), '0', 1_000, ['page.changed']);
  return events.map(({ data }) => {
    const { url, fields } = data as unknown as VersionChange;
    return [url.slice(site.origin.length), fields];
  });
}

const diffOf = ({ id, site }: Crawl, path: string, from?: string, to?: string) =>
  differences(pool, read, String(id), site.origin + path, from, to);
const versions = async ({ id, site }: Crawl, path: string): Promise<string[]> =>
  (await versionsOf(pool, String(id), site.origin + path)).map(({ version }) => version);

describe('the second crawl of a site', () => {
  const paths = ['/', '/edited', '/counted', '/gone', '/moved', '/picture', '/same', '/titled'];
  const first = {
    '/': page('Home', article('home')),
    '/edited': page('Edited', `${article('edited')} as it was`),
    '/counted': page('Counted', `${article('counted')} seen 17 times`),
    '/gone': page('Gone', article('gone')),
    '/moved': page('Moved', article('moved')),
    '/picture': picture('some bytes'),
    '/same': page('Same', article('same')),
    '/titled': page('Titled', article('titled')),
    '/new': status(404),
  };
  const second = {
    ...first,
    '/edited': page('Edited', `${article('edited')} with three other words`),
    '/counted': page('Counted', `${article('counted')} seen 18 times`),
    '/gone': status(410),
    '/moved': redirect('/same'),
    '/picture': picture('other bytes'),
    '/titled': page('Titled anew', article('titled')),
    '/new': page('New', article('new')),
  };

  it('tells exactly what changed, once, in the order of the answers, with versions and differences', async () => {
    const site = await startSite(first);
    const host = await fetching.host(site.origin);
    const before = await crawled(site, host, paths, {});
    await moveCrawl(pool, before.id, 'finished');
    site.answers = second;
    const after = await crawled(site, host, [...paths, '/new'], { changes: true });
    await moveCrawl(pool, after.id, 'finished');
    // Crawls that do not ask for changes are not followed.
    await followChanges(pool, read, 60_000);
    expect(await feed(before)).toEqual([]);
    const changed = {
      '/edited': ['text'],
      '/counted': ['text'],
      '/gone': ['status'],
      '/moved': ['status', 'redirectTo'],
      '/picture': ['body'],
      '/titled': ['title'],
    };
    const told = await feed(after);
    expect(Object.fromEntries(told)).toEqual(changed);
    expect(told).toHaveLength(Object.keys(changed).length);
    const urls = await fetching.urls(after.id, site.origin);
    const order = told.map(([path]) => urls[path]?.fetched_at?.getTime() ?? 0);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    // Everything was compared, and is not compared again.
    expect(await tables.crawlChanges.row(pool, { crawl_id: after.id })).toMatchObject({
      ...{ is_over: true, compared: paths.length + 1, changed: 6, lost: 0 },
    });
    await followChanges(pool, read, 60_000);
    expect(await feed(after)).toEqual(told);

    const [events] = [await readEvents(pool, String(after.id), '0', 1_000, ['page.changed'])];
    const edited = events.find(({ data }) => data.url === `${site.origin}/edited`)?.data;
    expect(edited).toMatchObject({ wordsAdded: 4, wordsRemoved: 3, version: `${String(after.id)}-1` });
    expect(events.find(({ data }) => data.url === `${site.origin}/counted`)?.data).toMatchObject({
      minor: true,
    });
    expect(await versions(after, '/edited')).toEqual([`${String(after.id)}-1`, `${String(before.id)}-0`]);
    const diff = await diffOf(after, '/edited');
    if (typeof diff === 'string') throw new Error(diff);
    expect(diff.fields).toEqual([]);
    expect(diff.text?.parts.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'removed', text: 'as it was', lines: 0 },
      { kind: 'added', text: 'with three other words', lines: 0 },
    ]);
    expect(await diffOf(after, '/titled')).toMatchObject({
      fields: [{ field: 'title', before: 'Titled', after: 'Titled anew' }],
    });
    expect(await diffOf(after, '/new')).toBe('no-version');
  });

  it('tells nothing twice and misses nothing where a process is overtaken or ends while it compares', async () => {
    const site = await startSite(first);
    const host = await fetching.host(site.origin);
    const before = await crawled(site, host, paths, {});
    await moveCrawl(pool, before.id, 'finished');
    site.answers = second;
    const after = await crawled(site, host, paths, { changes: true });
    await moveCrawl(pool, after.id, 'finished');
    const id = String(after.id);
    const dies: ReadAnswer = () => Promise.reject(new Error('the process has died'));
    await expect(followCrawl(pool, dies, id, () => true)).rejects.toThrow('has died');
    expect(await feed(after)).toEqual([]);
    // Another process has the crawl, and is at work.
    await tables.crawlChanges.change(pool, { crawl_id: after.id }, { claimed_until: fromNow(60) });
    expect(await follow(after)).toBe(0);
    await tables.crawlChanges.change(pool, { crawl_id: after.id }, { claimed_until: fromNow(-1) });
    let isOvertaken = false;
    const late: ReadAnswer = async (...what) => {
      if (!isOvertaken) {
        isOvertaken = true;
        await tables.crawlChanges.change(pool, { crawl_id: after.id }, { claimed_until: fromNow(-1) });
        expect(await follow(after)).toBe(paths.length);
      }
      return read(...what);
    };
    expect(await followCrawl(pool, late, id, () => true)).toBe(0);
    expect(await feed(after)).toHaveLength(6);
    expect(new Set((await feed(after)).map(([path]) => path)).size).toBe(6);
    expect(await tables.crawlChanges.row(pool, { crawl_id: after.id })).toMatchObject({
      changed: 6,
    });
  });

  it('keeps the latest events, counts the others, and removes none that a webhook has still to send', async () => {
    const site = await startSite(first);
    const host = await fetching.host(site.origin);
    await moveCrawl(pool, (await crawled(site, host, paths, {})).id, 'finished');
    site.answers = second;
    const after = await crawled(site, host, paths, { changes: true });
    await moveCrawl(pool, after.id, 'finished');
    const webhook = { url: 'https://example.com/hook', kinds: ['page.changed'], crawlId: String(after.id) };
    const made = await createWebhook(pool, 1, webhook);
    expect(made).not.toBeNull();
    expect(await follow(after)).toBe(paths.length);
    const told = await feed(after);
    await followCrawl(pool, read, String(after.id), () => true, 2);
    expect(await feed(after)).toEqual(told);
    const [earliest, , third] = await readEvents(pool, String(after.id), '0', 9, ['page.changed']);
    await tables.cursor.change(pool, { crawl_id: after.id }, { settled: Number(earliest?.id) });
    await followCrawl(pool, read, String(after.id), () => true, 2);
    expect(await feed(after)).toEqual(told.slice(1));
    await tables.cursor.change(pool, { crawl_id: after.id }, { settled: Number(third?.id) + 3 });
    await followCrawl(pool, read, String(after.id), () => true, 2);
    expect(await feed(after)).toEqual(told.slice(4));
    expect(await tables.crawlChanges.row(pool, { crawl_id: after.id })).toMatchObject({
      forgotten: 4,
    });
  });

  it('tells the fields of its rules, and leaves out what they leave out', async () => {
    const shop = (price: string, news: string): Answer =>
      page('Shop', `<b class=price>${price}</b> ${article('shop')}</p><p class=news>${news}`);
    const site = await startSite({ '/': shop('9.50', 'Old news'), '/other': shop('7', 'Old news') });
    const host = await fetching.host(site.origin);
    const before = await crawled(site, host, ['/', '/other'], {});
    await moveCrawl(pool, before.id, 'finished');
    site.answers = { '/': shop('8.25', 'New news'), '/other': shop('7', 'New news') };
    const rules = {
      fields: { price: { select: '.price', type: 'number' } },
      ...{ include: [], exclude: ['.news'], links: { follow: [] } },
    } as const;
    const after = await crawled(site, host, ['/', '/other'], { changes: true, rules });
    await moveCrawl(pool, after.id, 'finished');
    await followChanges(pool, read, 60_000);
    expect(await feed(after)).toEqual([['/', ['fields.price', 'text']]]);
    expect(await diffOf(after, '/')).toMatchObject({
      fields: [{ field: 'fields.price', before: 9.5, after: 8.25 }],
    });
  });
});

describe('a standing crawl', () => {
  const run = ({ id }: Crawl): ReturnType<typeof runRecrawl> => runRecrawl(pool, String(id), () => true);
  async function fetchedAgain(crawl: Crawl): Promise<void> {
    await until('its visits are noted', async () => (await run(crawl)).noted >= 0 && (await isNoted(crawl)));
    await tables.history.change(
      pool,
      { crawl_id: crawl.id },
      { seen_at: fromNow(-2 * 86_400), next_due: fromNow(-1) },
    );
    await tables.standing.change(pool, { crawl_id: crawl.id }, { allowed_at: fromNow(-2 * 86_400) });
    expect((await run(crawl)).queued).toBe(2);
    await fetchAll(crawl);
  }
  const isNoted = async ({ id }: Crawl): Promise<boolean> => {
    const rows = await tables.history.rows(pool, { crawl_id: id });
    return rows.length === 2 && rows.every(({ next_due: due }) => due !== null);
  };

  it('compares each visit before the next, and keeps the bodies of the latest versions', async () => {
    const site = await startSite({
      '/': page('Start', article('start')),
      '/news': page('News', article('one')),
    });
    const host = await fetching.host(site.origin);
    const keepFresh = { ...defaultKeepFresh, requestsPerDay: 100_000 };
    const crawl = await crawled(site, host, ['/', '/news'], { keepFresh, changes: true, versionsKept: 2 });
    const id = String(crawl.id);
    expect((await run(crawl)).noted).toBe(0);
    await followed(crawl, 2);
    expect(await versions(crawl, '/news')).toEqual([`${id}-1`]);
    for (const text of ['two', 'three']) {
      site.answers = { ...site.answers, '/news': page('News', article(text)) };
      await fetchedAgain(crawl);
      await followed(crawl, 2);
    }
    expect(await feed(crawl)).toEqual([
      ['/news', ['text']],
      ['/news', ['text']],
    ]);
    expect(await versions(crawl, '/news')).toEqual([`${id}-3`, `${id}-2`]);
    expect(await tables.crawlChanges.row(pool, { crawl_id: crawl.id })).toMatchObject({
      dropped: 1,
    });
    // The version before the latest is read from a body that no page has any more.
    await until('its visits are noted', async () => (await run(crawl)).noted >= 0 && (await isNoted(crawl)));
    while (await freeBodies(pool, 0));
    expect(await diffOf(crawl, '/news')).toMatchObject({ from: `${id}-2`, to: `${id}-3` });
    const kept = await tables.pageVersion.rows(pool, { crawl_id: crawl.id });
    const bodies = await tables.body.rows(pool, {});
    for (const { content_hash: hash } of kept)
      expect(bodies.some((body) => hash !== null && body.hash.equals(hash))).toBe(true);
    expect(kept).toHaveLength(3);

    // They go with their crawl.
    await moveCrawl(pool, crawl.id, 'cancelled');
    await markRemoved(pool, id);
    while (await removeBatch(pool));
    while (await freeBodies(pool, 0));
    expect(await tables.pageVersion.rows(pool, { crawl_id: crawl.id })).toEqual([]);
    const left = await tables.body.rows(pool, {});
    for (const { content_hash: hash } of kept)
      expect(left.some((body) => hash !== null && body.hash.equals(hash))).toBe(false);
  });
});
