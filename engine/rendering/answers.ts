/** The answers of a crawl as a page that is rendered gets them: from the archive, or why they will not come. */
import type { Found, GivenAnswer } from '../../contracts/rendering.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { pageReasons, reasonText, troubleText } from '../../domain/url-reason.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { canonicalize } from '../../domain/url.ts';
import {
  NotHereYet,
  saysUnchanged,
  type ArchiveReader,
  type ReadRecord,
} from '../../storage/archive/index.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { findForPage, type FoundForPage } from '../../storage/rendering/index.ts';

export type Answers = Pick<ArchiveReader, 'answer' | 'ownAnswer'>;

/** `absent`: to be admitted to the frontier. `waits`: it is there, and is to be fetched. */
export type Asked =
  | { readonly is: 'over'; readonly found: Exclude<Found, 'missing'> }
  | { readonly is: 'absent' }
  | { readonly is: 'waits' };

/** Once the crawl is let in again, pages that lack a file for this are rendered anew. */
export const loggedOutWords = 'its host has logged the crawl out';

const failed = (why: string): Asked => ({ is: 'over', found: { failed: why } });

/**
 * What a crawl has of a URL.
 * @throws if Postgres or the archive is away
 */
export async function askFor(db: Queryable, archive: Answers, crawlId: number, url: string): Promise<Asked> {
  const link = canonicalize(url);
  if (!link.ok) return failed(`it is no URL that can be fetched: ${link.rejected}`);
  const { host, canonical } = link.value;
  const [row] = await findForPage(db, host, crawlId, urlKey(canonical));
  if (row === undefined || isOnlyNoPage(row)) return { is: 'absent' };
  const { state, reason, detail, parked } = row;
  if (state === 'queued' || state === 'leased') {
    if (row.logged_out) return { is: 'over', found: { failed: loggedOutWords } };
    return parked === null ? { is: 'waits' } : failed(`its host is parked: ${troubleText(parked)}`);
  }
  try {
    const answer = await answerOf(archive, crawlId, row);
    if (answer !== null) return { is: 'over', found: answer };
  } catch (error) {
    // Another process has it until the segment is closed.
    if (error instanceof NotHereYet) return { is: 'waits' };
    throw error;
  }
  return failed(state === 'done' ? 'its answer was not kept' : reasonText(reason, detail));
}

/** The URL was kept out only as a page: as something that a page needs it may be fetched. */
const isOnlyNoPage = ({ kind, state, reason, fetches, seed }: FoundForPage): boolean =>
  kind === storedKinds.page &&
  state === 'excluded' &&
  fetches === 0 &&
  !seed &&
  pageReasons.some((each) => each === reason);

type Stored = Pick<
  FoundForPage,
  'host_id' | 'key' | 'url' | 'status' | 'redirect_to' | 'hash' | 'content_type' | 'is_ours'
>;

/**
 * The answer that a URL got. The head is its own, or that of the answer which first brought the same body, where that was
 * the same URL's; else the media type alone is known. Null: nothing was kept of it.
 */
export async function answerOf(archive: Answers, crawlId: number, row: Stored): Promise<GivenAnswer | null> {
  const { host_id: hostId, key, url, status, redirect_to: target, hash, content_type: type } = row;
  if (status === null) return null;
  const own = await archive.ownAnswer(hostId, String(crawlId), Buffer.from(key, 'hex'), hash);
  if (hash === null) {
    if (own !== null) return { status, headers: fieldsOf(own), body: own.body };
    const headers = target === null ? [] : [['location', target] as const];
    return { status, headers, body: new Uint8Array() };
  }
  const first = await archive.answer(hash);
  if (first === null) return null;
  const bringer = row.is_ours && first.fields.get('warc-target-uri') === url ? first : null;
  const head = own === null || saysUnchanged(own) ? bringer : own;
  const headers = head !== null ? fieldsOf(head) : type === null ? [] : [['content-type', type] as const];
  return { status, headers, body: first.body };
}

function fieldsOf({ head }: ReadRecord): (readonly [name: string, value: string])[] {
  const [, ...lines] = head.split('\r\n');
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const];
  });
}
