/** Pages that say nothing without their scripts: rounds of a browser, which is made up here, and what is made of them. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createExtractor, type Extractor } from '../../../content/extract.ts';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import { defaultTenant } from '../../../contracts/tenancy.ts';
import { storedStages } from '../../../domain/stage.ts';
import { storedKinds } from '../../../domain/url-kind.ts';
import type { Dependencies } from '../../../engine/dependencies.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { reportCrawl, timeOf } from '../../../storage/reports/index.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { Company } from '../../../engine/rendering/company.ts';
import { renderPages } from '../../../engine/rendering/round.ts';
import { storedLook } from '../../../engine/stored-answer.ts';
import { freeBodies } from '../../../storage/crawls/index.ts';
import { noteWorker } from '../../../storage/instance/index.ts';
import { bodiesInStage, hostsInStage, judgeCopies, requeueLostBodies } from '../../../storage/pages/index.ts';
import { retrySession } from '../../../storage/sessions/index.ts';
import { readUsage } from '../../../storage/tenancy/index.ts';
import { endRenderings, lookAgain, renderAgain, storeGains } from '../../../storage/rendering/index.ts';
import { allPages } from '../../support/all-pages.ts';
import { dying } from '../storage/followers.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { fromNow, not, setState, tables } from '../../support/database/index.ts';
import type { Renderer } from '../../../contracts/rendering.ts';
import { until } from '../../support/until.ts';
import { closeRenderer, hasBrowser, openRenderer } from '../../support/browser.ts';
import { madeUpBrowser, type MadeUpBrowser, type Script } from '../../support/made-up-browser.ts';
import { expectExact } from '../storage/frontier.ts';
import { exportedRecords } from './exporting.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { extractBodies, judgeBodies } from './reading.ts';
import { robots, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
let extractor: Extractor;
beforeAll(async () => {
  extractor = await createExtractor();
});
beforeEach(async () => {
  await tables.worker.remove(pool);
  await noteWorker(pool, randomUUID(), ['render'], null);
});

const body =
  (type: string, text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(text);
  };
const shellText = '<!doctype html><title>Shop</title><div id=root></div><script src=/app.js></script>';
const shell = body('text/html', shellText);
const json = (text: string): Answer => body('application/json', text);
/** A page of so many words, with a link. */
const text = (about: string, link = ''): string =>
  `<h1>${about}</h1><p>${Array.from({ length: 40 }, (_, at) => `${about}${String(at)}`).join(' ')}</p>${link}`;

interface World {
  readonly site: Site;
  readonly crawl: number;
  readonly host: HostRow;
  readonly browser: MadeUpBrowser;
  readonly dependencies: Dependencies;
}

async function begin(
  answers: Readonly<Record<string, Answer>>,
  scripts: Readonly<Record<string, Script>>,
  paths: readonly string[] = ['/'],
  config: Partial<CrawlConfig> = {},
): Promise<World> {
  const site = await startSite(answers);
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl({ scope: 'host', soft404: false, ...config }, [`${site.origin}/`]);
  await fetching.queue(crawl, host, ...paths);
  return { site, crawl, host, browser: madeUpBrowser(scripts), dependencies: fetching.dependencies() };
}

async function read({ host, dependencies }: World): Promise<void> {
  while ((await judgeBodies(dependencies, host)) + (await extractBodies(dependencies, extractor, host)) > 0);
}

/** Pages of a host that wait for a round. */
const waiting = (world: World) =>
  bodiesInStage(
    pool,
    [{ crawlId: world.crawl, hostId: Number(world.host.hostId), bodies: 50 }],
    storedStages.render,
    null,
  );

/** A round for each page that waits for one. */
async function round(
  world: World,
  dependencies = world.dependencies,
  renderer: Renderer = world.browser,
): Promise<number> {
  // Processes have come to know of it.
  await tables.crawl.changeAny(
    pool,
    { id: world.crawl, renders_since: not(null) },
    { renders_since: fromNow(-9) },
  );
  const pages = await waiting(world);
  const tools = { ...dependencies, archive: fetching.blobs, renderer, company: new Company() };
  await renderPages(tools, pages, 2, new AbortController().signal);
  return pages.length;
}

async function look({ crawl }: World): Promise<void> {
  await tables.rendering.changeAny(pool, { crawl_id: crawl, due_at: not(null) }, { due_at: fromNow(-1) });
  await lookAgain(pool, 100);
}

/** Fetches, reads and renders until nothing comes any more. */
async function run(world: World, hosts: readonly HostRow[] = [world.host]): Promise<void> {
  const role = fetching.role();
  for (let before = -1; before !== world.site.hits.length + world.browser.rounds.length;) {
    before = world.site.hits.length + world.browser.rounds.length;
    for (const host of hosts) {
      await role.fetchSlice(host);
      await read({ ...world, host });
    }
    await judgeCopies(pool, 60_000);
    await round(world);
    await read(world);
    await look(world);
  }
}

async function fetched(world: World): Promise<World> {
  await fetching.role().fetchSlice(world.host);
  return world;
}

/** Pages once the crawl is over. */
async function told({ crawl }: World): Promise<Record<string, unknown>> {
  await setState(pool, crawl, 'finished');
  const pages: Record<string, unknown> = {};
  for await (const { url, words, duplicateOf } of allPages(pool, String(crawl)))
    pages[new URL(url).pathname] = { words, of: duplicateOf === null ? null : new URL(duplicateOf).pathname };
  return pages;
}

const allOf = (world: World) => told(world).then((pages) => Object.values(pages));

const rendering = async ({ crawl, site }: World, path = '/') => {
  const { key } = (await fetching.urls(crawl, site.origin))[path] ?? { key: Buffer.alloc(0) };
  return tables.rendering.row(pool, { crawl_id: crawl, key });
};

/** Pages that are told of as shells that need a browser. */
const shellsOf = async ({ crawl }: World): Promise<number> =>
  (await viewCrawl(pool, String(crawl)))?.cut.emptyShells?.places ?? 0;

const not0 = expect.any(Buffer) as unknown;
const hex = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;

const client: Script = async (ask) => {
  if ((await ask('/app.js', 'script')) === null) return '<div id=root></div>';
  const list = await ask('/api/list.json');
  return list === null ? '<div id=root>Loading</div>' : text(list, '<a href=/next>next</a>');
};
const web = {
  '/': shell,
  '/app.js': body('text/javascript', 'run()'),
  '/api/list.json': json('shoes'),
};

describe('a page that needs a browser', () => {
  it('is rendered in rounds, until all that it asks for is there, and read as the browser made it', async () => {
    // It may be a sample of the host, now that a page has gained.
    const world = await begin(web, { '/': client }, ['/'], { renderNever: ['*/next'] });
    await run(world);
    expect(world.browser.rounds).toEqual(['/', '/', '/']);
    expect(world.site.paths().sort()).toEqual(['/', '/api/list.json', '/app.js', '/next', '/robots.txt']);
    const urls = await fetching.urls(world.crawl, world.site.origin);
    expect(urls).toMatchObject({
      '/': { state: 'done', stage: 0, kind: storedKinds.page },
      '/app.js': { state: 'done', kind: storedKinds.requisite },
      '/api/list.json': { state: 'done', kind: storedKinds.requisite },
      '/next': { state: 'done', kind: storedKinds.page },
    });
    expect(await told(world)).toMatchObject({ '/': { words: 42, of: null }, '/next': { of: null } });
    expect(await rendering(world)).toMatchObject({
      ...{ rounds: 3, outcome: 'settled', due_at: null, reason: 'mount', words_before: 0, lacks: 0 },
      resources: [
        { url: `${world.site.origin}/app.js`, type: 'script', outcome: 'given' },
        { url: `${world.site.origin}/api/list.json`, type: 'xhr', outcome: 'given' },
      ],
      ...{ refused: { POST: 1 }, console: ['said\ufffd'] },
    });
    // The answer as it came, with its head.
    expect(world.browser.given.get(`${world.site.origin}/api/list.json`)).toMatchObject({
      status: 200,
      headers: expect.arrayContaining([['content-type', 'application/json']]) as unknown,
    });
    const { content_hash: dom, answer_hash: answer } = urls['/'] ?? {};
    expect(new TextDecoder().decode((await fetching.blobs.get(answer ?? Buffer.alloc(0))) ?? undefined)).toBe(
      shellText,
    );
    expect(
      new TextDecoder().decode((await fetching.blobs.get(dom ?? Buffer.alloc(0))) ?? undefined),
    ).toContain('shoes39');
    await expectExact(pool, world.crawl);
  });

  it('is kept with what it looks like in its last round, until it looks different', async () => {
    let [script, type] = ['/app.js', 'text/html'];
    const changing: Answer = (response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(shellText.replace('/app.js', script));
    };
    const answers = { ...web, '/': changing, '/new.js': web['/app.js'] };
    const looks = { screenshot: 'page', pdf: true, renderNever: ['*/next'] } as const;
    const world = await begin(answers, { '/': client }, ['/'], looks);
    const made: string[] = [];
    world.browser.look = (name) => Buffer.from(`${name} ${String(made.push(name))}`);
    await run(world);
    expect(made).toEqual(['page', 'pdf']);
    const lookOf = (part: 'screenshot' | 'pdf') =>
      storedLook(pool, fetching.blobs, String(world.crawl), `${world.site.origin}/`, part);
    expect(String(await lookOf('screenshot'))).toBe('page 1');
    expect(String(await lookOf('pdf'))).toBe('pdf 2');
    const { screenshot_hash: first, lacks } = await rendering(world);
    expect(lacks).toBe(0);
    await expectExact(pool, world.crawl);

    // The same answer again: it looks as it did, whoever else had looked so. Another one: what it looked like is free.
    await tables.freedBody.add(pool, { hash: first ?? Buffer.alloc(0) });
    const { key } = (await fetching.urls(world.crawl, world.site.origin))['/'] ?? {};
    const again = async () => {
      await tables.url.change(pool, { crawl_id: world.crawl, key }, { state: 'queued', reason: 'recrawl' });
      await run(world);
      await freeBodies(pool, 0);
    };
    await again();
    expect(String(await lookOf('screenshot'))).toBe('page 1');
    expect(made).toHaveLength(2);
    script = '/new.js';
    await again();
    expect(String(await lookOf('screenshot'))).toBe('page 3');
    expect(await tables.body.count(pool, { hash: first ?? Buffer.alloc(0) })).toBe(0);
    await expectExact(pool, world.crawl);

    // Its bytes count as stored, and it goes where the page is rendered no more.
    const storedBytes = async () => (await readUsage(pool, defaultTenant)).used.storedBytes;
    await setState(pool, world.crawl, 'finished');
    for await (const { url, screenshot, pdf } of allPages(pool, String(world.crawl)))
      if (new URL(url).pathname === '/') expect([screenshot, pdf]).toEqual([hex, hex]);
    const records = (await exportedRecords(fetching, world.crawl)).map(({ type, uri, body: bytes }) => [
      type,
      uri,
      String(bytes),
    ]);
    expect(records).toContainEqual(['resource', `urn:fullPage:${world.site.origin}/`, 'page 3']);
    expect(records).toContainEqual(['resource', `urn:pdf:${world.site.origin}/`, 'pdf 4']);
    await setState(pool, world.crawl, 'running');
    const before = await storedBytes();
    [script, type] = ['/gone.js', 'text/plain'];
    await again();
    expect(await lookOf('screenshot')).toBeNull();
    expect(await rendering(world)).toMatchObject({ screenshot_hash: null, pdf_hash: null });
    expect(await storedBytes()).toBe(before - 'page 3'.length - 'pdf 4'.length + 1);
    await expectExact(pool, world.crawl);
  });

  it('has no look that is too large, which is counted, nor one once the browser was lost in it', async () => {
    const looks = { screenshot: 'window', pdf: true } as const;
    const world = await begin({ '/': shell, '/b': shell }, { '/': () => text('a'), '/b': () => text('b') }, ['/', '/b'], looks); // prettier-ignore
    world.browser.crashes = 1;
    world.browser.look = (name) => new Uint8Array(name === 'pdf' ? 10 * 1_024 ** 2 + 1 : 9);
    await run(world);
    const rows = await Promise.all(['/', '/b'].map((path) => rendering(world, path)));
    const [lost, large] = rows[0]?.crashes === 1 ? rows : rows.toReversed();
    expect(lost).toMatchObject({ crashes: 1, outcome: 'settled', screenshot_bytes: null, lacks: 2 });
    expect(large).toMatchObject({ screenshot_bytes: 9, pdf_hash: null, pdf_bytes: 10 * 1_024 ** 2 + 1, lacks: 1 }); // prettier-ignore
    const cuts = Object.values(await fetching.urls(world.crawl, world.site.origin)).map(({ cut }) => cut);
    expect(cuts).toContainEqual({ renderedFiles: 1 });
    await expectExact(pool, world.crawl);
  });

  it('has no look any more where it is judged again, or what the browser made of it is lost', async () => {
    const world = await begin({ '/': shell }, { '/': () => text('a') }, ['/'], { screenshot: 'page' });
    await read(await fetched(world));
    await round(world);
    const page = `${world.site.origin}/`;
    const key = async () =>
      (await fetching.urls(world.crawl, world.site.origin))['/']?.key ?? Buffer.alloc(0);
    const looks = async () => {
      const { screenshot_bytes: bytes } = await rendering(world);
      const explained = await explainUrlOf(pool, String(world.crawl), page, 'Orbweaver/0.0');
      const isThere =
        (await storedLook(pool, fetching.blobs, String(world.crawl), page, 'screenshot')) !== null;
      expect(explained?.record?.rendering?.screenshot?.isKept ?? false).toBe(isThere);
      expect(bytes !== null).toBe(isThere);
      await expectExact(pool, world.crawl);
      return isThere;
    };
    expect(await looks()).toBe(true);
    // Its new body waits to be judged.
    const lost = JSON.stringify([{ crawl_id: world.crawl, key: (await key()).toString('hex') }]);
    await requeueLostBodies(pool, world.host.hostId, lost);
    expect(await looks()).toBe(false);

    await run(world);
    expect(await looks()).toBe(true);
    const place = { crawl_id: world.crawl, key: await key() };
    const letIn = async () => {
      await tables.rendering.change(pool, place, { lacks_login: true });
      await inTransaction(pool, (db) => renderAgain(db, world.crawl, 9));
    };
    // One that is fetched again may be what it is.
    await tables.url.change(pool, place, { state: 'queued', reason: 'recrawl' });
    await letIn();
    expect(await looks()).toBe(true);
    await run(world);
    expect(await looks()).toBe(true);
    await letIn();
    expect(await looks()).toBe(false);
    await run(world);
    expect(await looks()).toBe(true);
  });

  it('is no copy of another one with the same body; those of which the browser made the same are', async () => {
    const own =
      (path: string): Script =>
      () =>
        text(path);
    const scripts = { '/': own('a'), '/b': own('b'), '/c': own('c'), '/d': own('c') };
    const paths = Object.keys(scripts);
    const world = await begin(Object.fromEntries(paths.map((path) => [path, shell])), scripts, paths);
    await read(await fetched(world));
    // As of one that was read while it was at hand.
    await tables.url.changeAny(pool, { crawl_id: world.crawl }, { cut: { emptyShells: 1 } });
    await run(world);
    const pages = await told(world);
    expect(pages).toMatchObject({ '/': { words: 41, of: null }, '/b': { words: 41, of: null } });
    expect([pages['/c'], pages['/d']]).toContainEqual({ words: 41, of: null });
    expect(JSON.stringify([pages['/c'], pages['/d']])).toMatch(/"of":"\/[cd]"/);
    expect(world.browser.rounds.sort()).toEqual(paths);
    // The plain body is nobody's content any more, and stays as long as a page is made of it.
    expect(await tables.content.count(pool, { crawl_id: world.crawl })).toBe(3);
    await expectExact(pool, world.crawl);
    const urls = await fetching.urls(world.crawl, world.site.origin);
    for (const path of paths) expect(urls[path]?.cut ?? {}).not.toHaveProperty('emptyShells');
  });

  it('is rendered too where it was taken for a copy before its body was known to say nothing', async () => {
    const scripts = { '/': () => text('a'), '/b': () => text('b') };
    const world = await begin({ '/': shell, '/b': shell }, scripts, ['/', '/b']);
    await fetching.role().fetchSlice(world.host);
    await judgeBodies(world.dependencies, world.host);
    const copies = { crawl_id: world.crawl, alias_host: not(null) };
    expect(await tables.url.count(pool, copies)).toBe(1);
    await run(world);
    expect(await told(world)).toMatchObject({ '/': { words: 41, of: null }, '/b': { words: 41, of: null } });
    await expectExact(pool, world.crawl);
  });

  it('goes to the browser at once where its body is known to say nothing', async () => {
    const world = await begin({ '/': shell, '/b': shell }, { '/': client, '/b': client });
    await fetching.role().fetchSlice(world.host);
    await read(world);
    await fetching.queue(world.crawl, world.host, '/b');
    await fetching.role().fetchSlice(world.host);
    await judgeBodies(world.dependencies, world.host);
    expect((await fetching.urls(world.crawl, world.site.origin))['/b']).toMatchObject({
      ...{ stage: storedStages.render, alias_host: null },
    });
  });

  it('keeps what the browser made of it while its answer is the same, and is rendered anew when it is not', async () => {
    let script = '/app.js';
    const changing: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(shellText.replace('/app.js', script));
    };
    // The page it links to may be a sample of the host, now that a page has gained.
    const answers = { ...web, '/': changing, '/new.js': web['/app.js'] };
    const world = await begin(answers, { '/': client }, ['/'], { renderNever: ['*/next'] });
    await run(world);
    const { key, content_hash: dom } = (await fetching.urls(world.crawl, world.site.origin))['/'] ?? {};
    const again = async () => {
      await tables.url.change(pool, { crawl_id: world.crawl, key }, { state: 'queued', reason: 'recrawl' });
      await run(world);
      return (await fetching.urls(world.crawl, world.site.origin))['/'];
    };
    expect(await again()).toMatchObject({ content_hash: dom, stage: 0 });
    expect(world.browser.rounds).toHaveLength(3);
    script = '/new.js';
    expect(await again()).toMatchObject({ content_hash: dom, stage: 0, answer_hash: not0 });
    expect(world.browser.rounds.length).toBeGreaterThan(3);
    await expectExact(pool, world.crawl);
  });

  it('repeats a round that was lost with its process, and stores nothing twice', async () => {
    const world = await begin(web, { '/': client });
    await fetching.role().fetchSlice(world.host);
    await read(world);
    for (const dies of [1, 2, 3]) {
      const mortal = dying(pool, dies);
      const dead = { ...world.dependencies, writer: new FrontierWriter(mortal) };
      await expect(round(world, dead)).rejects.toThrow('killed');
      expect(await waiting(world)).toHaveLength(1);
      // As its reading left it.
      const nothing = { rounds: 0, crashes: 0, unended: 0, outcome: null, resources: [] };
      expect(await rendering(world)).toMatchObject(nothing);
    }
    await run(world);
    expect(await rendering(world)).toMatchObject({ rounds: 3, crashes: 0, outcome: 'settled' });
    await expectExact(pool, world.crawl);
  });

  it('does not wait for a host that is parked', async () => {
    const away = await fetching.host('http://127.9.9.9:9');
    const asks: Script = async (ask) => text((await ask(`${away.origin}/far`)) ?? 'alone');
    const world = await begin({ '/': shell }, { '/': asks });
    await tables.host.change(
      pool,
      { id: Number(away.hostId) },
      { parked_at: fromNow(), last_error: 'tls: bad' },
    );
    await run(world);
    const { outcome, resources } = await rendering(world);
    expect([outcome, resources[0]?.outcome]).toEqual([
      'settled',
      expect.stringContaining('its host is parked'),
    ]);
    await expectExact(pool, world.crawl);
  });

  it.each(['done', 'queued', 'over'] as const)(
    'is rendered anew once a host that had logged the crawl out lets it in again, unless the crawl goes on no more: %s',
    async (as) => {
      const site = await startSite({ '/far': json('far') });
      const other = await fetching.host(site.origin);
      const asks: Script = async (ask) => text((await ask(`${site.origin}/far`)) ?? 'alone');
      const world = await begin({ '/': shell }, { '/': asks });
      await fetching.role().fetchSlice(world.host);
      await read(world);
      await round(world);
      const queue = { host_id: Number(other.hostId), crawl_id: world.crawl };
      await tables.queue.change(pool, queue, { logged_out_at: new Date(), logged_out: 'answered 401' });
      await look(world);
      await run(world);
      const [lacks] = (await rendering(world)).resources;
      expect(lacks?.outcome).toContain('has logged the crawl out');
      expect(site.hits).toHaveLength(0);

      const before = (await fetching.urls(world.crawl, world.site.origin))['/'];
      if (as === 'over') await setState(pool, world.crawl, 'cancelled');
      // To be fetched again: it brings the same answer.
      const place = { crawl_id: world.crawl, key: before?.key };
      if (as === 'queued') await tables.url.change(pool, place, { state: 'queued', reason: 'recrawl' });
      await retrySession(pool, world.crawl, () => Promise.resolve());
      if (as === 'over') {
        const { stage, content_hash, answer_hash } = before ?? {};
        expect(answer_hash).not.toBeNull();
        const after = (await fetching.urls(world.crawl, world.site.origin))['/'];
        expect(after).toMatchObject({ stage, content_hash, answer_hash });
        return;
      }
      await run(world, [world.host, other]);
      expect(site.paths()).toContain('/far');
      expect(await rendering(world)).toMatchObject({ outcome: 'settled', lacks_login: false });
      const [page] = await allOf(world);
      expect(page).toMatchObject({ words: 41 });
      await expectExact(pool, world.crawl);
    },
  );

  it('is told why a file does not come, and is read as far as it comes', async () => {
    const asks: Script = async (ask) => {
      const all = await Promise.all(['/closed', '/gone', '/moved', '/out', '/x'].map((url) => ask(url)));
      return text(`t${all.map((each) => each?.length ?? 'no').join('-')}`);
    };
    const world = await begin(
      {
        ...{ '/': shell, '/robots.txt': robots('User-agent: *', 'Disallow: /closed'), '/gone': status(404) },
        ...{ '/moved': status(302, { location: '/there' }), '/out': json('1234'), '/x': json('12') },
      },
      { '/': asks },
      ['/'],
      { exclude: ['*/x'], include: ['*/there'] },
    );
    await run(world);
    const { resources, outcome } = await rendering(world);
    expect(outcome).toBe('settled');
    expect(resources.map(({ outcome: each }) => each)).toEqual([
      expect.stringContaining('robots.txt forbids it'),
      'given',
      'given',
      'given',
      expect.stringContaining('an exclude pattern matches it'),
    ]);
    const at = (path: string) => world.browser.given.get(world.site.origin + path);
    expect(at('/gone')).toMatchObject({ status: 404 });
    expect(at('/moved')).toMatchObject({
      status: 302,
      headers: expect.arrayContaining([['location', '/there']]) as unknown,
    });
    await expectExact(pool, world.crawl);
  });

  it('asks for what was left out as a page', async () => {
    const asks: Script = async (ask) => text((await ask('/deep')) ?? 'none', '<a href=/deep>deep</a>');
    const world = await begin(
      { '/': body('text/html', `${shellText}<a href=/deep></a>`), '/deep': json('found') },
      { '/': asks },
      ['/'],
      { include: ['*/none'] },
    );
    await run(world);
    expect((await fetching.urls(world.crawl, world.site.origin))['/deep']).toMatchObject({
      ...{ state: 'done', kind: storedKinds.requisite },
    });
    expect(world.browser.given.get(`${world.site.origin}/deep`)).toMatchObject({ status: 200 });
    await expectExact(pool, world.crawl);
  });

  it('keeps to its limits, which are counted', async () => {
    const endless: Script = async (ask) => {
      let at = 0;
      while ((await ask(`/files/${String(at)}`)) !== null) at++;
      return text(`n${String(at)}`);
    };
    const many: Script = async (ask) => {
      for (let at = 0; at < 110; at++) await ask(`/many/${String(at)}`);
      return text('many');
    };
    const world = await begin({ '/': shell, '/many': shell }, { '/': endless, '/many': many }, [
      '/',
      '/many',
    ]);
    await run(world);
    expect(await rendering(world)).toMatchObject({ rounds: 6, outcome: 'rounds', lacks: 1 });
    expect(await rendering(world, '/many')).toMatchObject({ rounds: 2, outcome: 'limits', lacks: 10 });
    expect(await fetching.urls(world.crawl, world.site.origin)).toMatchObject({
      '/': { cut: { renderedFiles: 1 } },
      '/many': { cut: { renderedFiles: 10 } },
    });
    await expectExact(pool, world.crawl);
  });

  it('keeps what was read of it where a process ends in it three times, and no other page does for its sake', async () => {
    const world = await fetched(await begin({ '/': shell, '/b': shell }, { '/': client }, ['/', '/b']));
    await read(world);
    await judgeCopies(pool, 60_000);
    // It renders no more, and nobody hears of it.
    const dead = { ...world.browser, render: () => new Promise<never>(() => undefined) };
    const unended = async () =>
      (await tables.rendering.rows(pool, { crawl_id: world.crawl })).map(({ unended: times }) => times);
    for (const lost of [
      [1, 1],
      [1, 2],
      [1, 3],
    ]) {
      void round(world, world.dependencies, dead);
      await until('the rounds have begun', async () => String((await unended()).toSorted()) === String(lost));
    }
    await round(world);
    expect(world.browser.rounds).toHaveLength(1);
    expect(await unended()).toEqual([0, 0]);
    const outcomes = await Promise.all(
      ['/', '/b'].map(async (path) => (await rendering(world, path)).outcome),
    );
    expect(outcomes.filter((outcome) => outcome === 'crashed')).toHaveLength(1);
    await run(world);
    await expectExact(pool, world.crawl);
  });

  it('keeps what was read of it where the browser is lost in it twice', async () => {
    const world = await begin({ '/': shell, '/b': shell }, { '/': client }, ['/', '/b']);
    world.browser.crashes = 99;
    await run(world);
    expect(await rendering(world)).toMatchObject({ crashes: 2, outcome: 'crashed' });
    const pages = await told(world);
    expect(Object.values(pages)).toContainEqual({ words: 0, of: null });
    expect(Object.values(pages).filter((page) => JSON.stringify(page).includes('"of":"/'))).toHaveLength(1);
    expect(await shellsOf(world)).toBe(1);
    await expectExact(pool, world.crawl);
  });
});

it('without a browser pages are what they are, and copies copies', async () => {
  await tables.worker.remove(pool);
  const world = await begin({ '/': shell, '/b': shell }, {}, ['/', '/b']);
  await run(world);
  expect(world.browser.rounds).toEqual([]);
  expect(Object.values(await told(world))).toContainEqual({ words: 0, of: null });
  expect(await tables.url.count(pool, { crawl_id: world.crawl, alias_host: not(null) })).toBe(1);
  expect((await tables.crawl.row(pool, { id: world.crawl })).renders_since).toBeNull();
  await expectExact(pool, world.crawl);
});

it('what a browser has rendered is counted as no shell that needs one, and explain tells what it wanted', async () => {
  const still = '<div id=root></div><script src=/app.js></script>';
  const world = await begin({ '/': shell }, { '/': () => still });
  await read(await fetched(world));
  const id = String(world.crawl);
  expect(await viewCrawl(pool, id)).toMatchObject({ rendering: 1, cut: {} });
  expect((await timeOf(pool, id, new Date()))?.summary).toContain('1 page waits for a browser, or for files');
  await run(world);
  const urls = await fetching.urls(world.crawl, world.site.origin);
  expect(urls['/']).toMatchObject({ state: 'done', stage: 0, answer_hash: not0 });
  expect(urls['/']?.cut ?? {}).not.toHaveProperty('emptyShells');
  const page = `${world.site.origin}/`;
  const explained = await explainUrlOf(pool, String(world.crawl), page, 'Orbweaver/0.0');
  expect(explained?.record?.rendering).toMatchObject({ refused: { POST: 1 }, console: ['said\ufffd'] });
  const [told] = explained?.decisions.filter(({ step }) => step === 'render') ?? [];
  expect(told?.because).toContain('Not requested for it: 1 × POST. Its console says: said');
});

it('the report says how many pages were rendered, what that took, and what it gained', async () => {
  const world = await begin(web, { '/': client }, ['/'], { renderNever: ['*/next'] });
  await run(world);
  const report = await reportCrawl(pool, String(world.crawl), new Date());
  expect(report?.rendering).toEqual({ waiting: 0, rendered: 1, kept: 0, rounds: 3, words: 42, files: 0 });
});

it('a crawl that says never renders nothing', async () => {
  const world = await begin({ '/': shell }, {}, ['/'], { render: 'never' });
  await run(world);
  expect(world.browser.rounds).toEqual([]);
});

it('pages that wait while their crawl ends keep what was read of them', async () => {
  const world = await begin({ ...web, '/b': shell }, { '/': client, '/b': client }, ['/', '/b']);
  await fetching.role().fetchSlice(world.host);
  await read(world);
  await round(world);
  await setState(pool, world.crawl, 'draining');
  await endRenderings(pool, 1);
  await endRenderings(pool, 9);
  expect(await tables.url.count(pool, { crawl_id: world.crawl, stage: not(0) })).toBe(0);
  // One of them may have been taken for a copy of the other: their bodies are the same.
  const rows = await tables.rendering.rows(pool, { crawl_id: world.crawl });
  expect(new Set(rows.map(({ outcome, due_at: due }) => [outcome, due].join()))).toEqual(new Set(['ended,']));
  expect(await shellsOf(world)).toBe(1);
  await expectExact(pool, world.crawl);
});

it('shells that nobody will render are counted, however many pages wait for a browser', async () => {
  const other = body('text/html', shellText.replace('Shop', 'Other'));
  const answers = { '/': shell, '/b': other, '/c': shell };
  const world = await begin(answers, {}, ['/', '/b'], { renderNever: ['*/b'] });
  await read(await fetched(world));
  expect(await shellsOf(world)).toBe(1);
  // Known to say nothing, it goes to the browser without being read.
  await fetching.queue(world.crawl, world.host, '/c');
  await read(await fetched(world));
  expect(await viewCrawl(pool, String(world.crawl))).toMatchObject({ rendering: 2 });
  expect(await shellsOf(world)).toBe(1);
});

describe('a finish criterion', () => {
  const config = {
    finish: { any: [{ matching: { count: 9, title: 'shop' } }, { matching: { count: 9, title: 'made' } }] },
  };
  const counted = async ({ crawl }: World): Promise<Record<string, number>> => {
    const rows = await tables.counter.rows(pool, { crawl_id: crawl });
    return Object.fromEntries(rows.map(({ counter, pages }) => [/"(\w+)"/.exec(counter)?.[1] ?? '', pages]));
  };
  const madeShop: Script = () => `<title>made of it</title>${text('a')}`;

  it('counts a page as the browser made it', async () => {
    const world = await begin({ '/': shell }, { '/': madeShop }, ['/'], config);
    await run(world);
    expect(await counted(world)).toEqual({ made: 1 });
  });

  it.each(['the browser is lost', 'there is none any more'])(
    'counts a page as it was read, and its copies not, where %s',
    async (why) => {
      const world = await begin({ '/': shell, '/b': shell }, {}, ['/', '/b'], config);
      await read(await fetched(world));
      expect(await counted(world)).toEqual({});
      if (why === 'the browser is lost') world.browser.crashes = 4;
      else {
        await tables.worker.remove(pool);
        await noteWorker(pool, randomUUID(), ['extract'], null);
        await tables.worker.changeAny(pool, {}, { started_at: fromNow(-200) });
        await endRenderings(pool, 9);
      }
      await run(world);
      await run(world);
      expect(await tables.url.count(pool, { crawl_id: world.crawl, stage: not(0) })).toBe(0);
      expect(await counted(world)).toEqual({ shop: 1 });
    },
  );
});

it('a page that is rendered since others like it gained is told so, from before its first round on', async () => {
  const plain = body(
    'text/html',
    `<!doctype html><title>Plain</title>${text('p')}<script src=/app.js></script>`,
  );
  const world = await begin({ '/': shell, '/list/1': plain }, { '/': () => text('a'), '/list/1': () => text('l') }); // prettier-ignore
  await run(world);
  const at = Math.floor(Date.now() / 1_000);
  const won = { at, shellsWon: 0, shellsLost: 0, othersWon: 9_000, othersLost: 0 };
  await inTransaction(pool, (db) =>
    storeGains(
      db,
      defaultTenant,
      Number(world.host.hostId),
      JSON.stringify([{ shape: '/list/{n}', ...won }]),
    ),
  );
  await fetching.queue(world.crawl, world.host, '/list/1');
  // Another process, which has not asked yet what is known of the host.
  const fresh = { ...world, dependencies: fetching.dependencies() };
  await read(await fetched(fresh));
  const because = async (): Promise<string | undefined> => {
    const page = `${world.site.origin}/list/1`;
    const explained = await explainUrlOf(pool, String(world.crawl), page, 'Orbweaver/0.0');
    return explained?.decisions.find(({ step }) => step === 'render')?.because;
  };
  expect(await because()).toContain('renders it, since pages like it have gained text or links: 0 rounds');
  await run(fresh);
  expect(await rendering(world, '/list/1')).toMatchObject({ reason: 'learned', outcome: 'settled' });
  expect(await because()).toContain('render it, since pages like it have gained text or links');
});

it('a worker that renders and is late to say so is there for two minutes', async () => {
  await tables.worker.change(pool, {}, { seen_at: fromNow(-90) });
  const world = await begin(web, { '/': client });
  await run(world);
  expect(await rendering(world)).toMatchObject({ outcome: 'settled' });
});

it('shells of a shape that gains nothing are rendered seldom, those of another as ever', async () => {
  const named = (folder: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `/${folder}/${String(from + at)}`);
  const first = [...named('empty', 1, 13), ...named('full', 1, 4)];
  const then = [...named('empty', 20, 50), ...named('full', 20, 25)];
  const all = [...first, ...then];
  const world = await begin(
    Object.fromEntries(all.map((path) => [path, body('text/html', shellText.replace('Shop', path))])),
    Object.fromEntries(all.map((path) => [path, () => (path.startsWith('/full') ? text(path) : '')])),
    first,
  );
  await run(world);
  expect(world.browser.rounds).toHaveLength(first.length);
  world.browser.rounds.length = 0;
  await fetching.queue(world.crawl, world.host, ...then);
  await run(world);
  expect(world.browser.rounds.filter((path) => path.startsWith('/full'))).toHaveLength(5);
  // A tenth of them is a sample.
  expect(world.browser.rounds.filter((path) => path.startsWith('/empty')).length).toBeLessThan(15);
  expect(Object.values(await told(world)).filter((page) => page !== null)).toHaveLength(all.length);
});

it('what a page writes is stored, however it is written, and its rounds end', async () => {
  const world = await begin({ '/': shell }, { '/': () => text('said') });
  const spoken = {
    ...world.browser,
    render: async (...given: Parameters<typeof world.browser.render>) => ({
      ...(await world.browser.render(...given)),
      console: ['half \ud800', 'x'.repeat(5_000)],
      navigation: `https://a.example/\udc00${'y'.repeat(5_000)}`,
      refused: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`A${String(at)}\ud83d`, 1])),
    }),
  };
  await run({ ...world, browser: spoken });
  const {
    console: lines,
    navigation,
    refused,
    outcome,
  } = (await rendering(world)) as unknown as {
    console: string[];
    navigation: string;
    refused: object;
    outcome: string;
  };
  expect(outcome).toBe('settled');
  expect(lines.map((line) => line.length)).toEqual([6, 1_000]);
  expect(navigation).toHaveLength(1_000);
  expect(Object.keys(refused).length).toBeLessThanOrEqual(50);
});

it('a page asks for no more than a hundred new URLs in all its rounds', async () => {
  const script: Script = async (ask) => {
    const rounds = world.browser.rounds.length;
    for (let at = 0; at < 60; at++) await ask(`/f/${String(rounds)}/${String(at)}.json`);
    return text('greedy');
  };
  const world = await begin({ '/': shell }, { '/': script });
  await run(world);
  const files = await tables.url.count(pool, { crawl_id: world.crawl, kind: storedKinds.requisite });
  expect(files).toBe(100);
});

it('a crawl with a session gives a page nothing of another site', async () => {
  const other = await startSite({ '/secret.js': body('text/javascript', 'secret') });
  const script: Script = async (ask) =>
    text((await ask(other.origin.replace('127.0.0.1', 'localhost') + '/secret.js', 'script')) ?? 'nothing');
  const world = await begin({ '/': shell }, { '/': script }, ['/'], { keepCookies: true });
  await run(world);
  expect(other.hits).toHaveLength(0);
  expect([...world.browser.given.values()]).toEqual([
    { failed: expect.stringContaining('another site') as string },
  ]);
});

it.skipIf(!hasBrowser)(
  'what a browser asks for past the limits is counted (needs a browser)',
  { tags: ['long'] },
  async () => {
    const greedy =
      '<title>Shop</title><div id=root></div><script>for (let at = 0; at < 110; at++) fetch("/f/" + at).catch(() => 0)</script>';
    const world = await begin({ '/': body('text/html', greedy) }, {});
    await fetching.role().fetchSlice(world.host);
    await read(world);
    const opened = openRenderer();
    try {
      for (let rounds = 0; rounds < 2; rounds++) {
        await round(world, world.dependencies, opened.renderer);
        await fetching.role().fetchSlice(world.host);
        await look(world);
      }
    } finally {
      await closeRenderer(opened);
    }
    await read(world);
    expect(await rendering(world)).toMatchObject({ rounds: 2, outcome: 'limits', lacks: 10 });
    expect(await fetching.urls(world.crawl, world.site.origin)).toMatchObject({
      '/': { cut: { renderedFiles: 10 } },
    });
  },
);

it('what limits leave out of a page is counted', async () => {
  const world = await begin({ '/': shell }, { '/': () => text('long') });
  world.browser.leftOut = 3;
  await run(world);
  expect(await rendering(world)).toMatchObject({ outcome: 'limits', lacks: 3 });
  expect(await fetching.urls(world.crawl, world.site.origin)).toMatchObject({
    '/': { cut: { renderedFiles: 3 } },
  });
});

it('a page waits where no browser starts, and none of that is a crash of its own', async () => {
  const world = await begin(web, { '/': client });
  await fetching.role().fetchSlice(world.host);
  await read(world);
  const none = { ...world.browser, render: () => Promise.reject(new Error('it does not start')) };
  for (let times = 0; times < 3; times++)
    await expect(round(world, world.dependencies, none)).rejects.toThrow('it does not start');
  expect(await waiting(world)).toHaveLength(1);
  await run(world);
  expect(await rendering(world)).toMatchObject({ rounds: 3, crashes: 0, outcome: 'settled' });
});

it('patterns are compared with the canonical URL of a page, however it is spelled', async () => {
  const world = await begin({ '/%7Eshop': shell }, { '/%7Eshop': () => text('a') }, ['/%7Eshop'], {
    render: 'never',
    renderAlways: ['*/~shop'],
  });
  await run(world);
  expect(world.browser.rounds).toEqual(['/%7Eshop']);
});

it('a crawl is given to no browser before all processes know that its pages are rendered', async () => {
  const world = await begin(web, { '/': client });
  await fetching.role().fetchSlice(world.host);
  await read(world);
  const crawls = async () => {
    const { shard } = await tables.host.row(pool, { id: Number(world.host.hostId) });
    const lane = { shard, lane: 0, lanes: 1 };
    const rows = await hostsInStage(pool, lane, storedStages.render, new Map());
    return rows.map(({ crawl_id: id }) => id).filter((id) => id === world.crawl);
  };
  await tables.crawl.change(pool, { id: world.crawl }, { renders_since: fromNow(60) });
  expect(await crawls()).toEqual([]);
  await tables.crawl.change(pool, { id: world.crawl }, { renders_since: fromNow(-9) });
  expect(await crawls()).toEqual([world.crawl]);
});

it('a look at pages that wait leaves those alone that another one looks at', async () => {
  const world = await begin(web, { '/': client });
  await fetching.role().fetchSlice(world.host);
  await read(world);
  await round(world);
  await tables.rendering.changeAny(pool, { crawl_id: world.crawl }, { due_at: fromNow(-1) });
  await inTransaction(pool, async (db) => {
    expect(await lookAgain(db, 100)).toEqual([{ looked: 1 }]);
    expect(await lookAgain(pool, 100)).toEqual([{ looked: 0 }]);
  });
});

it('the time that a page may wait stands still while its crawl is paused, and no longer', async () => {
  const world = await begin(web, { '/': client });
  await fetching.role().fetchSlice(world.host);
  await read(world);
  await round(world);
  const leftMs = async () => {
    const { until } = (await rendering(world)) as unknown as { readonly until: Date };
    return until.getTime();
  };
  const before = await leftMs();
  await setState(pool, world.crawl, 'paused');
  // The first looks come half a second apart, and are late by one here.
  await look(world);
  expect(await leftMs()).toBeGreaterThanOrEqual(before + 1_500);
  expect(await leftMs()).toBeLessThan(before + 20_000);
});

it('a page that is rendered since the crawl asks for it says so after a single round too', async () => {
  const plain = body('text/html', text('plain'));
  const world = await begin({ '/': plain }, { '/': () => text('plain') }, ['/'], { render: 'always' });
  await run(world);
  expect(await rendering(world)).toMatchObject({ rounds: 1, outcome: 'settled', reason: 'asked' });
});
