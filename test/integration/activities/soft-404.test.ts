/**
 * Soft 404 (F29): a host is asked for one made-up path, and pages like its answer are held, explained and released.
 *
 * @module-tag long
 */
import { expect, it } from 'vitest';
import { storedKinds } from '../../../domain/url-kind.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { auditCrawl } from '../../../storage/reports/index.ts';
import {
  giveVerdict,
  holdRepeated,
  listQuarantine,
  sweepRelease,
  tendSoft404,
} from '../../../storage/traps/index.ts';
import { seeded } from '../../../bench/content/alike-set.ts';
import { addUrls, fromNow, like, setState, tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { openReader, readBodies } from './reading.ts';
import { redirect, startSite, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const random = seeded(3);
const stems =
  'river garden market window letter summer bridge silver morning paper winter village engine'.split(' ');
const story = (words = 60): string =>
  Array.from({ length: words }, () => stems[Math.floor(random() * stems.length)] ?? '').join(' ');
const newWords = (words: number): string =>
  story(words).replaceAll(/\w/g, () => String.fromCharCode(97 + Math.floor(random() * 26)));
const menu = 'home products about us contact imprint privacy';
const html =
  (title: string, text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>${title}</title><p>${menu}</p><p>${text}</p>`);
  };
const missing: Answer = (response, request) => {
  html('Not found', `Sorry, the page ${request.url ?? ''} could not be found here.`)(response, request, 1);
};

interface Crawled {
  readonly site: Site;
  readonly crawl: number;
  /** Fetches and reads further pages. */
  readonly read: (at: HostRow, ...paths: readonly string[]) => Promise<void>;
  readonly host: HostRow;
  readonly states: () => Promise<Record<string, string>>;
}

interface Order {
  /** A site that was crawled before, whose answers stay as they are. */
  readonly again?: Pick<Crawled, 'site' | 'host'>;
  /** Pages that are read in this order, before all others. */
  readonly first?: readonly string[];
}

/** Crawls a site of ten stories and four pages that are not there, all of them linked. */
async function crawled(
  soft404: boolean,
  unknown: Answer,
  { again, first = [] }: Order = {},
): Promise<Crawled> {
  const good = Array.from({ length: 10 }, (_, at) => `/stories/${'abcdefghij'[at] ?? ''}-story`);
  const lost = Array.from({ length: 4 }, (_, at) => `/stories/old-${'abcd'[at] ?? ''}`);
  const site = again?.site ?? (await startSite());
  const answers: Record<string, Answer> = Object.fromEntries(
    good.map((path) => [path, html(`A ${path.split('/')[2] ?? ''}`, story())]),
  );
  if (again === undefined)
    site.answers = new Proxy(answers, {
      get: (known, path: string) => known[path] ?? (path.startsWith('/stories/') ? unknown : undefined),
    });
  const host = again?.host ?? (await fetching.host(site.origin));
  const crawl = await fetching.crawl({ scope: 'host', soft404 }, [`${site.origin}/`]);
  const reader = openReader(fetching);
  const read: Crawled['read'] = async (at, ...paths) => {
    for (const path of paths) await fetching.queue(crawl, at, path);
    await until('all is read', async () => {
      await fetching.role().fetchSlice(at);
      await readBodies(fetching, at, reader);
      const rows = await tables.url.rows(pool, { crawl_id: crawl });
      return rows.every(({ state, stage }) => !['queued', 'leased'].includes(state) && stage === 0);
    });
  };
  for (const path of first) await read(host, path);
  await read(host, ...good.filter((path) => !first.includes(path)), ...lost);
  await tendSoft404(pool, 10);
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await tables.url.rows(pool, { crawl_id: crawl, kind: 0 })).map(({ url, state, reason }) => [
        new URL(url).pathname,
        `${state} ${reason ?? ''}`,
      ]),
    );
  return { site, crawl, host, read, states };
}

const madeUp = (site: Site): string[] => site.paths().filter((path) => /^\/stories\/[a-z]{16}$/.test(path));
const statesOf = (states: Record<string, string>, of: RegExp): string[] => [
  ...new Set(Object.entries(states).flatMap(([path, state]) => (of.test(path) ? [state] : []))),
];

it('holds what looks like the answer to a made-up path, explains it, and gives it back in bulk', async () => {
  const { site, crawl, states } = await crawled(true, missing);
  expect(new Set(madeUp(site)).size).toBe(2);
  const held = await states();
  expect(statesOf(held, /story$/)).toEqual(['done fetched']);
  expect(statesOf(held, /old-/)).toEqual(['excluded soft-404']);

  const all = { crawlId: String(crawl), verdicts: ['held'], limit: 10, counted: 100 } as const;
  const [row] = await listQuarantine(pool, all);
  expect(row).toMatchObject({ rule: 'soft-404', verdict: 'held', origin: site.origin, urls: 4 });
  const explained = await explainUrlOf(pool, String(crawl), `${site.origin}/stories/old-a`, 'Orbweaver/0.0');
  expect(explained?.decisions.find(({ verdict }) => verdict === 'soft-404')?.because).toMatch(
    /answers a made-up path with status 200 .* quarantine release/,
  );
  expect((await auditCrawl(pool, String(crawl)))?.differences).toEqual([]);

  const id = row?.id ?? '';
  await giveVerdict(pool, String(crawl), [id], 'released', 'test');
  expect(await sweepRelease(pool, id, Infinity)).toMatchObject({ urls: 4, more: false });
  expect(statesOf(await states(), /old-/)).toEqual(['done fetched']);
  expect((await auditCrawl(pool, String(crawl)))?.differences).toEqual([]);
});

it('asks for a second path, and holds pages that show something else each time', async () => {
  const lost: Answer = (response, request) => {
    const others = `<p>${story(12)}</p><p>${story(12)}</p>`;
    html('Not found', `Sorry, this page could not be found. Others read: ${others}`)(response, request, 1);
  };
  const { site, crawl, host, states } = await crawled(true, lost);
  expect(madeUp(site)).toHaveLength(2);
  expect(statesOf(await states(), /old-/)).toEqual(['excluded soft-404']);
  expect(statesOf(await states(), /story$/)).toEqual(['done fetched']);
  expect(await tables.madeUpPath.row(pool, { host_id: Number(host.hostId) })).toMatchObject({
    ...{ judged: true, crawl_id: crawl, sibling: {} },
  });
});

it('finds in a second crawl of a host what the first has found, the same day', async () => {
  const first = await crawled(true, missing);
  const { site } = first;
  const second = await crawled(true, missing, { again: first });
  expect(second.crawl).not.toBe(first.crawl);
  expect(statesOf(await second.states(), /old-/)).toEqual(['excluded soft-404']);
  expect(statesOf(await second.states(), /story$/)).toEqual(['done fetched']);
  // Each crawl has asked for two paths, and not more.
  expect(madeUp(site)).toHaveLength(4);
});

const advice = 'It may have been moved or deleted: try the search, or go back to the start.';
it.each(['the same', 'something else'])(
  'asks beside a page that is itself not there, where others read %s each time',
  async (others) => {
    const lost: Answer = (response, request) => {
      const by = others === 'the same' ? '' : `Others read: ${newWords(12)}`;
      const page = html(
        'Not found',
        `Sorry, the page ${request.url ?? ''} could not be found here. ${advice} ${by}`,
      );
      page(response, request, 1);
    };
    const first = ['/stories/a-story', '/stories/b-story', '/stories/old-z'];
    const { site, states } = await crawled(true, lost, { first });
    expect(madeUp(site)).toHaveLength(2);
    expect(statesOf(await states(), /old-[abcd]/)).toEqual(['excluded soft-404']);
    expect(statesOf(await states(), /story$/)).toEqual(['done fetched']);
  },
);

it('asks a host that says 404 for no second path', async () => {
  const { site, states } = await crawled(true, (response) => response.writeHead(404).end('gone'));
  expect(madeUp(site)).toHaveLength(1);
  expect(statesOf(await states(), /story$/)).toEqual(['done fetched']);
});

it('asks before the pages are stored, since the crawl may end with them', async () => {
  const site = await startSite();
  const paths = ['/stories/a', '/stories/b', '/stories/c'];
  site.answers = Object.fromEntries(paths.map((path) => [path, html(path, story())]));
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl({ scope: 'host', soft404: true }, [`${site.origin}/`]);
  for (const path of paths) await fetching.queue(crawl, host, path);
  await until('all are fetched', async () => {
    await fetching.role().fetchSlice(host);
    return (await tables.url.count(pool, { crawl_id: crawl, state: 'done' })) === paths.length;
  });
  class Broken extends FrontierWriter {
    override write(rows: Parameters<FrontierWriter['write']>[0]) {
      return rows.pages === undefined ? super.write(rows) : Promise.reject(new Error('broken'));
    }
  }
  await expect(readBodies(fetching, host, openReader(fetching, new Broken(pool)))).rejects.toThrow('broken');
  expect(await tables.url.count(pool, { crawl_id: crawl, kind: storedKinds.probe })).toBe(1);
  await readBodies(fetching, host);
  await fetching.role().fetchSlice(host);
  expect(madeUp(site)).toHaveLength(1);
});

it('holds pages that redirect where a made-up path does', async () => {
  const { site, states } = await crawled(true, redirect('/'));
  expect(madeUp(site)).toHaveLength(1);
  expect(statesOf(await states(), /old-/)).toEqual(['excluded soft-404']);
  expect(statesOf(await states(), /story$/)).toEqual(['done fetched']);
});

it('finds the pages that redirect there behind any number of others', async () => {
  const { crawl, host, states } = await crawled(true, redirect('/'));
  const [one] = await tables.url.rows(pool, { crawl_id: crawl, kind: 0, reason: 'soft-404' });
  const paths = Array.from(
    { length: 1_500 },
    (_, at) => `/${at < 1_400 ? 'other' : 'stories'}/m${String(at)}`,
  );
  await addUrls(
    pool,
    crawl,
    paths.map((path) => ({
      ...{ host_id: Number(host.hostId), url: host.origin + path, state: 'done', reason: 'fetched' },
      ...{ status: 302, redirect_to: one?.redirect_to ?? '' },
    })),
  );
  await tables.quarantine.change(pool, { crawl_id: crawl }, { sample_at: fromNow(-1) });
  await tendSoft404(pool, 10);
  expect(statesOf(await states(), /stories\/m/)).toEqual(['excluded soft-404']);
  expect(statesOf(await states(), /other\/m/)).toEqual(['done fetched']);
});

it('holds copies with their page, in whatever order they come, and none at another host', async () => {
  const lost: Answer = (response, request) => {
    const more = request.url?.includes('new-') === true ? ' Try another one.' : '';
    html('Not found', `Sorry, the page could not be found here.${more}`)(response, request, 1);
  };
  const { site, crawl, host, read, states } = await crawled(true, lost);
  const elsewhere = await startSite({ '/new-copy': lost });
  // Of pages that come together one is read; the others were judged by then.
  await read(host, '/stories/new-a', '/stories/new-b', '/stories/new-c');
  await read(await fetching.host(elsewhere.origin), '/new-copy');
  await tables.quarantine.change(pool, { crawl_id: crawl }, { sample_at: fromNow(-1) });
  await tendSoft404(pool, 10);
  expect(site.paths().filter((path) => path.includes('new-'))).toHaveLength(3);
  expect(statesOf(await states(), /stories\/(old|new)-/)).toEqual(['excluded soft-404']);
  expect(statesOf(await states(), /new-copy/)).toEqual(['done fetched']);
  const [held] = await listQuarantine(pool, {
    crawlId: String(crawl),
    verdicts: ['held'],
    limit: 10,
    counted: 100,
  });
  const id = held?.id ?? '';
  await giveVerdict(pool, String(crawl), [id], 'released', 'test');
  expect(await sweepRelease(pool, id, Infinity)).toMatchObject({ urls: 7, more: false });
  expect((await auditCrawl(pool, String(crawl)))?.differences).toEqual([]);
});

it('holds nothing more once the crawl does not look, and gives pages back in a crawl that is over', async () => {
  const { crawl, host, read, states } = await crawled(true, missing);
  const { config } = await tables.crawl.row(pool, { id: crawl });
  await tables.crawl.change(pool, { id: crawl }, { config: { ...config, soft404: false } });
  await read(host, '/stories/later');
  expect(statesOf(await states(), /later/)).toEqual(['done fetched']);

  const [held] = await listQuarantine(pool, {
    crawlId: String(crawl),
    verdicts: ['held'],
    limit: 10,
    counted: 100,
  });
  const { id, shape } = held ?? { id: '', shape: '' };
  await setState(pool, crawl, 'finished');
  await giveVerdict(pool, String(crawl), [id], 'released', 'test');
  expect(await sweepRelease(pool, id, Infinity)).toMatchObject({ urls: 4 });
  // Nothing is to be fetched, so the crawl stays over.
  expect((await tables.crawl.row(pool, { id: crawl })).state).toBe('finished');
  const lost = { crawl_id: crawl, url: like('%/old-%') };
  await tables.url.change(pool, lost, {
    state: 'excluded',
    reason: 'soft-404',
    detail: `${id}: ${shape}`,
  });
  await setState(pool, crawl, 'cancelled');
  expect(await sweepRelease(pool, id, Infinity)).toMatchObject({ urls: 4 });
  expect(statesOf(await states(), /old-/)).toEqual(['done fetched']);
});

it('asks for nothing and holds nothing in a crawl that does not look for it', async () => {
  const { site, crawl, states } = await crawled(false, missing);
  expect(madeUp(site)).toEqual([]);
  expect(statesOf(await states(), /old-|story$/)).toEqual(['done fetched']);
  expect(await tables.quarantine.rows(pool, { crawl_id: crawl })).toEqual([]);
});

it('waits no longer for an answer to a made-up path that is no URL', async () => {
  const { host } = await crawled(true, missing);
  const row = { host_id: Number(host.hostId) };
  const isOpen = async (): Promise<boolean> => {
    await tendSoft404(pool, 10);
    return !(await tables.madeUpPath.row(pool, row)).judged;
  };
  const key = Buffer.alloc(16, 7);
  await tables.madeUpPath.change(pool, row, { judged: false, key, asked_at: fromNow(-60) });
  expect(await isOpen()).toBe(true);
  await tables.madeUpPath.change(pool, row, { asked_at: fromNow(-3_700) });
  expect(await isOpen()).toBe(false);
});

it('holds all pages with a text that half of the pages have, however many, unless a seed has it', async () => {
  const { crawl, host } = await crawled(false, missing);
  const pages = (name: string, count: number, hash: (at: number) => Buffer, seed = false) =>
    addUrls(
      pool,
      crawl,
      Array.from({ length: count }, (_, at) => ({
        ...{ host_id: Number(host.hostId), url: `${host.origin}/${name}/${String(at)}`, seed },
        ...{ state: 'done', reason: 'fetched', status: 200, content_hash: hash(at) },
      })),
    );
  const numbered = (at: number): Buffer => Buffer.from(at.toString(16).padStart(64, '0'), 'hex');
  await pages('same', 3_000, () => numbered(0));
  await pages('other', 3_000, (at) => numbered(at + 1));
  const place = { host_id: Number(host.hostId), crawl_id: crawl };
  const [seed] = await pages('seed', 1, () => numbered(0), true);
  expect(await holdRepeated(pool, place)).toBeNull();
  await tables.url.change(pool, { ...place, key: seed?.key }, { seed: false });
  expect(await holdRepeated(pool, place)).toBe(3_001);
  const held = await tables.url.rows(pool, { ...place, state: 'excluded' });
  expect(held.filter(({ url }) => !/\/(same|seed)\//.test(url))).toEqual([]);
});

it('holds no pages that only need a browser or a login, however many are the same', async () => {
  const { crawl, host } = await crawled(false, missing);
  const place = { host_id: Number(host.hostId), crawl_id: crawl };
  const [page] = await tables.reading.rows(pool, place);
  const copies = Array.from({ length: 30 }, (_, at) => ({
    ...{ host_id: place.host_id, url: `${host.origin}/app/${String(at)}`, alias_host: place.host_id },
    ...{ alias_key: page?.key ?? Buffer.alloc(0), state: 'done', reason: 'fetched', status: 200 },
    ...{ content_hash: Buffer.alloc(32, 1), content_id: page?.content_id },
  }));
  await addUrls(pool, crawl, copies);
  const key = { ...place, key: page?.key };
  await tables.reading.change(pool, key, { meta: { ...page?.meta, needs: 'javascript' } });
  expect(await holdRepeated(pool, place)).toBeNull();
  await tables.reading.change(pool, key, { meta: page?.meta ?? {} });
  expect(await holdRepeated(pool, place)).toBeGreaterThanOrEqual(copies.length);
});
