/**
 * The pages of a crawl as an archive of its own (WARC/1.1): each with its answer and its request, one after another. A
 * body that several pages of the crawl have stands in the record of the first of them, which the others name. A body
 * that another tenant had first comes without what that tenant's answer and request said.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PageView } from '../contracts/http/results.ts';
import { urlKey } from '../contracts/url-key.ts';
import { canonicalize } from '../domain/url.ts';
import {
  bodyAlone,
  headless,
  infoRecord,
  metadataRecord,
  pack,
  saysUnchanged,
  unpackBoth,
  withBody,
  withoutBody,
  type ArchiveReader,
  type ReadRecord,
  type RefersTo,
  type SegmentFormat,
} from '../storage/archive/index.ts';
import { storedRecords } from '../storage/pages/index.ts';
import type { Queryable } from '../storage/postgres/index.ts';

export type ExportedAnswers = Pick<ArchiveReader, 'answer' | 'revisit'>;

type StoredPage = PageView & { readonly contentHash: string };
/** Where the answers of a page lie. */
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

/**
 * An archive, in members. Holds a few bodies at a time.
 * @param pages in any order; those without a stored body are left out
 * @param software name and version, for the first record
 */
export async function* archiveOf(
  db: Queryable,
  archive: ExportedAnswers,
  crawlId: string,
  pages: AsyncIterable<readonly PageView[]>,
  format: SegmentFormat,
  software: string,
): AsyncGenerator<Buffer> {
  yield await packed(firstRecord(software), format);
  for await (const some of pages)
    for await (const member of membersOf(db, archive, crawlId, some, format)) yield member.packed;
}

/** The records of some pages. */
export async function* membersOf(
  db: Queryable,
  archive: ExportedAnswers,
  crawlId: string,
  pages: readonly PageView[],
  format: SegmentFormat,
): AsyncGenerator<Member> {
  const stored = pages.filter((page): page is StoredPage => page.contentHash !== null);
  for (let at = 0; at < stored.length; at += batch) {
    const part = stored.slice(at, at + batch);
    const rows = new Map((await storedRecords(db, crawlId, namesOf(part))).map((row) => [row.n, row]));
    const wanted = part.map((page, n) => ({ page, row: rows.get(n) }));
    for (let from = 0; from < wanted.length; from += together) {
      const read = wanted.slice(from, from + together);
      const records = await Promise.all(read.map(({ page, row }) => recordsOf(archive, crawlId, page, row)));
      for (const record of records.flat()) yield { record, packed: await packed(record, format) };
    }
  }
}

const namesOf = (pages: readonly StoredPage[]): string =>
  JSON.stringify(
    pages.map(({ url, contentHash }, n) => {
      const link = canonicalize(url);
      return {
        n,
        origin: link.ok ? link.value.host : '',
        key: keyOf(url).toString('hex'),
        hash: contentHash,
      };
    }),
  );

const keyOf = (url: string): Buffer => Buffer.from(urlKey(url));

/** The answer of a page with its request, and what was found in it. */
async function recordsOf(
  archive: ExportedAnswers,
  crawlId: string,
  page: StoredPage,
  stored: Records | undefined,
): Promise<Buffer[]> {
  const { url, fetchedAt, duplicateBy, revisitOf, title, language, depth, words } = page;
  const answer = await answerOf(archive, crawlId, page, stored);
  if (words === null || duplicateBy === 'body') return answer;
  const first = {
    'orbweaver-revisit-of-crawl': revisitOf?.crawlId ?? null,
    'orbweaver-revisit-of': revisitOf?.url ?? null,
    'orbweaver-revisit-of-date': revisitOf?.storedAt ?? null,
  };
  const found = { title, language, depth: String(depth), words: String(words), ...first };
  return [...answer, metadataRecord(url, new Date(fetchedAt), found)];
}

async function answerOf(
  archive: ExportedAnswers,
  crawlId: string,
  { url, contentHash, fetchedAt, ...page }: StoredPage,
  stored: Records | undefined,
): Promise<Buffer[]> {
  const [hash, at] = [Buffer.from(contentHash, 'hex'), new Date(fetchedAt)];
  const { body = null, revisit = null } = stored ?? {};
  // A page that has only the text in common with another has a body of its own.
  const duplicateOf = page.duplicateBy === 'body' ? page.duplicateOf : null;
  const own =
    stored === undefined || revisit === null
      ? null
      : await archive.revisit(stored.host_id, crawlId, keyOf(url), hash, revisit, unpackBoth);
  const first = await archive.answer(hash, body, unpackBoth);
  const ours = stored?.is_ours === true ? first : null;
  const original = duplicateOf === null ? null : recordOf(duplicateOf, ours);
  if (original !== null && own !== null) return [withoutBody(own, original), ...requestOf(own)];
  if (first === null) return [metadataRecord(url, at, { 'orbweaver-body': 'lost' })];
  const known = own ?? (ours !== null && isOf(ours, url) ? ours : null);
  // A 304 had no body. Of several answers that brought a new body at the same time the head of one was kept.
  if (known === null || saysUnchanged(known)) {
    if (ours === null && original === null) {
      const alone = bodyAlone(url, at, hash, page.contentType, first.body);
      const refersTo = { url, date: at.toISOString() };
      return known === null ? [alone] : [alone, withoutBody(known, refersTo), ...requestOf(known)];
    }
    const refersTo = original ?? recordOf(ours?.fields.get('warc-target-uri') ?? '', ours);
    return [
      ...(original === null && ours !== null ? [withBody(ours, ours.body), ...requestOf(ours)] : []),
      ...(known === null
        ? [headless(url, at, hash, refersTo)]
        : [withoutBody(known, refersTo), ...requestOf(known)]),
    ];
  }
  const record = original === null ? withBody(known, first.body) : withoutBody(known, original);
  return [record, ...requestOf(known)];
}

/** The record of a page, by the first answer that brought its body: only that one tells when its record is from. */
const recordOf = (url: string, first: ReadRecord | null): RefersTo => ({
  url,
  date: first !== null && isOf(first, url) ? (first.fields.get('warc-date') ?? null) : null,
});

const isOf = ({ fields }: ReadRecord, url: string): boolean => fields.get('warc-target-uri') === url;

const requestOf = ({ rest }: ReadRecord): Buffer[] => (rest.length > 0 ? [rest] : []);
