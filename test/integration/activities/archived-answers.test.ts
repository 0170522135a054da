/** Every final answer of a URL, and the robots.txt of its host, has a record in an export of the crawl. */
import { hash as digest } from 'node:crypto';
import { expect, it } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import type { PageFilter } from '../../../contracts/http/page-filter.ts';
import { createExtractor } from '../../../content/extract.ts';
import { removeBatch } from '../../../storage/crawls/index.ts';
import { addTenant, changeCrawl, setState, tables } from '../../support/database/index.ts';
import type { WrittenRecord } from '../../support/warc-records.ts';
import { exportedRecords } from './exporting.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { extractBodies, judgeBodies } from './reading.ts';
import { page, redirect, startSite, status, type Answer } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const error =
  (code: number, text: string): Answer =>
  (response) => {
    response.writeHead(code, { 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'] });
    response.end(text);
  };
const bytes =
  (type: string, body: string, code = 200): Answer =>
  (response) => {
    response.writeHead(code, { 'content-type': type });
    response.end(body);
  };

const exported = (crawl: number, filter: PageFilter = {}): Promise<WrittenRecord[]> =>
  exportedRecords(fetching, crawl, filter);

const answers = (records: readonly WrittenRecord[], origin: string) =>
  records
    .filter(({ type }) => ['response', 'revisit', 'resource'].includes(type))
    .map(({ type, uri, status: code, body, field }) =>
      [type, uri.replace(origin, ''), code, body.toString(), field('WARC-Truncated')]
        .filter(Boolean)
        .join(' '),
    );

/** A crawl of these paths, which has ended. */
async function crawled(
  host: HostRow,
  paths: readonly string[],
  config: Partial<CrawlConfig> = {},
): Promise<number> {
  const crawl = await fetching.crawl(config);
  await fetching.queue(crawl, host, ...paths);
  await fetching.role().fetchSlice(host);
  const dependencies = fetching.dependencies();
  const extractor = await createExtractor();
  while ((await judgeBodies(dependencies, host)) + (await extractBodies(dependencies, extractor, host)) > 0);
  await setState(pool, String(crawl), 'finished', 'complete');
  return crawl;
}

it('has redirects, errors, empty and unwanted bodies, and robots.txt, once each', async () => {
  const large = 'x'.repeat(600 * 1024);
  const site = await startSite({
    '/robots.txt': redirect('/rules.txt'),
    '/rules.txt': bytes('text/plain', 'User-agent: *\nAllow: /'),
    '/moved': bytes('text/plain', 'it has moved'),
    '/gone': error(410, 'gone for good'),
    '/missing?utm_source=x': error(404, 'not here'),
    '/closed': error(403, 'closed'),
    '/cannot': error(501, large),
    '/nothing': status(204),
    '/empty': bytes('text/html', ''),
    '/image': bytes('image/png', 'not for this crawl'),
    '/astray': redirect('http://[nowhere/'),
    '/from': redirect('/page', 302),
  });
  const paths = [
    '/gone',
    '/missing?utm_source=x',
    '/closed',
    '/cannot',
    '/nothing',
    '/empty',
    '/image',
    '/astray',
    '/from',
  ];
  const crawl = await crawled(await fetching.host(site.origin), paths, { contentTypes: ['text/*'] });
  const records = await exported(crawl);
  const shown = large.slice(0, 512 * 1024);
  expect(answers(records, site.origin).map((each) => each.replace(shown, 'x…'))).toEqual([
    ...[
      'response /gone 410 gone for good',
      'response /missing?utm_source=x 404 not here',
      'response /closed 403 closed',
    ],
    ...['response /cannot 501 x… length', 'response /nothing 204', 'response /empty 200'],
    ...['response /image 200 unspecified', 'response /astray 301', 'response /from 302'],
    expect.stringMatching(/^response \/page 200 .*<title>/),
    ...['response /robots.txt 301', 'response /rules.txt 200 User-agent: *\nAllow: /'],
  ]);
  for (const { type, field, body, head } of records) {
    if (type !== 'response') continue;
    expect(field('WARC-Payload-Digest')).toBe(`sha256:${digest('sha256', body)}`);
    if (head.includes('a=1')) expect(head).toContain('set-cookie: a=1\r\nset-cookie: b=2');
  }
  const ids = records.map(({ field }) => field('WARC-Record-ID'));
  expect(new Set(ids).size).toBe(ids.length);
  // They go with their crawl.
  expect((await tables.revisit.rows(pool, { crawl_id: crawl })).length).toBe(11);
});

it('gives robots.txt to a crawl that was spared the request, and to no other tenant what it was asked', async () => {
  const site = await startSite({ '/robots.txt': bytes('text/plain', 'User-agent: *\nAllow: /') });
  const host = await fetching.host(site.origin);
  const first = await crawled(host, ['/one']);
  const second = await crawled(host, ['/two']);
  expect(site.paths()).toEqual(['/robots.txt', '/one', '/two']);
  const rules = async (crawl: number) =>
    (await exported(crawl)).filter(({ uri }) => uri.endsWith('/robots.txt')).map(({ type }) => type);
  expect(await rules(second)).toEqual(['response', 'request']);
  await changeCrawl(pool, second, { tenant_id: await addTenant(pool, 'guest') });
  expect(await rules(second)).toEqual(['resource']);
  await changeCrawl(pool, second, { tenant_id: 1 });
  expect(await rules(second)).toEqual(['response', 'request']);
  // Deleted with the crawl in whose name it was asked for: what is left are the rules of the host.
  await changeCrawl(pool, first, { removed_at: new Date() });
  while (await removeBatch(pool));
  expect(await tables.revisit.rows(pool, { crawl_id: first })).toEqual([]);
  expect(await rules(second)).toEqual(['resource']);
});

it('refers to records that come before in the same archive, or has the body', async () => {
  const shared: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/html', etag: '"same"' });
    response.end('<!doctype html><title>Shared</title><p>The same words for all');
  };
  const again: Answer = (response, request, count) => {
    if (count === 1 || request.headers['if-none-match'] === undefined) shared(response, request, count);
    else status(304, { etag: '"same"' })(response, request, count);
  };
  const site = await startSite({ '/a': again, '/b': again, '/c': shared, '/d': page('another') });
  const host = await fetching.host(site.origin);
  for (let visit = 0; visit < 2; visit++) {
    const crawl = await crawled(host, ['/a', '/b', '/c', '/d']);
    const [since] = (await tables.url.rows(pool, { crawl_id: crawl }))
      .filter(({ url }) => url.endsWith('/b'))
      .map(({ fetched_at: at }) => at?.getTime() ?? 0);
    for (const filter of [{}, { since: (since ?? 0) * 1_000 }]) {
      const before = new Map<string, WrittenRecord>();
      const uris = new Set<string>();
      for (const record of await exported(crawl, filter)) {
        if (record.type === 'revisit') {
          const original = before.get(record.field('WARC-Refers-To') ?? '');
          expect(original?.type).toBe('response');
          expect(original?.uri).toBe(record.field('WARC-Refers-To-Target-URI'));
          expect(original?.field('WARC-Date')).toBe(record.field('WARC-Refers-To-Date'));
          expect(original?.field('WARC-Payload-Digest')).toBe(record.field('WARC-Payload-Digest'));
        }
        if (record.type !== 'request') uris.add(record.uri.replace(site.origin, ''));
        before.set(record.field('WARC-Record-ID') ?? '', record);
      }
      const wanted = filter.since === undefined ? ['/a', '/b', '/c', '/d'] : ['/b', '/c', '/d'];
      expect([...uris]).toEqual(expect.arrayContaining(wanted));
    }
  }
});
