/**
 * A hash is no proof of possession: another tenant's page, whose hash a foreign fetcher reports as that of its own page,
 * is found by no route and in no file that a job makes. Verbs ask the API, so they are walked with it. A route that is
 * neither walked nor known to say nothing of pages fails the test.
 */
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, it } from 'vitest';
import { routes } from '../../../api/routes/table.ts';
import { exportFormats, type ExportView } from '../../../contracts/http/exports.ts';
import type { ReextractionView } from '../../../contracts/http/reextractions.ts';
import { pageFields } from '../../../contracts/page-fields.ts';
import { followCrawl } from '../../../engine/changes/follow.ts';
import { createVersionReader } from '../../../engine/changes/read-version.ts';
import { makeExport, workOut } from '../../support/stints.ts';
import { searchJobs } from '../../../engine/search/indexing.ts';
import type { Capture } from '../../../storage/archive/index.ts';
import { freeBodies, markRemoved, removeBatch } from '../../../storage/crawls/index.ts';
import { rankCopies } from '../../../storage/pages/index.ts';
import { PostgresIndex } from '../../../storage/search/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { allMembers } from '../../support/all-members.ts';
import { addUrl, changeCrawl, setState, tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { filesIn, toolsFor } from './exported.ts';
import { ack, frontierApi, leaseOf, queued, rested, pool } from './fetching-from.ts';
import { reextractionTools, workWhole } from './reextracting.ts';
import { addPage, archiveIn, newRunningCrawl, withServed, storeBody, textOf } from './world.ts';
import { ownFolder } from '../../support/given.ts';

frontierApi();

const secret = 'https://victim.example/accounts';
const html = (word: string): string =>
  `<title>${word} accounts</title><h1>${word} accounts</h1><p>${`The ${word} figures are told here, in many words. `.repeat(9)}</p><a href="/${word}">next</a>`;
const bodyText = html('victim');
/** What only the victim's page, answer and request say. */
const marks = /victim/;

const folder = ownFolder();
const archive = archiveIn(pool, folder);
const tools = toolsFor(pool, archive, folder);
const api = withServed(pool, {
  archive,
  readVersion: createVersionReader(archive),
  exports: { files: tools.files, days: 7 },
  anonymous: true,
});
let [victim, victimKey, thiefKey] = ['', '', ''];
let hash: Buffer;

interface Crawl {
  readonly id: string;
  readonly urls: readonly string[];
  exports: readonly string[];
  reextraction: string;
}
const crawls: { victim: Crawl[]; thief: Crawl[] } = { victim: [], thief: [] };

/** As a fetch stores it: a record of the archive, and whose it is. */
async function stored(tenant: string, crawl: string, url: string, body: string): Promise<void> {
  const place = await addPage(pool, crawl, url, { title: /<title>(.*)<\/title>/.exec(body)?.[1] ?? '', text: body, links: [`${url}/more`] }); // prettier-ignore
  const contentHash = storeBody(body);
  const capture: Capture = {
    ...{ hash: contentHash, url, at: new Date(), remoteAddress: '192.0.2.1', status: 200, truncated: false },
    ...{ asked: { 'user-agent': `agent of ${url}` }, headers: { 'set-cookie': `session=${url}` } },
    body: Buffer.from(body),
  };
  const { known, ...kept } = await archive.put(capture);
  const row = { host_id: place.hostId, crawl_id: crawl, key: place.key };
  if (known) await tables.revisit.add(pool, { ...row, ...kept });
  else await tables.body.add(pool, { hash: contentHash, ...kept, tenant_id: tenant });
}

/** A page of a crawl is lent to a fetcher, which says that it has the victim's body. */
async function reported(crawlId: string, hostId: number): Promise<string> {
  await rested(hostId);
  const { body } = await leaseOf({ crawl_id: crawlId });
  const url = body.urls[0]?.url ?? '';
  const answer = await ack(body.lease_id, [{ url, status: 200, content_hash: hash.toString('hex') }]);
  expect(answer.body.results).toEqual([{ url, result: 'accepted' }]);
  return url;
}

const never = new AbortController().signal;

/** All jobs that read bodies. */
async function worked(crawl: Crawl, key: string): Promise<void> {
  await setState(pool, crawl.id, 'finished', 'complete');
  await inTransaction(pool, (db) => rankCopies(db, Number(crawl.id)));
  await followCrawl(pool, createVersionReader(archive), crawl.id, () => true);
  const base = `/v1/crawls/${crawl.id}`;
  await ask(api.url, key, 'POST', `${base}/search/index`, {});
  await workOut(searchJobs(pool, new PostgresIndex(pool), textOf), crawl.id);
  crawl.exports = await Promise.all(
    exportFormats.map(async (format) => {
      const fields = ['jsonl', 'csv', 'parquet'].includes(format) ? pageFields : [];
      const { body } = await ask<ExportView>(api.url, key, 'POST', `${base}/exports`, { format, fields });
      await makeExport(tools, body.id, () => true, never);
      return body.id;
    }),
  );
  const { body } = await ask<ReextractionView>(api.url, key, 'POST', `${base}/reextractions`, {});
  crawl.reextraction = body.id;
  await workWhole(reextractionTools(pool, archive), body.id);
}

beforeAll(async () => {
  victim = await newTenant(pool);
  victimKey = await newKey(pool, victim, 'admin');
  thiefKey = await newKey(pool, '1', 'admin');

  const theirs = await newRunningCrawl(pool, { search: true }, [secret]);
  await changeCrawl(pool, theirs, { tenant_id: victim });
  await stored(victim, theirs, secret, bodyText);
  hash = storeBody(bodyText);
  crawls.victim = [{ id: theirs, urls: [secret], exports: [], reextraction: '' }];

  const { crawlId, hostId, origin } = await queued({ paths: ['/a', '/b'] });
  const [a, b] = [await reported(crawlId, hostId), await reported(crawlId, hostId)];
  const later = await newRunningCrawl(pool, { scope: 'any', delaySeconds: 0, changes: true }, [`${origin}/`]);
  await addUrl(pool, later, b);
  await reported(later, hostId);
  // The same page, fetched by the crawl itself: what comes before it is a report.
  await stored('1', later, a, html('honest'));
  const own = `${origin}/own`;
  await stored('1', crawlId, own, html('frank'));
  await stored('1', later, own, html('candid'));
  // A page that was read before it is fetched again, by a fetcher that reports the victim's hash.
  const again = `${origin}/again`;
  await stored('1', later, again, html('stale'));
  await tables.url.change(pool, { crawl_id: later, url: again }, { state: 'queued', reason: 'recrawl' });
  expect(await reported(later, hostId)).toBe(again);
  const urls = [a, b, own, again];
  crawls.thief = [crawlId, later].map((id) => ({ id, urls, exports: [], reextraction: '' }));
  for (const crawl of crawls.thief) await worked(crawl, thiefKey);
  for (const crawl of crawls.victim) await worked(crawl, victimKey);
});

/** Routes that say nothing of what is in pages: they change, list or count other things. */
const silent: readonly RegExp[] = [
  /^\w+ \/v1\/(keys|tenants|webhooks|hosts|host-reviews|caps|opt-outs|complaints|ranks|shards)\b/,
  /^\w+ \/v1\/(tenant|audit-log|dead-letters)$/,
  /^(PATCH|DELETE) /,
  /^POST \/v1\/crawls\/\{crawlId\}\/(pause|resume|cancel|seeds|sessions|dead-letters\/redrive|search\/index|exports|reextractions)$/,
  /^POST \/v1\/crawls\/\{crawlId\}\/(exports|reextractions)\/\{\w+\}\/\w+$/,
  /^POST \/v1\/crawls\/\{crawlId\}\/(versions|quarantine|freshness)\b/,
  /^GET \/v1\/crawls\/\{crawlId\}\/freshness$/,
  // The tools at /mcp ask other routes, with the key of their caller.
  /^POST \/mcp$/,
  /^\w+ \/v1\/(console-session|sign-in-links)$/,
  /^POST (\/v1\/crawls|\/v1\/url\/scan|\/seed\/urls|\/url\/limit|\/api\/v1\/\w+|\/frontier\/\{shard\}\/\w+|\/dedup\/check_and_add)$/,
  /^GET (\/|\/docs|\/docs\/\*|\/openapi.json|\/crawler|\/healthz|\/readyz|\/metrics)$/,
];

const named = (names: string, of: readonly string[]): string[] => of.map((value) => `${names}=${encodeURIComponent(value)}`); // prettier-ignore

/** The queries by which a route is asked for all that it can say. */
function queriesOf(route: string, { urls }: Crawl, jobId: string): readonly string[] {
  const ofUrl = named('url', urls);
  const asked: Readonly<Record<string, readonly string[]>> = {
    pages: [`fields=${pageFields.join(',')}&limit=1000`],
    body: ofUrl.flatMap((url) => ['body', 'head', 'markdown', 'main-markdown'].map((part) => `${url}&part=${part}`)),
    export: [`fields=${pageFields.join(',')}`, ...['csv', 'warc', 'warc-zstd'].map((format) => `format=${format}`)],
    explain: ofUrl,
    page: ofUrl,
    'page-versions': ofUrl,
    diff: ofUrl,
    search: ['q=figures', 'q=accounts'],
    boilerplate: urls.map((url) => `host=${encodeURIComponent(new URL(url).origin)}`),
    status: [`job_id=${jobId}`],
    urls: [`job_id=${jobId}`],
  }; // prettier-ignore
  return asked[route.slice(route.lastIndexOf('/') + 1)] ?? [''];
}

/** What an answer or a file says, whatever it is packed in. */
async function revealed(bytes: Buffer): Promise<string> {
  const begins = bytes.toString('latin1', 0, 4);
  if (begins.startsWith('\x1f\x8b')) return allMembers(bytes, 'gzip').toString('latin1');
  if (begins === '\x28\xb5\x2f\xfd') return allMembers(bytes, 'zstd').toString('latin1');
  if (begins === 'PK\x03\x04')
    return (await Promise.all([...filesIn(bytes)].map(async ([name, file]) => name + (await revealed(file))))).join();
  if (begins === 'PAR1') {
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
    return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  }
  return bytes.toString('latin1');
} // prettier-ignore

/** Asks every route for all crawls; answers the requests that said something of the victim, by route, and the routes that gave nothing at all. */
async function walk(key: string, of: readonly Crawl[]): Promise<{ found: Map<string, string[]>; mute: string[] }> {
  const found = new Map<string, string[]>();
  const mute: string[] = [];
  /** Of a fetch of theirs that waits, since nobody fetches here. */
  let fetchId = '';
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const { method, path: route } of routes) {
    const name = `${method} ${route}`;
    if (silent.some((each) => each.test(name))) continue;
    let answers = 0;
    for (const crawl of of) {
      const { job_id: jobId } = await tables.crawl.row(pool, { id: crawl.id });
      const paths = (route.includes('{exportId}') ? crawl.exports : ['']).flatMap((exportId) =>
        (route.includes('{url}') ? crawl.urls : ['']).map((url) =>
          route
            .replace('{crawlId}', crawl.id)
            .replace('{exportId}', exportId)
            .replace('{reextractionId}', crawl.reextraction)
            .replace('{version}', '1')
            .replace('{fetchId}', fetchId)
            .replace('{url}', encodeURIComponent(url)),
        ),
      );
      const posts = method === 'POST' ? crawl.urls.map((url) => JSON.stringify({ url, rules: { fields: { x: { select: 'h1' } } }, ...(route === '/v1/fetch' && { waitSeconds: 0 }) })) : [null]; // prettier-ignore
      for (const at of paths)
        for (const query of queriesOf(route, crawl, jobId))
          for (const body of posts) {
            const answer = await fetch(`${api.url}${at}?${query}`, { method, headers, body });
            const told = await revealed(Buffer.from(await answer.arrayBuffer()));
            if (answer.ok) answers++;
            if (route === '/v1/fetch') fetchId = answer.headers.get('location')?.split('/').at(-1) ?? fetchId;
            if (marks.test(told)) found.set(name, [...(found.get(name) ?? []), `${at}?${query}`]);
          }
    }
    if (answers === 0) mute.push(name);
  }
  return { found, mute };
} // prettier-ignore

it('no route and no job finds another tenant’s page by its hash', async () => {
  const own = await walk(victimKey, crawls.victim);
  // The walk sees what is there to be seen.
  for (const route of [
    'body',
    'export',
    'pages',
    'explain',
    'search',
    'page-versions',
    'exports/{exportId}/file',
    'reextractions/{reextractionId}/comparison',
  ])
    // prettier-ignore
    expect([...own.found.keys()]).toContain(`GET /v1/crawls/{crawlId}/${route}`);
  expect([...own.found.keys()]).toContain('POST /v1/crawls/{crawlId}/rule-trial');
  const { found, mute } = await walk(thiefKey, crawls.thief);
  expect(Object.fromEntries(found)).toEqual({});
  // Each route that is walked has answered with something; there is no default crawl.
  expect(mute.filter((route) => route !== 'GET /api/v1/{url}/status')).toEqual([]);
});

it('a report stands in no table by which bodies are found', async () => {
  for (const { id } of crawls.thief) {
    const of = { crawl_id: id };
    expect(await tables.content.count(pool, { ...of, hash })).toBe(0);
    expect(await tables.url.count(pool, { ...of, content_hash: hash })).toBe(0);
    expect(await tables.url.count(pool, { ...of, reported_hash: hash })).toBeGreaterThan(0);
    expect(await tables.pageVersion.count(pool, { ...of, content_hash: hash })).toBe(0);
  }
});

it('whoever fetched the same bytes has them, and not what the other’s answer and request said', async () => {
  const same = html('shared');
  await stored(victim, crawls.victim[0]?.id ?? '', 'https://victim.example/shared', same);
  const id = await newRunningCrawl(pool, {}, ['https://honest.example/']);
  // One answer came at the same time as the victim's, so that its head was not kept; the other is the same URL.
  const urls = ['https://honest.example/shared', 'https://victim.example/shared'];
  for (const url of urls) await addPage(pool, id, url, { title: 'shared', text: same, links: [] });
  await setState(pool, id, 'finished', 'complete');
  const get = async (of: string): Promise<string> =>
    revealed(Buffer.from(await (await fetch(`${api.url}/v1/crawls/${id}/${of}`, { headers: { authorization: `Bearer ${thiefKey}` } })).arrayBuffer())); // prettier-ignore
  for (const [at, url] of urls.entries()) {
    const of = `body?url=${encodeURIComponent(url)}`;
    expect(await get(of)).toBe(same);
    expect(await get(`${of}&part=head`)).toContain('has no stored head');
    for (const format of ['warc', 'warc-zstd']) {
      const warc = await get(`export?format=${format}`);
      expect(warc).toContain(`WARC-Type: resource`);
      expect(warc.split(same)).toHaveLength(3);
      expect(warc).not.toMatch(/session=|agent of|192\.0\.2\.1/);
      if (at === 0) expect(warc).toContain(`WARC-Target-URI: ${url}`);
    }
  }
});

it('the body goes with its owner, whatever was reported', async () => {
  await markRemoved(pool, crawls.victim[0]?.id ?? '');
  while (await removeBatch(pool));
  while (await freeBodies(pool, 0));
  expect(await tables.body.count(pool, { hash })).toBe(0);
  expect(await archive.get(hash)).toBeNull();
});
