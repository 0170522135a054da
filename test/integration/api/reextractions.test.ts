/**
 * Re-extractions: read without a fetch wherever a process dies, compared, switched at one moment, undone, kept.
 * @module-tag long
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { defaultCrawlConfig } from '../../../contracts/crawl.ts';
import type { PageView } from '../../../contracts/http/results.ts';
import type { ReextractionComparison, ReextractionView } from '../../../contracts/http/reextractions.ts';
import type { SearchAnswerView } from '../../../contracts/http/search.ts';
import { createTextReader } from '../../../engine/page-text.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { rankCopies, type PageRow } from '../../../storage/pages/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import type { ReextractionTools } from '../../../engine/reextraction/job.ts';
import { workAtReextraction, workOut } from '../../support/stints.ts';
import { searchJobs } from '../../../engine/search/indexing.ts';
import { judgeAlike } from '../../../storage/alike/index.ts';
import { markRemoved, removeBatch } from '../../../storage/crawls/index.ts';
import { reextractionRows, storeReextracted } from '../../../storage/reextraction/index.ts';
import { askIndex, PostgresIndex } from '../../../storage/search/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { fromNow, rowsOfCrawl, setState, tables } from '../../support/database/index.ts';
import { ask } from './asking.ts';
import { dyingAt, Killed, storeCrawl, type Stored } from './exported.ts';
import { extractorThat, reextractionTools, versions, workWhole } from './reextracting.ts';
import { newRunningCrawl, serve, startServices, type Api, type Services } from './world.ts';

const pages = 130;
let services: Services;
let api: Api;
let folder: string;
let crawl: Stored;
let tools: ReextractionTools;
// Each test changes what pages say.
beforeEach(async () => {
  services = await startServices();
  folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-reextraction-'));
  crawl = await storeCrawl(services.pool, folder, pages);
  tools = reextractionTools(services.pool, crawl.archive);
  api = await serve(services.pool, { archive: crawl.archive });
  return async () => {
    await api.stop();
    await services.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});

const never = new AbortController().signal;
const base = (): string => `/v1/crawls/${crawl.id}/reextractions`;
const call = <T>(method: string, of: string, body?: object) => ask<T>(api.url, api.key, method, of, body);
const start = async (): Promise<string> => (await call<ReextractionView>('POST', base(), {})).body.id;
const view = async (id: string): Promise<ReextractionView> =>
  (await call<ReextractionView>('GET', `${base()}/${id}`)).body;
const change = async (id: string, name: string) =>
  call<ReextractionView>('POST', `${base()}/${id}/${name}`, {});
const compare = async (id: string, query = ''): Promise<ReextractionComparison> =>
  (await call<ReextractionComparison>('GET', `${base()}/${id}/comparison${query}`)).body;
/** With all that follows. */
const changed = async (id: string, name: string): Promise<void> => {
  expect((await change(id, name)).status).toBe(200);
  await workWhole(tools, id);
};
const made = async (by: ReextractionTools = tools): Promise<string> => {
  const id = await start();
  await workWhole(by, id);
  expect((await view(id)).state).toBe('finished');
  return id;
};
const listed = async (fields = 'meta,links'): Promise<PageView[]> =>
  (await call<{ items: PageView[] }>('GET', `/v1/crawls/${crawl.id}/pages?limit=1000&fields=${fields}`)).body
    .items;
const titles = async (): Promise<(string | null)[]> => (await listed()).map(({ title }) => title);
const found = async (id: string) =>
  (await tables.reading.rows(services.pool, { job_id: Number(id) })).map(
    ({ key, title, words, outlinks }) => ({ key: key.toString('hex'), title, words, outlinks }),
  );

describe('a re-extraction', () => {
  it('reads each page once, however often the process dies, and changes nothing that anybody reads', async () => {
    const before = await listed();
    const whole = await made();
    const broken = await start();
    let deaths = 0;
    for (; (await view(broken)).state !== 'finished'; deaths++)
      await workAtReextraction(
        { ...tools, pool: dyingAt(services.pool, 1 + (deaths % 7)) },
        broken,
        () => true,
        never,
      ).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
    expect(deaths).toBeGreaterThan(2);
    expect(await view(broken)).toMatchObject({
      pages,
      different: pages,
      equal: 0,
      unread: {},
      extractor: versions.next,
    });
    expect(await found(broken)).toEqual(await found(whole));
    expect((await compare(broken)).fields).toEqual((await compare(whole)).fields);
    expect(await listed()).toEqual(before);
  });

  it('counts pages that say the same, and keeps no row of them', async () => {
    // What was stored is not what this extractor reads, so that this one makes it so.
    const some = extractorThat((page) => page, versions.present);
    const first = await made({ ...tools, extractor: some });
    await changed(first, 'switch');
    await changed(first, 'keep');
    const odd = extractorThat((page, url) => (url.endsWith('7') ? { ...page, description: 'new' } : page));
    const id = await made({ ...tools, extractor: odd });
    expect(await view(id)).toMatchObject({ pages, equal: pages - 9, different: 9 });
    expect(await tables.reading.count(services.pool, { job_id: Number(id) })).toBe(9);
    const { fields } = await compare(id, '?samples=20');
    expect(fields).toEqual([{ field: 'description', pages: 9, samples: expect.any(Array) as unknown }]);
    expect(fields[0]?.samples).toContainEqual({
      ...{ url: 'https://www.a.example/p/7', before: null, after: 'new' },
    });
  });

  it('reads by the rules that the crawl has now', async () => {
    const rules = {
      fields: { heading: { select: 'h1', type: 'text' }, number: { select: 'h1', type: 'integer' } },
    };
    const edited = await call('PATCH', `/v1/crawls/${crawl.id}`, { rules });
    expect(edited.status, JSON.stringify(edited.body)).toBe(200);
    const present = extractorThat((page) => page, versions.present);
    const id = await made(reextractionTools(services.pool, crawl.archive, present));
    const { fields } = await compare(id);
    const byName = new Map(fields.map((field) => [field.field, field]));
    expect(byName.get('fields.heading')).toMatchObject({ pages });
    expect(byName.get('fields.number')?.samples[0]).toMatchObject({ before: null });
    await changed(id, 'switch');
    const page = (await listed('fields')).find(({ url }) => url.endsWith('/p/7'));
    expect(page?.fields).toEqual({ heading: 'Page 7', number: 7 });
    await changed(id, 'undo');
    expect((await listed('fields')).every((each) => each.fields === null)).toBe(true);
  });

  it('counts bodies that are missing, damaged, or too much for the extractor, by reason', async () => {
    const rows = await tables.url.rows(services.pool, { crawl_id: Number(crawl.id) });
    const at = (end: string) => rows.find(({ url }) => url.endsWith(end));
    await tables.body.remove(services.pool, { hash: at('/p/1')?.content_hash });
    const faulty = extractorThat((page, url) => {
      if (url.endsWith('/p/5')) throw new Error('a fault');
      return { ...page, title: 'again' };
    });
    const torn = at('/p/2')?.content_hash ?? Buffer.of();
    const blobs = {
      get: async (digest: Uint8Array) => (torn.equals(digest) ? null : crawl.archive.get(digest)),
    };
    const id = await made(reextractionTools(services.pool, blobs, faulty));
    const unread = { missing: 1, damaged: 1, 'extractor-fault': 1 };
    expect(await view(id)).toMatchObject({ pages, different: pages - 3, unread });
    expect((await compare(id)).unreadPages).toContainEqual({
      ...{ reason: 'missing', urls: ['https://www.a.example/p/1'] },
    });
    await changed(id, 'switch');
    const said = new Map((await listed()).map(({ url, title }) => [url, title]));
    expect(said.get('https://www.a.example/p/1')).toBe('Page 1, “ü”');
    expect(said.get('https://www.a.example/p/4')).toBe('again');
  });

  it('refuses an older owner that was only frozen', async () => {
    const id = await start();
    await workAtReextraction(tools, id, () => false, never);
    await reextractionRows.claim(services.pool, id, '00000000-0000-4000-8000-000000000001');
    const frozen = workAtReextraction(
      {
        ...tools,
        blobs: {
          ...tools.blobs,
          get: async (digest) => {
            await reextractionRows.claim(services.pool, id, '00000000-0000-4000-8000-000000000002');
            return crawl.archive.get(digest);
          },
        },
      },
      ...([id, () => true, never] as const),
    );
    expect(await frozen).toBeNull();
    expect((await view(id)).pages).toBe(100);
    expect(await storeReextracted(services.pool, id, '00000000-0000-4000-8000-000000000001', '[]')).toEqual(
      [],
    );
    await workWhole(tools, id);
    expect(await view(id)).toMatchObject({ state: 'finished', pages });
  });

  it('fails if another version of the extractor takes it up, and says so', async () => {
    const id = await start();
    await workAtReextraction(tools, id, () => false, never);
    await workWhole({ ...tools, extractor: extractorThat((page) => page, versions.next + 1) }, id);
    expect(await view(id)).toMatchObject({
      ...{
        state: 'failed',
        reason: expect.stringContaining(`version ${String(versions.next + 1)} runs now`) as unknown,
      },
    });
    await workWhole(tools, id);
    expect(await found(id)).toEqual([]);
  });

  it('reads each body once though copies are chosen meanwhile', async () => {
    await setState(services.pool, crawl.id, 'running');
    const id = await start();
    await workAtReextraction(tools, id, () => false, never);
    await inTransaction(services.pool, (db) => rankCopies(db, Number(crawl.id)));
    await setState(services.pool, crawl.id, 'finished', 'complete');
    await workWhole(tools, id);
    expect(await view(id)).toMatchObject({ state: 'finished', pages, different: pages });
  });

  it('gives way to pages that wait to be read', async () => {
    const other = await newRunningCrawl(services.pool);
    await tables.ledger.add(services.pool, { crawl_id: Number(other), shard: 31, pending: 1 });
    const id = await start();
    const readAt: number[] = [];
    const blobs = {
      get: async (digest: Uint8Array) => {
        readAt.push(performance.now());
        return crawl.archive.get(digest);
      },
    };
    await workWhole(reextractionTools(services.pool, blobs), id);
    const [first = 0, last = 0, next = 0] = [readAt[0], readAt[99], readAt[100]];
    expect(next - last).toBeGreaterThanOrEqual(Math.min(4_990, 4 * (last - first)));
    expect(await view(id)).toMatchObject({ state: 'finished', pages });
  });
});

describe('a switch', () => {
  it('is one moment for all pages, for lists, exports and explanations, and so is its undoing', async () => {
    // As at the end of its crawl.
    await inTransaction(services.pool, (db) => rankCopies(db, Number(crawl.id)));
    const before = await listed();
    const id = await made();
    expect((await change(id, 'switch')).body).toMatchObject({ inUse: true, settled: false });
    const after = await listed();
    const read = after.filter(({ words }) => words !== null);
    expect(read.length).toBeGreaterThan(pages);
    expect(
      read.every(({ title, meta }) => title?.endsWith(', renewed') && meta?.version === versions.next),
    ).toBe(true);
    const exported = await (
      await fetch(`${api.url}/v1/crawls/${crawl.id}/export?format=jsonl`, {
        headers: { authorization: `Bearer ${api.key}` },
      })
    ).text();
    expect(exported.match(/, renewed"/g)).toHaveLength(read.length);
    await workWhole(tools, id);
    expect(await view(id)).toMatchObject({ settled: true });
    await changed(id, 'undo');
    expect(await listed()).toEqual(before);
    expect(await view(id)).toMatchObject({ state: 'finished', inUse: false, settled: true });
    await changed(id, 'switch');
    expect(await titles()).toEqual(after.map(({ title }) => title));
  });

  it('is undone though somebody still follows it up', async () => {
    const id = await made();
    await change(id, 'switch');
    const owner = '00000000-0000-4000-8000-000000000001';
    const [job] = await reextractionRows.claim(services.pool, id, owner);
    expect((await change(id, 'undo')).status).toBe(200);
    const next = JSON.stringify({ ...job, progress: { ...job?.progress, isSettled: true } });
    expect(await reextractionRows.note(services.pool, id, owner, next, true)).toEqual([]);
    expect(await view(id)).toMatchObject({ inUse: false, settled: false });
    await workWhole(tools, id);
    expect(await view(id)).toMatchObject({ state: 'finished', inUse: false, settled: true });
  });

  it('leaves a page alone that was fetched and read after it', async () => {
    const id = await made();
    await changed(id, 'switch');
    const page = { crawl_id: Number(crawl.id), title: 'Page 3, “ü”', job_id: 0 };
    const { key, text_hash: hashed, ...row } = await tables.reading.row(services.pool, page);
    const read = {
      ...row,
      key: key.toString('hex'),
      text_hash: hashed?.toString('hex') ?? null,
      title: 'newer',
    };
    await new FrontierWriter(services.pool).write({
      pages: [{ ...read, counters: [] } as unknown as PageRow],
    });
    expect(await titles()).toContain('newer');
    const { fields } = await compare(id, '?samples=20&field=title');
    expect(fields.flatMap(({ samples }) => samples).map(({ before }) => before)).not.toContain('newer');
    await changed(id, 'keep');
    expect(await titles()).toContain('newer');
    expect((await titles()).filter((title) => title?.endsWith(', renewed')).length).toBeGreaterThan(
      pages - 2,
    );
  });

  it('is what copies are chosen by, and goes with the page that is chosen', async () => {
    const canonical = 'https://www.a.example/again';
    const named = extractorThat((page, url) =>
      url === 'https://www.a.example/p/0?b=2&a=1' ? { ...page, canonical, title: 'moved' } : page,
    );
    const id = await made({ ...tools, extractor: named });
    await changed(id, 'switch');
    const of = async (url: string) => (await listed()).find((page) => page.url === url);
    expect(await of(canonical)).toMatchObject({ duplicateOf: null, title: 'moved' });
    expect(await of('https://www.a.example/copy')).toMatchObject({ duplicateOf: canonical });
    await inTransaction(services.pool, (db) => rankCopies(db, Number(crawl.id)));
    expect(await of(canonical)).toMatchObject({ title: 'moved' });
  });

  it('is what searches find', async () => {
    await askIndex(services.pool, crawl.id);
    const index = searchJobs(
      services.pool,
      new PostgresIndex(services.pool),
      createTextReader(crawl.archive),
    );
    const indexed = () => workOut(index, crawl.id);
    const search = async (): Promise<number> =>
      (await call<SearchAnswerView>('GET', `/v1/crawls/${crawl.id}/search?q=renewed&limit=50`)).body.found;
    await indexed();
    expect(await search()).toBe(0);
    const id = await made();
    await changed(id, 'switch');
    await indexed();
    expect(await search()).toBeGreaterThan(100);
    await changed(id, 'undo');
    await indexed();
    expect(await search()).toBe(0);
  });

  it('is what near-duplicates are judged by', async () => {
    await tables.crawl.change(
      services.pool,
      { id: Number(crawl.id) },
      { config: { ...defaultCrawlConfig, nearDuplicates: true } },
    );
    const words = (from: number): string =>
      Array.from({ length: 200 }, (_, at) => `word${String((from + at) * 7_919)}`).join(' ');
    const alike = extractorThat((page, url) => ({
      ...page,
      main: /\/p\/(1|2)$/.test(url) ? words(0) : words(1_000 * (1 + url.length)),
    }));
    const apart = extractorThat(
      (page, url) => ({ ...page, main: words(Number(/\d+/.exec(url)?.[0]) * 1_000) }),
      1,
    );
    const first = await made({ ...tools, extractor: apart });
    await changed(first, 'switch');
    await changed(first, 'keep');
    const near = async (): Promise<string | undefined> => {
      await judgeAlike(services.pool, 60_000);
      return (await listed()).find(({ url }) => url.endsWith('/p/2'))?.nearDuplicateOf?.url;
    };
    expect(await near()).toBeUndefined();
    const id = await made({ ...tools, extractor: alike });
    expect(await near()).toBeUndefined();
    await changed(id, 'switch');
    expect(await near()).toBe('https://www.a.example/p/1');
    await changed(id, 'undo');
    expect(await near()).toBeUndefined();
  });

  it('is followed up by another process, if the one that began dies anywhere', async () => {
    const id = await made();
    await change(id, 'switch');
    let deaths = 0;
    for (; !(await view(id)).settled; deaths++)
      await workAtReextraction(
        { ...tools, pool: dyingAt(services.pool, deaths) },
        id,
        () => true,
        never,
      ).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
    expect(deaths).toBeGreaterThan(1);
    expect((await titles()).filter((title) => title?.endsWith(', renewed')).length).toBeGreaterThan(pages);
  });
});

describe('the end of a re-extraction', () => {
  it('kept, it is the pages’ own, which nobody sees happen', async () => {
    const id = await made();
    await changed(id, 'switch');
    const before = await listed();
    expect((await change(id, 'keep')).body.state).toBe('keeping');
    for (let deaths = 0; (await view(id)).state !== 'kept'; deaths++) {
      await workAtReextraction(
        { ...tools, pool: dyingAt(services.pool, 1 + deaths) },
        id,
        () => true,
        never,
      ).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      expect(await listed()).toEqual(before);
    }
    expect(await found(id)).toEqual([]);
    expect(await tables.readingInUse.count(services.pool, { crawl_id: Number(crawl.id) })).toBe(0);
    expect((await change(id, 'undo')).status).toBe(409);
    expect((await call('GET', `${base()}/${id}/comparison`)).status).toBe(409);
    expect((await call('DELETE', `${base()}/${id}`)).status).toBe(200);
    await workWhole(tools, id);
    expect((await call('GET', `${base()}/${id}`)).status).toBe(404);
    expect(await listed()).toEqual(before);
  });

  it('cancelled or removed, it frees what it has found, by the patrol if nobody else does', async () => {
    const id = await start();
    await workAtReextraction(tools, id, () => false, never);
    expect(await found(id)).toHaveLength(100);
    expect((await change(id, 'cancel')).body.state).toBe('cancelled');
    expect((await change(id, 'cancel')).status).toBe(409);
    await tables.job.change(services.pool, { id: Number(id) }, { created_at: fromNow(-60) });
    expect(await reextractionRows.open(services.pool, '0', 100)).toContainEqual({ id, crawl: crawl.id });
    await workWhole(tools, id);
    expect(await reextractionRows.open(services.pool, '0', 100)).not.toContainEqual({ id, crawl: crawl.id });
    expect(await found(id)).toEqual([]);
    const other = await made();
    expect((await call<ReextractionView>('DELETE', `${base()}/${other}`)).body.state).toBe('removing');
    await workWhole(tools, other);
    expect(await tables.job.count(services.pool, { kind: 'reextraction', id: Number(other) })).toBe(0);
    expect(await found(other)).toEqual([]);
  });

  it('goes with its crawl, while it is made and in use', async () => {
    const id = await made();
    await changed(id, 'switch');
    await markRemoved(services.pool, crawl.id);
    expect((await call('GET', `${base()}/${id}`)).status).toBe(404);
    expect(await workAtReextraction(tools, id, () => true, never)).toBeNull();
    while (await removeBatch(services.pool, 50));
    expect(await tables.job.count(services.pool, { kind: 'reextraction', id: Number(id) })).toBe(0);
    expect(await found(id)).toEqual([]);
    const left = Object.entries(await rowsOfCrawl(services.pool, crawl.id)).filter(([, rows]) => rows > 0);
    expect(left.map(([name]) => name).filter((name) => name !== 'job')).toEqual([]);
  });
});

it('is refused where it cannot be, in words', async () => {
  const id = await start();
  expect(await call('POST', base(), {})).toMatchObject({
    ...{ status: 409, body: { detail: `Re-extraction ${id} has not ended: cancel it, or wait.` } },
  });
  expect(await change(id, 'switch')).toMatchObject({ status: 409 });
  expect((await call('POST', '/v1/crawls/999999/reextractions', {})).status).toBe(404);
  expect((await call('GET', `${base()}/999999`)).status).toBe(404);
  expect((await call('GET', `${base()}/x`)).status).toBe(404);
  expect((await change('999999', 'undo')).status).toBe(404);
  const { items } = (await call<{ items: ReextractionView[] }>('GET', base())).body;
  expect(items.map((each) => [each.id, each.state, each.ofPages])).toEqual([
    [id, 'waiting', expect.any(Number)],
  ]);
});

it('is worked by the verbs', async () => {
  const cli = async (...args: string[]) =>
    runCli(['reextract', ...args], {
      ORBWEAVER_SERVER: api.url,
      ORBWEAVER_API_KEY: api.key,
      ORBWEAVER_DATA: folder,
    });
  const id = (await cli('start', crawl.id, '--id')).stdout.trim();
  expect((await cli('show', crawl.id, id)).stdout).toContain('waits for a worker');
  const [waited] = await Promise.all([cli('show', crawl.id, id, '--wait'), workWhole(tools, id)]);
  expect(waited).toMatchObject({ code: 0 });
  expect(waited.stdout).toContain(`${String(pages)} different`);
  expect((await cli('list', crawl.id)).stdout).toMatch(/finished +130 +130/);
  const compared = (await cli('compare', crawl.id, id, '--field', 'title', '--samples', '2')).stdout;
  expect(compared).toMatch(
    /title: 130 pages\n {2}https:\/\/www\.a\.example\/p\/\d+.*\n {4}- Page \d+.*\n {4}\+ Page \d+.*, renewed\n/,
  );
  expect((await cli('switch', crawl.id, id)).stdout).toContain('is in use');
  expect(await cli('remove', crawl.id, id)).toMatchObject({ code: 3 });
  expect((await cli('undo', crawl.id, id)).stdout).toContain('in use no more');
  await workWhole(tools, id);
  expect((await cli('remove', crawl.id, id)).stdout).toContain('being removed');
});
