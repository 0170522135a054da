/** What was asked for of a page that is stored. Nothing is requested. */
import { aside } from '../../content/aside.ts';
import type { FetchedPage, WantedOfPage } from '../../contracts/http/fetch.ts';
import { repeatedReader } from '../../storage/boilerplate/index.ts';
import { readPage, type TextReader } from '../../storage/pages/index.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { tryRules } from '../rule-trial.ts';
import { findStoredBody, type Answers } from '../stored-answer.ts';
import type { VisitPlace } from './walk.ts';

export interface ContentParts {
  readonly pool: Queryable;
  readonly archive: Answers;
  readonly textOf: TextReader;
  /** Of the instance. */
  readonly userAgent: string;
}

type Told = Omit<FetchedPage, 'id' | 'url' | 'crawlId' | 'fromArchive' | 'rendered'>;

/** Null: the crawl has no answer to the URL. */
export async function pageAsWanted(
  parts: ContentParts,
  place: VisitPlace,
  wanted: WantedOfPage,
  hostId: number,
): Promise<Told | null> {
  const { format, rules, maxBytes } = wanted;
  const isJson = format === 'json';
  const read = await readPage(
    parts.pool,
    { ...place, host: hostId },
    isJson ? ['links', 'meta'] : [],
    parts.textOf,
  );
  if (read === null) return null;
  const { links, meta, ...page } = read;
  const { crawlId, url } = place;
  const ruled =
    rules === null || page.contentHash === null
      ? null
      : await tryRules(parts.pool, parts.archive, crawlId, url, rules, parts.userAgent);
  const trial = ruled === 'no-markup' ? null : ruled;
  const isText = format === 'text' || isJson;
  const text =
    isText && trial !== null
      ? { text: wanted.part === 'main' ? trial.main : trial.text, leftOut: 0 }
      : await textOf(parts, place, page, wanted, hostId);
  const cut = text === null ? null : cutTo(text.text, maxBytes);
  return {
    fetchedAt: page.fetchedAt,
    page,
    format,
    content: cut?.text ?? null,
    leftOut: (cut?.leftOut ?? 0) + (text?.leftOut ?? 0),
    ...(isJson && { links: links ?? [], meta: meta ?? null }),
    ...(rules !== null && { fields: trial?.fields ?? null, unread: trial?.unread ?? [] }),
  };
}

interface Text {
  readonly text: string;
  readonly leftOut: number;
}

/** Null: the page has no such text. */
async function textOf(
  parts: ContentParts,
  place: VisitPlace,
  page: FetchedPage['page'],
  { format, part }: WantedOfPage,
  hostId: number,
): Promise<Text | null> {
  const { pool, archive } = parts;
  const { crawlId, url } = place;
  const repeated = await repeatedReader(pool, crawlId)(url);
  const { contentType, contentHash } = page;
  if ((format === 'text' || format === 'json') && contentHash !== null) {
    const read = await parts.textOf(contentHash, contentType, url, null, repeated);
    return read && { text: part === 'main' ? read.main : read.text, leftOut: 0 };
  }
  const body =
    contentHash === null
      ? // An error has no page, but an answer, which the archive has.
        ((await archive.ownAnswer(hostId, crawlId, Buffer.from(place.key, 'hex'), null))?.body ?? null)
      : ((await findStoredBody(pool, archive, crawlId, url))?.body ?? null);
  if (body === null || body.length === 0) return null;
  if (format === 'markdown') return aside('markdown', body, contentType, url, part, repeated);
  if (format === 'html') {
    const source = await aside('source', body, contentType);
    return source === null ? null : { text: source, leftOut: 0 };
  }
  const { text, main } = await aside('shown', body, contentType, url, null, null, repeated);
  return { text: part === 'main' ? main : text, leftOut: 0 };
}

/** No character is cut in two. */
function cutTo(text: string, mostBytes: number): Text {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return { text, leftOut: 0 };
  let end = mostBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return { text: bytes.subarray(0, end).toString(), leftOut: bytes.length - end };
}
