/** The export of a crawl as a web archive: by the API and by the verb, read by us and by warcio. */
import { hash as digest, randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { archiveOf } from '../../../engine/archive-export.ts';
import {
  segmentFormats,
  type Archive,
  type Capture,
  type SegmentFormat,
} from '../../../storage/archive/index.ts';
import { pageBatches } from '../../../storage/pages/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { warcio } from '../../programs/warcio.ts';
import { allMembers } from '../../support/all-members.ts';
import { addReadings, addUrl, setState, tables, type UrlPlace } from '../../support/database/index.ts';
import { readRecords, type WrittenRecord } from '../../support/warc-records.ts';
import { archiveIn, newCrawl, serve, type Api, withServices } from './world.ts';
import { ownFolder } from '../../support/given.ts';

const program = warcio();
const { pool } = withServices();
const folder = ownFolder();

const told = ({ type, fields, head, body }: WrittenRecord): string => {
  const of = (name: string): string =>
    new RegExp(`^${name}: https://a.example(.*)\r`, 'm').exec(fields)?.[1] ?? '-';
  const refersTo = of('WARC-Refers-To-Target-URI');
  const etag = /^etag: "(.*)"/m.exec(head)?.[1] ?? '-';
  const rest = [
    ...(body.length > 0 ? [body.toString().trim()] : []),
    ...(refersTo === '-' ? [] : [`→ ${refersTo}`]),
  ];
  return [type, of('WARC-Target-URI'), etag, ...rest].join(' ');
};

describe.each<SegmentFormat>([...segmentFormats])('from segments of %s', (stored) => {
  let api: Api;
  let archive: Archive;
  let crawl: string;
  let archiveFile: string;
  let earlierCrawl: string;
  const random = randomBytes(700_000).toString('base64');

  let clock = 0;
  /** As a fetch stores it: with the head of its answer, or without (a body that two brought at the same time). */
  async function page(
    url: string,
    body: string,
    over: object = {},
    head: boolean | 'unchanged' | 'alone' = true,
  ): Promise<UrlPlace> {
    const hash = digest('sha256', body, 'buffer');
    const place = await addUrl(pool, crawl, url, {
      ...{
        state: 'done',
        status: 200,
        content_hash: hash,
        fetched_at: new Date(Date.UTC(2026, 0, 1) + ++clock),
      },
      ...over,
    });
    if (!head) return place;
    const capture: Capture = {
      ...{
        hash,
        url,
        at: new Date(),
        remoteAddress: '127.0.0.1',
        asked: { 'user-agent': 'Test' },
        status: 200,
      },
      ...{ headers: { etag: `"${String(clock)}"` }, body: Buffer.from(body), truncated: false },
    };
    const { known, ...kept } = await archive.put(
      head === 'unchanged'
        ? { ...capture, status: 304, body: Buffer.of(), unchangedSince: new Date(Date.UTC(2025, 0, 1)) }
        : { ...capture, ...(head === 'alone' && { alone: true, status: 301 }) },
    );
    if (known !== false)
      await tables.revisit.add(pool, { host_id: place.hostId, crawl_id: crawl, key: place.key, ...kept });
    else await tables.body.add(pool, { hash, ...kept });
    return place;
  }

  beforeAll(async () => {
    for (const each of ['body', 'revisit', 'content'] as const) await tables[each].remove(pool);
    archiveFile = path.join(folder, `${stored}.warc.gz`);
    archive = archiveIn(pool, path.join(folder, stored), stored);
    api = await serve(pool, { archive });
    crawl = await newCrawl(pool);
    const earlier = await page('https://a.example/earlier', 'known for long');
    await tables.content.add(pool, {
      ...{ crawl_id: crawl, tenant_id: 1, hash: digest('sha256', 'known for long', 'buffer') },
      ...{ host_id: earlier.hostId, key: earlier.key },
    });
    await page('https://a.example/kept', 'known as well');
    earlierCrawl = crawl;
    crawl = await newCrawl(pool);
    const first = await page('https://a.example/first', 'shared');
    const alias = { alias_host: first.hostId, alias_key: first.key };
    await page('https://a.example/copy', 'shared', alias);
    await page('https://a.example/lost', 'to be lost');
    const again = await page('https://a.example/again', 'known for long');
    await addReadings(pool, [
      {
        ...{ host_id: again.hostId, crawl_id: crawl, key: again.key, words: 3, links: 0, outlinks: '' },
        ...{ noindex: false, nofollow: false },
      },
    ]);
    const ofAgain = { alias_host: again.hostId, alias_key: again.key };
    await page('https://a.example/raced', 'known for long', ofAgain, false);
    await page('https://a.example/raced-copy', 'shared', alias, false);
    await page('https://a.example/same', 'known for long', ofAgain, 'unchanged');
    await page('https://a.example/kept', 'known as well', {}, 'unchanged');
    await page('https://a.example/same-copy', 'shared', alias, 'unchanged');
    await page('https://a.example/same-text', 'with bytes of its own', alias);
    await page('https://a.example/large', random);
    await page('https://a.example/moved', '', { content_hash: null, status: 301 }, 'alone');
    const nothing = { content_hash: null, status: 301, fetched_at: new Date() };
    await addUrl(pool, crawl, 'https://a.example/unkept', { state: 'done', ...nothing });
    await tables.body.remove(pool, { hash: digest('sha256', 'to be lost', 'buffer') });
    await setState(pool, crawl, 'finished', 'complete');
  });
  afterAll(() => api.stop());

  const expected = [
    ...['response /first 3 shared', 'request /first -'],
    ...['revisit /copy 4 → /first', 'request /copy -'],
    'metadata /lost - orbweaver-body: lost',
    ...['response /again 6 known for long', 'request /again -'],
    'metadata /again - depth: 0|words: 3|orbweaver-revisit-of-crawl: N|orbweaver-revisit-of: https://a.example/earlier|orbweaver-revisit-of-date: T',
    ...['revisit /raced - → /again', 'revisit /raced-copy - → /first'],
    ...['revisit /same 9 → /again', 'request /same -'],
    ...['response /kept 2 known as well', 'request /kept -', 'revisit /kept 10 → /kept', 'request /kept -'],
    ...['revisit /same-copy 11 → /first', 'request /same-copy -'],
    ...['response /same-text 12 with bytes of its own', 'request /same-text -'],
    ...['response /large 13 …', 'request /large -'],
    ...['response /moved 14', 'request /moved -'],
  ];

  it.each(['warc', 'warc-zstd'] as const)(
    'has each page with its answer and request, as %s',
    async (form) => {
      const answer = await fetch(`${api.url}/v1/crawls/${crawl}/export?format=${form}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/warc']);
      const bytes = allMembers(Buffer.from(await answer.arrayBuffer()), form === 'warc' ? 'gzip' : 'zstd');
      const [info, ...found] = readRecords(bytes);
      expect([info?.type, info?.body.toString()]).toEqual([
        'warcinfo',
        expect.stringMatching(/^software: Orbweaver\//),
      ]);
      const plain = (text: string): string =>
        text
          .replace(random, '…')
          .replaceAll('\r\n', '|')
          .replace(`crawl: ${earlierCrawl}|`, 'crawl: N|')
          .replace(/-date: \d{4}-[0-9T:.-]+Z/, '-date: T');
      expect(found.map(told).map(plain)).toEqual(expected);
      const dateOf = (at: number, name: string): string | undefined =>
        new RegExp(`^${name}: (.*)\r`, 'm').exec(found[at]?.fields ?? '')?.[1];
      // The copy names its original with the date of the original's record.
      expect(dateOf(2, 'WARC-Refers-To-Date')).toBe(dateOf(0, 'WARC-Date'));
      expect(dateOf(2, 'WARC-Refers-To-Date')).toBeDefined();
      for (const { type, fields, body } of found)
        if (type === 'response')
          expect(fields).toContain(`WARC-Payload-Digest: sha256:${digest('sha256', body)}\r\n`);
    },
  );

  it('is written by the verb, and keeps to filters', async () => {
    const env = { ORBWEAVER_SERVER: api.url, ORBWEAVER_API_KEY: api.key, ORBWEAVER_DATA: folder };
    const { code, stderr } = await runCli(['export', crawl, '--format', 'warc', '--out', archiveFile], env);
    expect([code, stderr]).toEqual([0, expect.stringContaining('bytes were written')]);
    expect(readRecords(allMembers(readFileSync(archiveFile), 'gzip'))).toHaveLength(1 + expected.length);
    const none = await fetch(`${api.url}/v1/crawls/${crawl}/export?format=warc&status=404`);
    expect(readRecords(allMembers(Buffer.from(await none.arrayBuffer()), 'gzip'))).toHaveLength(1);
    const both = await fetch(`${api.url}/v1/crawls/${crawl}/export?format=warc&fields=links`);
    expect(both.status).toBe(400);
  });

  it('reads a few pages ahead of its reader, and no more', async () => {
    const answer = vi.spyOn(archive, 'answer');
    const pages = pageBatches(pool, crawl, [], () => Promise.resolve(null), {});
    const members = archiveOf(pool, archive, { crawlId: crawl, filter: {} }, pages, stored, 'Test');
    await members.next();
    expect(answer).toHaveBeenCalledTimes(0);
    // Eight pages are read together.
    for (let first = 0; first < 3; first++) await members.next();
    expect(answer).toHaveBeenCalledTimes(8);
    while ((await members.next()).done !== true);
    // Each of the crawl's pages with a body.
    expect(answer).toHaveBeenCalledTimes(11);
  });

  it.skipIf(program === null)('passes warcio’s checks (needs `npm run test-programs`)', async () => {
    const answer = await fetch(`${api.url}/v1/crawls/${crawl}/export?format=warc`);
    const file = path.join(folder, `checked-${stored}.warc.gz`);
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
    const run = (...args: readonly string[]): string =>
      execFileSync(program ?? '', [...args, file], { encoding: 'utf8' });
    expect(run('check', '-v')).not.toMatch(/fail|invalid/i);
    const index = run('index', '-f', 'warc-type,warc-target-uri,http:status').trim().split('\n');
    const [info, ...lines] = index.map((line) => JSON.parse(line) as Record<string, string>);
    expect(info?.['warc-type']).toBe('warcinfo');
    expect(lines.map((line) => line['warc-type'])).toEqual(expected.map((text) => text.split(' ')[0]));
    const status = lines
      .filter((line) => line['warc-type'] === 'response')
      .map((line) => line['http:status']);
    const responses = expected.filter((text) => text.startsWith('response'));
    expect(status).toEqual(responses.map((text) => (text.includes('/moved') ? '301' : '200')));
  });
});
