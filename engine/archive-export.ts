/**
 * The answers of a crawl as an archive of its own (WARC/1.1): each with its request, one after another, and behind them
 * the robots.txt of its hosts. A body that several answers have stands in the record of that URL which stands for it in
 * the crawl, to which the others refer by the record's id. Where that one does not come before them in this archive, they
 * bring the body themselves: whether it does follows from its row, so nothing has to be remembered on the way. A body
 * that another tenant had first comes without what that tenant's answer and request said.
 */
import { hash as digest } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PageFilter } from '../contracts/http/page-filter.ts';
import type { PageView } from '../contracts/http/results.ts';
import { urlKey } from '../contracts/url-key.ts';
import { archivedKinds } from '../domain/url-kind.ts';
import { canonicalize } from '../domain/url.ts';
import {
  bodyAlone,
  headless,
  infoRecord,
  madeRecord,
  makingOf,
  metadataRecord,
  pack,
  placeOf,
  robotsRecords,
  saysUnchanged,
  unpackBoth,
  withBody,
  withoutBody,
  type ArchiveReader,
  type FoundRecord,
  type ReadRecord,
  type RefersTo,
  type SegmentFormat,
} from '../storage/archive/index.ts';
import { filterParams, storedRecords } from '../storage/pages/index.ts';
import type { Queryable } from '../storage/postgres/index.ts';

export type ExportedAnswers = Pick<ArchiveReader, 'answer' | 'ownAnswer'>;

/** Where the answers of a URL lie. */
type Records = Awaited<ReturnType<typeof storedRecords>>[number];

/** Pages looked up together. */
const batch = 100;
/** Pages read together: a store at the other end of a network takes long to answer. */
const together = 8;
/** In another thread: an API has others to answer. */
const gzipAside = promisify(gzip);

/** A record, and the same compressed by itself. */
export interface Member {
  readonly record: Buffer;
  readonly packed: Buffer;
}

export async function packed(record: Buffer, format: SegmentFormat): Promise<Buffer> {
  return format === 'gzip' ? await gzipAside(record) : pack(record, format);
}

/** The first record of an archive. @param software name and version */
export const firstRecord = (software: string): Buffer => infoRecord(software, new Date());

/** What an archive is made of: the crawl, and which of its answers. */
export interface Wanted {
  readonly crawlId: string;
  /** That of the pages that are given. */
  readonly filter: PageFilter;
}

/**
 * An archive, in members. Holds a few bodies at a time.
 * @param pages in the order of the feed; those of which nothing was stored are left out
 * @param software name and version, for the first record
 */
export async function* archiveOf(
  db: Queryable,
  archive: ExportedAnswers,
  wanted: Wanted,
  pages: AsyncIterable<readonly PageView[]>,
  format: SegmentFormat,
  software: string,
): AsyncGenerator<Buffer> {
  yield await packed(firstRecord(software), format);
  for await (const some of pages)
    for await (const member of membersOf(db, archive, wanted, some, format)) yield member.packed;
  for await (const member of robotsOf(db, archive, wanted, format)) yield member.packed;
}

/** The records of some pages. */
export async function* membersOf(
  db: Queryable,
  archive: ExportedAnswers,
  { crawlId, filter }: Wanted,
  pages: readonly PageView[],
  format: SegmentFormat,
): AsyncGenerator<Member> {
  for (let at = 0; at < pages.length; at += batch) {
    const part = pages.slice(at, at + batch).map((page, n) => ({ page, n }));
    const names = JSON.stringify(part.map(({ page, n }) => ({ n, ...nameOf(page) })));
    const rows = await storedRecords(db, {
      ...filterParams(filter, archivedKinds),
      crawlId,
      rows: names,
      since: filter.since ?? 0,
      origin: filter.host ?? null,
    });
    const stored = new Map(rows.map((row) => [row.n, row]));
    for (let from = 0; from < part.length; from += together) {
      const read = part.slice(from, from + together);
      const records = await Promise.all(
        read.map(({ page, n }) => recordsOf(archive, crawlId, page, stored.get(n))),
      );
      for (const record of records.flat()) yield { record, packed: await packed(record, format) };
    }
  }
}

function nameOf({ url, contentHash: hash }: PageView) {
  const link = canonicalize(url);
  return { origin: link.ok ? link.value.host : '', key: keyOf(url).toString('hex'), hash };
}

function keyOf(url: string): Buffer {
  const link = canonicalize(url);
  return Buffer.from(urlKey(link.ok ? link.value.canonical : url));
}

/** The answer of a URL with its request, and what was found in it. */
async function recordsOf(
  archive: ExportedAnswers,
  crawlId: string,
  page: PageView,
  stored: Records | undefined,
): Promise<readonly Buffer[]> {
  const { url, fetchedAt, contentHash, duplicateBy, revisitOf, title, language, depth, words } = page;
  const answer =
    contentHash === null
      ? await aloneOf(archive, crawlId, page, stored)
      : await answerOf(archive, crawlId, page, stored?.answer ?? contentHash, stored);
  const looks = await madeOf(archive, page, page.screenshot, page.pdf);
  if (words === null || duplicateBy === 'body') return [...answer, ...looks];
  const first = {
    'orbweaver-revisit-of-crawl': revisitOf?.crawlId ?? null,
    'orbweaver-revisit-of': revisitOf?.url ?? null,
    'orbweaver-revisit-of-date': revisitOf?.storedAt ?? null,
  };
  const found = { title, language, depth: String(depth), words: String(words), ...first };
  const isMade = contentHash !== null && stored?.answer !== undefined && stored.answer !== contentHash;
  const html = isMade ? await madeOf(archive, page, contentHash) : [];
  return [...answer, ...html, ...looks, metadataRecord(url, new Date(fetchedAt), found)];
}

/** What a browser made of the page. @param hashes null: it did not */
async function madeOf(
  archive: ExportedAnswers,
  { url, fetchedAt }: PageView,
  ...hashes: readonly (string | null)[]
): Promise<readonly Buffer[]> {
  const records: Buffer[] = [];
  for (const hex of hashes) {
    if (hex === null) continue;
    const hash = Buffer.from(hex, 'hex');
    const read = await archive.answer(hash);
    if (read === null) continue;
    const capture = { url, at: new Date(fetchedAt), hash, body: read.body };
    records.push(madeRecord(makingOf(read), capture));
  }
  return records;
}

/** An answer that brought no page. */
async function aloneOf(
  archive: ExportedAnswers,
  crawlId: string,
  { url, fetchedAt }: PageView,
  stored: Records | undefined,
): Promise<readonly Buffer[]> {
  if (stored === undefined || stored.own === null) return [];
  const own = await archive.ownAnswer(stored.host_id, crawlId, keyOf(url), null, stored.own, unpackBoth);
  return own === null
    ? [metadataRecord(url, new Date(fetchedAt), { 'orbweaver-answer': 'lost' })]
    : whole(own);
}

async function answerOf(
  archive: ExportedAnswers,
  crawlId: string,
  { url, fetchedAt, contentType }: PageView,
  contentHash: string,
  stored: Records | undefined,
): Promise<readonly Buffer[]> {
  const [hash, at] = [Buffer.from(contentHash, 'hex'), new Date(fetchedAt)];
  const ownOf = async (hostId: number, key: Uint8Array, place: FoundRecord | null) =>
    place === null ? null : await archive.ownAnswer(hostId, crawlId, key, hash, place, unpackBoth);
  const { body = null, original = null, is_ours: isOurs = false } = stored ?? {};
  const own = stored === undefined ? null : await ownOf(stored.host_id, keyOf(url), stored.own);
  const first = await archive.answer(hash, body, unpackBoth);
  const ours = isOurs ? first : null;
  const known = own ?? headOf(ours, url);
  const referring = (refersTo: RefersTo): readonly Buffer[] =>
    known === null
      ? [headless(url, at, hash, refersTo)]
      : [withoutBody(known, refersTo), ...requestOf(known)];
  if (original !== null) {
    const theirs = await ownOf(original.hostId, Buffer.from(original.key, 'hex'), original.own);
    const there = bringing(theirs ?? headOf(ours, original.url), ours);
    if (there !== null) return known !== null && idOf(known) === idOf(there) ? [] : referring(placeOf(there));
  }
  if (first === null) return [metadataRecord(url, at, { 'orbweaver-body': 'lost' })];
  const bringer = bringing(known, ours);
  if (bringer !== null && bringer === known) return whole(known, first.body);
  if (bringer !== null && original === null)
    return [...whole(bringer, first.body), ...referring(placeOf(bringer))];
  const { record, refersTo } = bodyAlone(url, at, hash, contentType, first.body);
  return known === null ? [record] : [record, ...referring(refersTo)];
}

/**
 * The record that brings the body of a URL: that of its own answer, if that one is known and came with a body. A 304 has
 * none, and of several answers that brought a new body at the same time the head of one was kept: then that of the answer
 * which first brought it. Null: that one came to another tenant.
 */
const bringing = (known: ReadRecord | null, ours: ReadRecord | null): ReadRecord | null =>
  known === null || saysUnchanged(known) ? ours : known;

/**
 * The robots.txt of the hosts of a crawl. Where its tenant asked for none that is left, the rules by which the host is
 * visited stand for it.
 */
export async function* robotsOf(
  db: Queryable,
  archive: ExportedAnswers,
  { crawlId, filter }: Wanted,
  format: SegmentFormat,
): AsyncGenerator<Member> {
  for (let after = 0; ;) {
    // Each may come with half a megabyte of rules.
    const some = await robotsRecords(db, crawlId, after, together, filter.host ?? null);
    for (const { origin, host_id: hostId, of_crawl: of, key, record: place, body, fetched_at: at } of some) {
      after = hostId;
      const isKept = of !== null && key !== null;
      const own = isKept ? await archive.ownAnswer(hostId, of, key, null, place, unpackBoth) : null;
      const records = own === null ? rulesAlone(origin, body, at) : whole(own);
      for (const record of records) yield { record, packed: await packed(record, format) };
    }
    if (some.length === 0) return;
  }
}

/** The rules that hold at a host, where the answer that brought them is not this tenant's, or was lost. */
function rulesAlone(origin: string, body: string | null, at: Date | null): Buffer[] {
  if (body === null || at === null) return [];
  const rules = Buffer.from(body);
  const hash = digest('sha256', rules, 'buffer');
  return [bodyAlone(`${origin}/robots.txt`, at, hash, 'text/plain', rules).record];
}

/** The record of an answer with its body, and its request. */
const whole = (answer: ReadRecord, body: Uint8Array = answer.body): Buffer[] => [
  withBody(answer, body),
  ...requestOf(answer),
];

/** Null: the record is about another URL. */
const headOf = (record: ReadRecord | null, url: string): ReadRecord | null =>
  record?.fields.get('warc-target-uri') === url ? record : null;

const idOf = (record: ReadRecord): string => placeOf(record).id;

const requestOf = ({ rest }: ReadRecord): Buffer[] => (rest.length > 0 ? [rest] : []);
