/** The answer that a crawl has stored of a URL, from the archive. */
import { aside } from '../content/aside.ts';
import type { Markdown, MarkdownPart } from '../content/markdown.ts';
import { canonicalize } from '../domain/url.ts';
import { urlKey } from '../contracts/url-key.ts';
import { saysUnchanged, type ArchiveReader } from '../storage/archive/index.ts';
import { repeatedReader } from '../storage/boilerplate/index.ts';
import { findStored } from '../storage/pages/index.ts';
import type { Queryable } from '../storage/postgres/index.ts';
import { findLooks } from '../storage/rendering/index.ts';

export type Answers = Pick<ArchiveReader, 'answer' | 'ownAnswer'>;

/**
 * Null: the crawl has no body of the URL, or the body is damaged.
 * @param url one that a crawl can have
 */
export async function storedBody(
  db: Queryable,
  archive: Answers,
  crawlId: string,
  url: string,
): Promise<Uint8Array | null> {
  return (await findStoredBody(db, archive, crawlId, url))?.body ?? null;
}

/** As `storedBody`, with what is known of its answer. */
export async function findStoredBody(db: Queryable, archive: Answers, crawlId: string, url: string) {
  const page = await find(db, crawlId, url);
  const body = page === null ? undefined : (await archive.answer(page.content_hash))?.body;
  return page === null || body === undefined ? null : { body, page };
}

/** As `storedBody`, as Markdown. 'not-text': the body has none. */
export async function storedMarkdown(
  db: Queryable,
  archive: Answers,
  crawlId: string,
  url: string,
  part: MarkdownPart,
): Promise<Markdown | 'not-text' | null> {
  const stored = await findStoredBody(db, archive, crawlId, url);
  if (stored === null) return null;
  const { body, page } = stored;
  const repeated = await repeatedReader(db, crawlId)(page.url);
  return (await aside('markdown', body, page.content_type, page.url, part, repeated)) ?? 'not-text';
}

/**
 * The head of the answer that brought the body. If the URL was answered 304 and that head was not kept, the head of the
 * 304. Null: neither was kept (of several answers with one new body, the first one's is), or there is no body. The head of
 * an answer to another tenant is never given.
 */
export async function storedHead(
  db: Queryable,
  archive: Answers,
  crawlId: string,
  url: string,
): Promise<string | null> {
  const stored = await find(db, crawlId, url);
  if (stored === null) return null;
  const revisit = await archive.ownAnswer(stored.host_id, crawlId, stored.key, stored.answer_hash);
  if (revisit !== null && !saysUnchanged(revisit)) return revisit.head;
  const answer = stored.is_ours ? await archive.answer(stored.answer_hash) : null;
  const whole = answer?.fields.get('warc-target-uri') === stored.url ? answer : revisit;
  return whole?.head ?? null;
}

/** What the page looked like when a browser rendered it: PNG or PDF. Null: there is none, or it is damaged. */
export async function storedLook(
  db: Queryable,
  archive: Answers,
  crawlId: string,
  url: string,
  look: 'screenshot' | 'pdf',
): Promise<Uint8Array | null> {
  const [found] = await findLooks(db, ...placeOf(crawlId, url));
  const hash = found?.[look] ?? null;
  return hash === null ? null : ((await archive.answer(hash))?.body ?? null);
}

async function find(db: Queryable, crawlId: string, url: string) {
  const [stored] = await findStored(db, ...placeOf(crawlId, url));
  return stored ?? null;
}

function placeOf(crawlId: string, url: string): [origin: string, crawlId: string, key: Uint8Array] {
  const link = canonicalize(url.trim());
  if (!link.ok) throw new RangeError(`this URL cannot be crawled: ${link.rejected}`);
  const { host, canonical } = link.value;
  return [host, crawlId, urlKey(canonical)];
}
