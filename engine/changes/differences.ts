/** Versions of a page, and what differs between two of them, for somebody who asks. */
import type { PageDiff, PageVersion } from '../../contracts/http/changes.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { aside } from '../../content/aside.ts';
import {
  changeBetween,
  fieldChanges,
  type Answered,
  type FieldChange,
} from '../../domain/changes/compare.ts';
import { canonicalize } from '../../domain/url.ts';
import { followedCrawl, listVersions } from '../../storage/changes/index.ts';
import { hostShare } from '../../storage/pages/index.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import type { ReadAnswer } from './read-version.ts';

type Found = Awaited<ReturnType<typeof listVersions>>;

async function find(db: Queryable, crawlId: string, url: string): Promise<Found> {
  const link = canonicalize(url.trim());
  if (!link.ok) throw new RangeError(`this URL cannot be crawled: ${link.rejected}`);
  const { host, canonical } = link.value;
  const [share] = await hostShare(db, crawlId, host);
  return share === undefined ? [] : listVersions(db, crawlId, share.host_id, urlKey(canonical));
}

const idOf = ({
  of_crawl: crawlId,
  number,
}: {
  readonly of_crawl: number;
  readonly number: number;
}): string => `${String(crawlId)}-${String(number)}`;

/**
 * The latest first. Empty: neither the crawl nor an earlier one has fetched the page, or the crawl has never met its host.
 * @param url one that a crawl can have
 */
export async function versionsOf(db: Queryable, crawlId: string, url: string): Promise<PageVersion[]> {
  return (await find(db, crawlId, url)).map((row) => ({
    version: idOf(row),
    crawlId: String(row.of_crawl),
    url: row.url,
    fetchedAt: row.fetched_at.toISOString(),
    status: row.status,
    gone: row.gone,
    redirectTo: row.redirect_to,
    contentType: row.content_type,
    bodyHash: row.content_hash,
    textHash: row.text_hash,
    stored: row.stored,
    change: row.change,
  }));
}

/** 'no-version': there is no such version, or none before it. 'no-body': one of the two has a body that is gone. */
export async function differences(
  db: Queryable,
  read: ReadAnswer,
  crawlId: string,
  url: string,
  from: string | undefined,
  to: string | undefined,
): Promise<PageDiff | 'no-version' | 'no-body'> {
  const [[crawl], versions] = [await followedCrawl(db, crawlId), await find(db, crawlId, url)];
  const rules = crawl?.rules ?? null;
  const at = to === undefined ? 0 : versions.findIndex((version) => idOf(version) === to);
  const later = versions[at];
  const earlier = from === undefined ? versions[at + 1] : versions.find((version) => idOf(version) === from);
  if (later === undefined || earlier === undefined) return 'no-version';
  const [one, other] = [await read(earlier.url, earlier, rules), await read(later.url, later, rules)];
  if ([one, other].some(({ bodyHash, read: found }) => bodyHash !== null && found === null)) return 'no-body';
  const change = changeBetween(one, other);
  return {
    url: later.url,
    from: idOf(earlier),
    to: idOf(later),
    fields: answerChanges(one, other),
    text: one.read === null || other.read === null ? null : await partsOf(one.read.main, other.read.main),
    change: change && { ...change, fields: [...change.fields] },
  };
}

async function partsOf(before: string, after: string): Promise<PageDiff['text']> {
  const { parts, exact, leftOut } = await aside('differences', before, after);
  return { parts: parts.map((part) => ({ ...part })), exact, leftOut };
}

function answerChanges(one: Answered, other: Answered): FieldChange[] {
  const own = (['status', 'redirectTo'] as const).flatMap((field): FieldChange[] =>
    one[field] === other[field]
      ? []
      : [
          {
            field,
            ...(one[field] !== null && { before: one[field] }),
            ...(other[field] !== null && { after: other[field] }),
          },
        ],
  );
  return one.read === null || other.read === null ? own : [...own, ...fieldChanges(one.read, other.read)];
}
