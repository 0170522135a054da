/** A crawl that has ended, with bodies in an archive and what was found in them, and ways to read what is exported of it. */
import { hash as digest } from 'node:crypto';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { ExportFormat } from '../../../contracts/http/exports.ts';
import type { ExportTools } from '../../../engine/exports/job.ts';
import { createTextReader } from '../../../engine/page-text.ts';
import type { Archive } from '../../../storage/archive/index.ts';
import { ExportFiles } from '../../../storage/exports/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { allMembers } from '../../support/all-members.ts';
import { addHost, addReadings, addUrl, addUrls, setState, tables } from '../../support/database/index.ts';
import { given } from '../../support/given.ts';
import { archiveIn, newCrawl } from './world.ts';

export interface Stored {
  readonly id: string;
  readonly archive: Archive;
  /** By the URLs of pages that have a body. */
  readonly bodies: ReadonlyMap<string, Buffer>;
}

const bodyOf = (at: number): string =>
  `<!doctype html><title>Page ${String(at)}, “ü”</title><h1>Page ${String(at)}</h1><p>${'words and more '.repeat((at * 7) % 40)}</p><a href="/p/${String(at + 1)}?b=2&a=1">next</a>`;

/** A crawl of so many pages, one redirect, two copies of the first page and one page without any body. */
export async function storeCrawl(pool: Pool, folder: string, pages: number): Promise<Stored> {
  const archive = archiveIn(pool, folder);
  const id = await newCrawl(pool);
  const hostId = await addHost(pool, 'https://www.a.example');
  const start = Date.UTC(2026, 0, 1);
  const all = Array.from({ length: pages }, (_, at) => {
    const body = Buffer.from(bodyOf(at));
    const url = `https://www.a.example/p/${String(at)}${at % 3 === 0 ? '?b=2&a=1' : ''}`;
    return {
      url,
      body,
      hash: digest('sha256', body, 'buffer'),
      at: new Date(start + at * 1_000),
      title: `Page ${String(at)}, “ü”`,
    };
  });
  const capture = (each: (typeof all)[number]) => ({
    ...{
      hash: each.hash,
      url: each.url,
      at: each.at,
      remoteAddress: '127.0.0.1',
      status: 200,
      body: each.body,
    },
    ...{ asked: { 'user-agent': 'Test' }, headers: { 'content-type': 'text/html; charset=utf-8' } },
    truncated: false as const,
  });
  const kept = await Promise.all(all.map((each) => archive.put(capture(each))));
  await tables.body.addAll(
    pool,
    kept.map(({ segment, at, length }, n) => ({ hash: all[n]?.hash, segment, at, length })),
  );
  const answered = { state: 'done', status: 200, content_type: 'text/html; charset=utf-8', fetches: 1 };
  const rows = await addUrls(
    pool,
    id,
    all.map(({ url, hash, at, body }) => ({
      ...{ host_id: hostId, url, ...answered, content_hash: hash, fetched_at: at, bytes: body.length },
    })),
  );
  const [content] = await addReadings(
    pool,
    rows.map(({ host_id, crawl_id, key }, n) => ({
      ...{
        host_id,
        crawl_id,
        key,
        title: all[n]?.title,
        language: 'en',
        charset: 'utf-8',
        words: 5,
        links: 1,
      },
      ...{ noindex: false, nofollow: false, outlinks: `/p/${String(n + 1)}` },
    })),
  );
  const [first] = rows;
  const moved = {
    state: 'done',
    status: 301,
    redirect_to: 'https://www.a.example/p/0',
    fetched_at: new Date(start),
  };
  await addUrl(pool, id, 'https://www.a.example/moved', moved);
  await addUrl(pool, id, 'https://www.a.example/copy', {
    ...{
      ...answered,
      content_hash: all[0]?.hash,
      content_id: content,
      alias_host: first?.host_id,
      alias_key: first?.key,
    },
    ...{ fetched_at: new Date(start + pages * 1_000), bytes: 1 },
  });
  // As above, with the head of its own answer.
  const again = { ...all[0], url: 'https://www.a.example/again' } as (typeof all)[number];
  const { segment, at, length } = await archive.put(capture(again));
  const place = await addUrl(pool, id, again.url, {
    ...{
      ...answered,
      content_hash: all[0]?.hash,
      content_id: content,
      alias_host: first?.host_id,
      alias_key: first?.key,
    },
    ...{ fetched_at: new Date(start + pages * 1_000 + 1), bytes: 1 },
  });
  await tables.revisit.add(pool, {
    host_id: place.hostId,
    crawl_id: id,
    key: place.key,
    segment,
    at,
    length,
  });
  await addUrl(pool, id, 'https://www.a.example/none', {
    ...{ state: 'done', status: 204, fetched_at: new Date(start + pages * 1_000 + 2) },
  });
  await setState(pool, id, 'finished', 'complete');
  return { id, archive, bodies: new Map(all.map(({ url, body }) => [url, body])) };
}

/** The same for the tests of a file. */
export const withStored = (pool: Pool, folder: string, pages: number): Stored =>
  given(
    () => storeCrawl(pool, folder, pages),
    () => undefined,
  );

export const toolsFor = (pool: Pool, archive: Archive, folder: string): ExportTools => ({
  ...{ pool, archive, textOf: createTextReader(archive), software: 'Orbweaver/0 (test)' },
  ...{ files: new ExportFiles(path.join(folder, 'exports'), null), mostBytes: 2 ** 30 },
});

export class Killed extends Error {}
/** A pool of a process that dies at its nth statement: that one may be done, and nobody hears of it. */
export function dyingAt(pool: Pool, nth: number): Pool {
  let count = 0;
  const query = async (...args: readonly unknown[]): Promise<unknown> => {
    count += 1;
    if (count > nth) throw new Killed();
    const answer: unknown = await (pool.query as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    if (count === nth) throw new Killed();
    return answer;
  };
  return new Proxy(pool, {
    get: (target, name) => (name === 'query' ? query : (Reflect.get(target, name) as unknown)),
  });
}

/** What a file says, without what is made anew each time: ids of records, dates of files. */
export function told(format: ExportFormat, bytes: Buffer): string {
  const plain =
    format === 'warc'
      ? allMembers(bytes, 'gzip')
      : format === 'warc-zstd'
        ? allMembers(bytes, 'zstd')
        : bytes;
  return plain
    .toString('latin1')
    .replace(/urn:uuid:[0-9a-f-]{36}/g, 'urn:uuid:')
    .replace(/WARC-Type: warcinfo[^]*?\r\n\r\n/, '');
}

/** The files of a zip, by its directory at the end. */
export function filesIn(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const found = new Map<string, Buffer>();
  for (let at = zip.readUInt32LE(end + 16), left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [size, named, extra] = [
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
    ];
    const header = zip.readUInt32LE(at + 42);
    const from = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const stored = zip.subarray(from, from + size);
    const isDeflated = zip.readUInt16LE(at + 10) === 8;
    found.set(zip.toString('utf8', at + 46, at + 46 + named), isDeflated ? inflateRawSync(stored) : stored);
    at += 46 + named + extra;
  }
  return found;
}
