/**
 * Standing crawls (F31): visits are noted, pages become due, and are fetched again within the budget.
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import type { CrawlState } from '../../../domain/crawl-life.ts';
import { changeCrawlState, crawlStandsAt, settleCrawl } from '../../../engine/crawls/life.ts';
import { runRecrawl } from '../../../engine/recrawl/run.ts';
import { newsLift } from '../../../domain/priority/place.ts';
import { storedKinds } from '../../../domain/url-kind.ts';
import { defaultKeepFresh, type KeepFresh } from '../../../domain/recrawl/keep-fresh.ts';
import { changeCrawl, fromNow, holdRanking, ledgerPages, tables } from '../../support/database/index.ts';
import { judgeCopies } from '../../../storage/pages/index.ts';
import { until } from '../../support/until.ts';
import { expectExact, moveCrawl } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { redirect, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

/** A page in many words, with links. Its bytes differ with each request, its text does not. */
const told =
  (text: string, ...links: readonly string[]): Answer =>
  (response, _request, count) => {
    const body = `<!doctype html><title>${text}</title><!-- ${String(count)} -->
      <p>${`${text} is told of here in a good many words of its own. `.repeat(5)}</p>
      ${links.map((link) => `<a href="${link}">on</a>`).join('')}`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  };
/** A page whose bytes never differ. */
const fixed =
  (text: string): Answer =>
  (response, request) => {
    const body = `<!doctype html><title>${text}</title><p>${`${text} stands here in many words. `.repeat(9)}</p>`;
    if (request.headers['if-none-match'] === `"${text}"`)
      response.writeHead(304, { etag: `"${text}"` }).end();
    else response.writeHead(200, { 'content-type': 'text/html', etag: `"${text}"` }).end(body);
  };

/** The state of a crawl that is found complete. */
async function settled(id: number): Promise<CrawlState> {
  const { revision } = await crawlStandsAt(pool, String(id));
  return (await settleCrawl(pool, String(id), 'complete', null, revision)).state;
}

const paths = ['/', '/copy', '/gone', '/kept', '/moved', '/same', '/still'];

interface Standing {
  readonly id: number;
  readonly site: Site;
  readonly host: HostRow;
}

async function standing(
  keepFresh: Partial<KeepFresh> = {},
  nearDuplicates = false,
  config: Partial<CrawlConfig> = {},
): Promise<Standing> {
  const site = await startSite({
    '/': told('Home', ...paths),
    '/same': fixed('Same'),
    '/copy': fixed('Same'),
    '/still': told('Still'),
    '/kept': fixed('Kept'),
    '/gone': status(404),
    '/moved': redirect('/kept'),
  });
  const { host, crawl: id } = await fetching.queued(
    site.origin,
    ['/'],
    {
      ...{ scope: 'host', nearDuplicates, ...config },
      keepFresh: { ...defaultKeepFresh, requestsPerDay: 100_000, ...keepFresh },
    },
    [`${site.origin}/`],
  );
  await changeCrawl(pool, id, { seeded_line: 1 });
  const crawl = { id, site, host };
  await work(crawl);
  return crawl;
}

async function work({ host }: Standing): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await fetching.role().fetchSlice(host);
    await readBodies(fetching, host);
  }
}

const run = ({ id }: Standing): ReturnType<typeof runRecrawl> => runRecrawl(pool, String(id), () => true);

/**
 * Visits are noted a second after their commit. If they come in two parts, a page that takes over a body in the first
 * must be read before the second comes.
 */
async function noted(crawl: Standing, visits: number): Promise<void> {
  let sum = 0;
  await until(`${String(visits)} visits are noted`, async () => {
    sum += (await run(crawl)).noted;
    if (sum < visits) await readBodies(fetching, crawl.host);
    return sum >= visits;
  });
  expect(sum).toBe(visits);
  await judgeCopies(pool, 60_000);
}

/** As if all pages had been visited two days ago, and the budget of a day were there. */
async function makeDue({ id }: Standing): Promise<void> {
  const ago = fromNow(-2 * 86_400);
  await tables.history.change(pool, { crawl_id: id }, { seen_at: ago, next_due: fromNow(-1) });
  await tables.standing.change(pool, { crawl_id: id }, { allowed_at: fromNow(-2 * 86_400) });
}

async function histories(
  crawl: Standing,
): Promise<Record<string, { visits: number; changed: boolean; due: boolean }>> {
  const rows = await tables.history.rows(pool, { crawl_id: crawl.id });
  const urls = Object.entries(await fetching.urls(crawl.id, crawl.site.origin));
  return Object.fromEntries(
    urls.flatMap(([path, { key }]) => {
      const row = rows.find((each) => each.key.equals(key));
      if (row === undefined) return [];
      return [[path, { visits: row.visits, changed: row.changed_at !== null, due: row.next_due !== null }]];
    }),
  );
}

describe('a standing crawl', () => {
  it('fetches what is due again, tells changes by the text, and takes in what has changed', async () => {
    const crawl = await standing();
    const { id, site } = crawl;
    await noted(crawl, paths.length);
    const pages = await ledgerPages(pool, id);
    expect(Object.values(await histories(crawl))).toEqual(
      paths.map(() => ({ visits: 1, changed: false, due: true })),
    );
    // Nothing is due yet, and nothing is complete.
    expect((await run(crawl)).queued).toBe(0);
    expect(await settled(id)).toBe('running');

    site.answers = {
      ...site.answers,
      '/same': told('Changed', '/found'),
      '/kept': status(410),
      '/moved': redirect('/same'),
    };
    await makeDue(crawl);
    expect((await run(crawl)).queued).toBe(paths.length);
    await expectExact(pool, id);
    expect(await ledgerPages(pool, id)).toBe(0);
    const urls = Object.values(await fetching.urls(id, site.origin));
    expect(urls.map(({ state, reason }) => [state, reason])).toEqual(paths.map(() => ['queued', 'recrawl']));
    // What is queued is not due a second time.
    expect((await run(crawl)).queued).toBe(0);

    const sent = site.hits.length;
    await work(crawl);
    expect(site.paths().slice(sent).sort()).toEqual([...paths, '/found'].sort());
    await noted(crawl, paths.length + 1);
    // The page for which `/copy` was not read has other bytes now: `/copy` is read from its stored body.
    await work(crawl);
    await expectExact(pool, id);
    expect(await histories(crawl)).toEqual({
      '/': { visits: 2, changed: false, due: true },
      '/copy': { visits: 2, changed: false, due: true },
      '/found': { visits: 1, changed: false, due: true },
      '/gone': { visits: 2, changed: false, due: true },
      '/kept': { visits: 2, changed: true, due: true },
      '/moved': { visits: 2, changed: true, due: true },
      '/same': { visits: 2, changed: true, due: true },
      '/still': { visits: 2, changed: false, due: true },
    });
    const now = await fetching.urls(id, site.origin);
    expect(now['/copy']).toMatchObject({ state: 'done', stage: 0, alias_key: null });
    expect(now['/kept']).toMatchObject({ state: 'dead', reason: 'gone' });
    const stored = await tables.reading.rows(pool, { crawl_id: id });
    expect(stored).toHaveLength(pages);
    const [freed] = await tables.freedBody.rows(pool, {});
    expect(freed).toBeDefined();
  });

  it('takes a page whose text differs by a counter for unchanged, and one with another sentence for changed', async () => {
    const crawl = await standing();
    const { id, site } = crawl;
    const article = Array.from({ length: 400 }, (_, at) => `word${String((at * 7919) % 1_000)}`).join(' ');
    const counting =
      (text: string): Answer =>
      (response, _request, count) => {
        const body = `<!doctype html><title>Counts</title><main><p>${text}</p><p>seen ${String(count)} times</p></main>`;
        response.writeHead(200, { 'content-type': 'text/html' }).end(body);
      };
    site.answers = {
      ...site.answers,
      '/counts': counting(article),
      '/told': counting(`${article} and more`),
    };
    await fetching.queue(id, crawl.host, '/counts', '/told');
    await work(crawl);
    await noted(crawl, paths.length + 2);
    const hashes = async (): Promise<unknown[]> =>
      (await tables.reading.rows(pool, { crawl_id: id, title: 'Counts' })).map(({ text_hash: hash }) => hash);
    const before = await hashes();
    const shuffled = counting(`${article.slice(900)} ${article.slice(0, 600)} and more`);
    site.answers = { ...site.answers, '/told': shuffled };
    await makeDue(crawl);
    await run(crawl);
    await work(crawl);
    await noted(crawl, paths.length + 2);
    // The hashes of both texts are others.
    for (const hash of await hashes()) expect(before).not.toContainEqual(hash);
    expect(await histories(crawl)).toMatchObject({
      '/counts': { visits: 2, changed: false },
      '/told': { visits: 2, changed: true },
    });
  });

  it('asks again for pages that are held as missing, so that they hold nothing up, and for no made-up path', async () => {
    const crawl = await standing({ requestsPerDay: 100 });
    const { id, site } = crawl;
    const change = (path: string, columns: Parameters<typeof tables.url.change>[2]): Promise<number> =>
      tables.url.change(pool, { crawl_id: id, url: site.origin + path }, columns);
    await change('/still', { kind: storedKinds.probe });
    await noted(crawl, paths.length - 1);
    expect(Object.keys(await histories(crawl))).not.toContain('/still');
    await change('/kept', { state: 'excluded', reason: 'soft-404', detail: '1: text of made-up paths in /' });
    await makeDue(crawl);
    const { key } = (await fetching.urls(id, site.origin))['/kept'] ?? {};
    await tables.history.change(pool, { crawl_id: id, key }, { next_due: fromNow(-60) });
    // The budget allows one, and the one that has waited longest is held.
    expect((await run(crawl)).queued).toBe(1);
    expect((await fetching.urls(id, site.origin))['/kept']).toMatchObject({ state: 'queued', detail: null });
    await expectExact(pool, id);
  });

  it.each([
    [1, 5],
    [4, 5],
    [5, 5],
    [1, 1],
  ])(
    'has a page behind a wall of %i redirects each time, if %i are followed',
    async (redirects, maxRedirects) => {
      const crawl = await standing({}, false, { maxRedirects });
      const onTo = (nth: number): string => (nth === redirects ? '/wall' : `/detour/${String(nth)}`);
      const wall: Answer = (response, request, count) => {
        const isOpen = request.headers.cookie === 'seen=1';
        const gate = status(302, { location: onTo(1), 'set-cookie': 'seen=1; Path=/' });
        (isOpen ? told('Wall') : gate)(response, request, count);
      };
      const detour = Array.from({ length: redirects - 1 }, (_, at): [string, Answer] => [
        onTo(at + 1),
        redirect(onTo(at + 2), 302),
      ]);
      crawl.site.answers = { ...crawl.site.answers, '/wall': wall, ...Object.fromEntries(detour) };
      await fetching.queue(crawl.id, crawl.host, '/wall');
      for (let time = 0; time < 3; time++) {
        await work(crawl);
        const { '/wall': row } = await fetching.urls(crawl.id, crawl.site.origin);
        expect(row).toMatchObject({ state: 'done', reason: 'fetched', redirect_to: null });
        await until('the visit is noted', async () => {
          await run(crawl);
          const [history] = await tables.history.rows(pool, { crawl_id: crawl.id, key: row?.key });
          return (history?.visits ?? 0) > time;
        });
        await makeDue(crawl);
        // The detours are not due as well: chains that begin at them would mix with that of the page.
        await tables.history.change(pool, { crawl_id: crawl.id }, { next_due: fromNow(60) });
        await tables.history.change(pool, { crawl_id: crawl.id, key: row?.key }, { next_due: fromNow(-1) });
        await run(crawl);
      }
    },
  );

  it('drops what was read of a page that became a copy, and ends even if nobody has noted that yet', async () => {
    const crawl = await standing({}, true);
    const { id, site } = crawl;
    await noted(crawl, paths.length);
    const printed = async (path: string): Promise<number> => {
      const { key, content_id: content } = (await fetching.urls(id, site.origin))[path] ?? {};
      const stands = await tables.content.count(pool, { crawl_id: id, id: content, key });
      return stands * (await tables.print.count(pool, { crawl_id: id, content_id: content }));
    };
    expect([await printed('/'), await printed('/still')]).toEqual([1, 1]);
    site.answers = { ...site.answers, '/still': fixed('Kept'), '/copy': fixed('Copy') };
    await makeDue(crawl);
    await run(crawl);
    await work(crawl);
    await noted(crawl, paths.length);
    await work(crawl);
    expect([await printed('/still'), await printed('/copy')]).toEqual([0, 1]);

    // It stands for its new body in the end, since its URL comes first.
    site.answers = { ...site.answers, '/copy': fixed('Same') };
    await makeDue(crawl);
    await run(crawl);
    await work(crawl);
    const { config } = await tables.crawl.row(pool, { id });
    await changeCrawl(pool, id, { config: { ...config, keepFresh: null } });
    expect(await settled(id)).toBe('finished');
    const { content_id: content, alias_key: alias } = (await fetching.urls(id, site.origin))['/copy'] ?? {};
    expect(alias).toBeNull();
    expect(await tables.reading.rows(pool, { content_id: content })).toMatchObject([{ title: 'Same' }]);
    expect([await printed('/copy'), await printed('/same')]).toEqual([1, 0]);
  });

  it('is paused at once while its copies are ranked', async () => {
    const crawl = await standing();
    await noted(crawl, paths.length);
    await tables.standing.change(pool, { crawl_id: crawl.id }, { ranked_at: null });
    const held = await holdRanking(pool);
    const ranked = run(crawl);
    await until('the ranking waits', async () => (await held.waiting()) === 1);
    const { revision } = await crawlStandsAt(pool, String(crawl.id));
    const paused = { state: 'paused', cause: 'asked', reason: null, revision } as const;
    expect(await changeCrawlState(pool, String(crawl.id), paused)).toMatchObject({ state: 'paused' });
    await held.release();
    expect(await ranked).toMatchObject({ queued: 0, over: false });
    expect((await tables.standing.row(pool, { crawl_id: crawl.id })).ranked_at).not.toBeNull();
  });

  it('sends no more than its budget, news first, and nothing while it is paused', async () => {
    const crawl = await standing({ requestsPerDay: 1, news: ['*/still'] });
    await noted(crawl, paths.length);
    await makeDue(crawl);
    await moveCrawl(pool, crawl.id, 'paused');
    expect((await run(crawl)).queued).toBe(0);
    await moveCrawl(pool, crawl.id, 'running');
    expect((await run(crawl)).queued).toBe(1);
    expect((await run(crawl)).queued).toBe(0);
    const queued = Object.entries(await fetching.urls(crawl.id, crawl.site.origin)).filter(
      ([, { state }]) => state === 'queued',
    );
    expect(queued.map(([path]) => path)).toEqual(['/still']);
    expect(queued[0]?.[1].priority).toBeGreaterThan(newsLift);
    await expectExact(pool, crawl.id);
  });

  it('plans anew as soon as it has learnt how often its pages change', async () => {
    const crawl = await standing({});
    await noted(crawl, paths.length);
    const plan = () => tables.standing.row(pool, { crawl_id: crawl.id });
    await tables.standing.change(pool, { crawl_id: crawl.id }, { planned_pages: paths.length });
    const guessed = await plan();
    expect(guessed).toMatchObject({ planned_rates: 0, planned_at: expect.any(Date) as Date });
    // The next visit tells the rates.
    await tables.history.change(pool, { crawl_id: crawl.id }, { visits: 3 });
    await makeDue(crawl);
    await run(crawl);
    expect((await plan()).planned_at).toEqual(guessed.planned_at);
    await work(crawl);
    await noted(crawl, paths.length);
    const { planned_at: at, planned_rates: known, rates_learnt: since } = await plan();
    expect(at !== null && guessed.planned_at !== null && at > guessed.planned_at).toBe(true);
    // Visits may be noted in two parts, and the second tell too little for one more plan.
    expect(known).toBeGreaterThan(4 * since);
  });

  it('keeps only a part fresh, is planned and sampled, and rests no longer once it keeps nothing', async () => {
    const crawl = await standing({ only: ['*/same', '*/still'] });
    await noted(crawl, paths.length);
    // The first plan may be of the pages that were noted by then; it is an hour old now.
    await tables.standing.change(pool, { crawl_id: crawl.id }, { planned_at: fromNow(-3_601) });
    await run(crawl);
    const due = Object.entries(await histories(crawl)).filter(([, each]) => each.due);
    expect(due.map(([path]) => path)).toEqual(['/same', '/still']);
    const [plan] = await tables.standing.rows(pool, { crawl_id: crawl.id });
    expect(plan).toMatchObject({ pages: paths.length });
    expect(plan?.price).toBeGreaterThan(0);
    const sample = (await tables.freshness.rows(pool, { crawl_id: crawl.id })).at(-1);
    expect(sample).toMatchObject({ pages: 2, left_out: 0 });
    expect(sample?.fresh).toBeGreaterThan(0.9);

    // An edit that keeps more of the crawl fresh, or other bounds, hold for pages that are known already.
    const edit = async (keepFresh: Partial<KeepFresh>): Promise<void> => {
      const { config } = await tables.crawl.row(pool, { id: crawl.id });
      const edited = { ...defaultKeepFresh, ...config.keepFresh, ...keepFresh };
      await changeCrawl(pool, crawl.id, { config: { ...config, keepFresh: edited } });
      await run(crawl);
    };
    const dueOf = async (): Promise<Readonly<Record<string, number>>> => {
      const urls = Object.entries(await fetching.urls(crawl.id, crawl.site.origin));
      const rows = await tables.history.rows(pool, { crawl_id: crawl.id });
      return Object.fromEntries(
        urls.flatMap(([path, { key }]) => {
          const row = rows.find((each) => each.key.equals(key));
          const due = row?.next_due ?? null;
          return row === undefined || due === null ? [] : [[path, due.getTime() - row.seen_at.getTime()]];
        }),
      );
    };
    await edit({ only: ['*/kept', '*/still'] });
    expect(Object.keys(await dueOf())).toEqual(['/kept', '/still']);
    const { generic } = defaultKeepFresh.intervals;
    const hour = { floorSeconds: 60, ceilingSeconds: 3_600 };
    expect(Math.min(...Object.values(await dueOf()))).toBeGreaterThanOrEqual(
      generic.floorSeconds * 1_000 - 1,
    );
    await edit({ only: [], intervals: { ...defaultKeepFresh.intervals, generic: hour } });
    expect(Object.keys(await dueOf())).toEqual(paths);
    const { '/gone': gone = 0, ...others } = await dueOf();
    expect(gone).toBeGreaterThan(6 * 86_400_000);
    expect(Math.max(...Object.values(others))).toBeLessThanOrEqual(3_600_001);
    const { config } = await tables.crawl.row(pool, { id: crawl.id });
    await changeCrawl(pool, crawl.id, { config: { ...config, keepFresh: null } });
    expect(await run(crawl)).toEqual({ noted: 0, queued: 0, over: true });
    expect(await settled(crawl.id)).toBe('finished');
  });

  it('gives a body to one of its copies, whose copies the others become, however late each is noted', async () => {
    const crawl = await standing();
    const { id, site } = crawl;
    site.answers = {
      ...site.answers,
      '/copy-2': fixed('Same'),
      '/copy-3': fixed('Same'),
      '/late': fixed('Same'),
    };
    await fetching.queue(id, crawl.host, '/copy-2', '/copy-3');
    await work(crawl);
    await noted(crawl, paths.length + 2);
    const first = await fetching.urls(id, site.origin);
    const names = ['/same', '/copy', '/copy-2', '/copy-3'];
    const owner = names.find((path) => first[path]?.alias_key === null) ?? '';
    const copies = names.filter((path) => path !== owner);
    expect(copies.map((path) => first[path]?.alias_key)).toEqual(copies.map(() => first[owner]?.key));

    // The page that was read for all of them has changed, which nobody has noted yet when another copy is found.
    site.answers = { ...site.answers, [owner]: told('Changed') };
    const place = { crawl_id: id, url: `${site.origin}${owner}` };
    await tables.history.change(pool, { crawl_id: id, key: first[owner]?.key }, { next_due: fromNow(-1) });
    await tables.standing.change(pool, { crawl_id: id }, { allowed_at: fromNow(-2 * 86_400) });
    expect((await run(crawl)).queued).toBe(1);
    await work(crawl);
    expect(await tables.url.row(pool, place)).toMatchObject({ state: 'done', alias_key: null });
    await fetching.queue(id, crawl.host, '/late');
    await work(crawl);
    const late = (await fetching.urls(id, site.origin))['/late'];
    expect(late).toMatchObject({ state: 'done', stage: 0, alias_key: null });
    // However many copies there are, a look tells a few of them.
    let looks = 0;
    for (; (await tables.contentDue.count(pool)) > 0; looks++)
      await judgeCopies(pool, 60_000, { copies: 1, ofText: 9 });
    expect(looks).toBeGreaterThan(copies.length);
    await noted(crawl, 2);
    await work(crawl);
    const now = await fetching.urls(id, site.origin);
    expect(copies.map((path) => [now[path]?.stage, now[path]?.alias_key])).toEqual(
      copies.map(() => [0, late?.key]),
    );
    await expectExact(pool, id);
  });

  it('takes hints of sitemaps, and hurries for dates that have held', async () => {
    const crawl = await standing();
    const { id, site, host } = crawl;
    const entry = (path: string, lastmod: string): string =>
      `<url><lastmod>${lastmod}</lastmod><loc>${site.origin}${path}</loc><changefreq>Hourly</changefreq></url>`;
    const soon = new Date().toISOString();
    site.answers = {
      ...site.answers,
      '/map.xml': (response) => {
        const entries = [entry('/still', soon), entry('/same', '2001-01-01')].join('');
        response.writeHead(200, { 'content-type': 'application/xml' }).end(`<urlset>${entries}</urlset>`);
      },
    };
    await noted(crawl, paths.length);
    await tables.history.change(
      pool,
      { crawl_id: id },
      { seen_at: fromNow(-3_600), next_due: fromNow(3_600) },
    );
    const dueNow = async (): Promise<string[]> => {
      const due = (await tables.history.rows(pool, { crawl_id: id })).filter(
        ({ next_due: at }) => at !== null && at.getTime() <= Date.now(),
      );
      const urls = Object.entries(await fetching.urls(id, site.origin));
      return urls.filter(([, { key }]) => due.some((row) => row.key.equals(key))).map(([path]) => path);
    };
    const readMap = async (): Promise<void> => {
      await fetching.queue(id, host, '/map.xml');
      await tables.url.change(
        pool,
        { crawl_id: id, url: `${site.origin}/map.xml` },
        { kind: 1, state: 'queued' },
      );
      await work(crawl);
    };
    await readMap();
    // Nobody knows yet whether these dates hold.
    expect(await dueNow()).toEqual([]);
    await tables.sitemapRecord.add(pool, {
      ...{ crawl_id: id, host_id: Number(host.hostId), correct: 9, wrong: 1 },
    });
    await readMap();
    expect(await dueNow()).toEqual(['/still']);
    await tables.standing.change(pool, { crawl_id: id }, { allowed_at: fromNow(-86_400) });
    await run(crawl);
    await work(crawl);
    // The page was said to have changed, and had not.
    await until('the visit is noted', async () => {
      await run(crawl);
      return (await tables.sitemapRecord.row(pool, { crawl_id: id })).wrong === 2;
    });
    await expectExact(pool, id);
  });
});

describe('pages of a standing crawl with the same text', () => {
  const sharing = async (): Promise<Standing> => {
    const site = await startSite({
      '/': told('Home', '/a', '/bb', '/ccc'),
      // The bodies differ in their links, the texts do not.
      ...{ '/a': told('Shared', '/a'), '/bb': told('Shared', '/bb'), '/ccc': told('Own', '/ccc') },
    });
    const { host, crawl: id } = await fetching.queued(
      site.origin,
      ['/'],
      { scope: 'host', keepFresh: { ...defaultKeepFresh, requestsPerDay: 100_000 } },
      [`${site.origin}/`],
    );
    await changeCrawl(pool, id, { seeded_line: 1 });
    const crawl = { id, site, host };
    await work(crawl);
    return crawl;
  };
  /** By path: the path of the page that stands for it. */
  const copies = async ({ id, site }: Standing): Promise<Record<string, string>> => {
    const urls = Object.entries(await fetching.urls(id, site.origin));
    return Object.fromEntries(
      urls.flatMap(([path, { alias_key: alias }]) => {
        const original = urls.find(([, { key }]) => alias?.equals(key));
        return original === undefined ? [] : [[path, original[0]]];
      }),
    );
  };
  const visitAgain = async (crawl: Standing, answers: Record<string, Answer>): Promise<void> => {
    crawl.site.answers = { ...crawl.site.answers, ...answers };
    await makeDue(crawl);
    expect((await run(crawl)).queued).toBe(4);
    await work(crawl);
    await judgeCopies(pool, 60_000);
    await noted(crawl, 4);
    await work(crawl);
    await judgeCopies(pool, 60_000);
  };
  const words = async ({ id }: Standing): Promise<number> =>
    (await tables.reading.rows(pool, { crawl_id: id })).length;

  it('are marked after each visit, and anew when their page has changed', async () => {
    const crawl = await sharing();
    await judgeCopies(pool, 60_000);
    expect(await copies(crawl)).toEqual({ '/bb': '/a' });
    await noted(crawl, 4);
    // Nothing changed: the mark is back after the visit, both pages were noted as read, and no text as another one.
    await visitAgain(crawl, {});
    expect(await copies(crawl)).toEqual({ '/bb': '/a' });
    expect(await words(crawl)).toBe(4);
    expect(Object.values(await histories(crawl)).some(({ changed }) => changed)).toBe(false);
    // The page that stood for both has another text, and a third page has theirs.
    await visitAgain(crawl, { '/a': told('Other', '/a'), '/ccc': told('Shared', '/ccc') });
    expect(await copies(crawl)).toEqual({ '/ccc': '/bb' });
    expect(await words(crawl)).toBe(4);
    // The page is gone: the other one stands for itself.
    await visitAgain(crawl, { '/bb': status(404) });
    expect(await copies(crawl)).toEqual({});
    await expectExact(pool, crawl.id);
  });

  it('are ranked once a day by redirects too, though the crawl never ends', async () => {
    const crawl = await sharing();
    await noted(crawl, 4);
    await judgeCopies(pool, 60_000);
    expect(await copies(crawl)).toEqual({ '/bb': '/a' });
    await visitAgain(crawl, { '/ccc': redirect('/bb') });
    expect(await copies(crawl)).toEqual({ '/bb': '/a' });
    await tables.standing.change(pool, { crawl_id: crawl.id }, { ranked_at: fromNow(-2 * 86_400) });
    await run(crawl);
    expect(await copies(crawl)).toEqual({ '/a': '/bb' });
    await judgeCopies(pool, 60_000);
    expect(await copies(crawl)).toEqual({ '/a': '/bb' });
  });
});
