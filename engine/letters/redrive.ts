/** Redrives dead letters (G7) in batches, and tells the hosts and crawls concerned. */
import type { RedriveInput } from '../../contracts/activities.ts';
import type { RedrivePlace } from '../../contracts/jobs.ts';
import {
  addRedriven,
  hostCausedClasses,
  noneRedriven,
  redrivenSentence,
  type RedriveCounts,
} from '../../domain/dead-letter.ts';
import { canonicalize } from '../../domain/url.ts';
import { loadCrawls, reopenCrawlsAtHost } from '../../storage/crawls/index.ts';
import { answerAsks, bringBack, hostIds } from '../../storage/hosts/index.ts';
import { urlKey } from '../../contracts/url-key.ts';
import {
  decodeCursor,
  encodeCursor,
  redriveBatch,
  type LetterCursor,
  type LetterFilter,
  type RedrivenBatch,
} from '../../storage/letters/index.ts';
import { type Pool, retrying } from '../../storage/postgres/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { done, more, type Job } from '../jobs/job.ts';

type Parts = Pick<Dependencies, 'pool' | 'wakeHosts'>;
/** Lets the workflow of a crawl that had ended go on. */
export type ReopenCrawl = (crawlId: string) => Promise<void>;

const begun: RedrivePlace = { after: null, view: { ...noneRedriven, unparked: false } };

/**
 * Redrives dead letters of a crawl, however many there are.
 * @param retry has a parked host tried again; false: it was not parked
 */
export const redriveJobs = (
  parts: Parts,
  reopen: ReopenCrawl,
  retry: (origin: string) => Promise<boolean>,
): Job => ({
  work: async ({ id: crawlId, ask, place, goOn }) => {
    const { origin = null, class: letterClass = null, url = null, mayUnpark = false } = ask ?? {};
    const { after, view } = place ?? begun;
    if (place?.after === null && origin !== null) {
      const unparked = await retry(origin);
      // The host is not parked any more, so its requeued URLs do not wait at a parked host.
      const result = { ...view, unparked, ...(unparked ? { atParked: 0 } : {}) };
      return done(redrivenSentence(result), result);
    }
    const which = { crawlId, origin, class: letterClass, url, after };
    const { next, ...counts } = await redriveLetters(parts, reopen, which, goOn);
    const sum = { ...addRedriven(view, counts), unparked: false };
    const words = redrivenSentence(sum);
    const tries = mayUnpark && origin !== null && letterClass === null && url === null;
    if (next === null && !tries) return done(words, sum);
    return { ...more(sum, words), place: { after: next, view: sum } };
  },
});

/**
 * Redrives the letters that the input means, from `input.after` on.
 * @param goOn asked after each batch; false: the rest is for a later call
 * @returns what was redriven, and where to go on; `next` null: nothing is left
 */
export async function redriveLetters(
  { pool, wakeHosts }: Parts,
  reopen: ReopenCrawl,
  input: RedriveInput & { readonly after: string | null },
  goOn: () => boolean,
): Promise<RedriveCounts & { readonly next: string | null }> {
  const filter = await filterOf(pool, input);
  if (filter === null) return { ...noneRedriven, next: null };
  let counts = noneRedriven;
  let after = input.after === null ? null : decodeCursor(input.after);
  do {
    const batch = await redriveBatch(pool, filter, after);
    wakeHosts(batch.hosts);
    counts = addRedriven(counts, batch);
    after = batch.next;
  } while (after !== null && goOn());
  await tellCrawls(pool, reopen, filter);
  return { ...counts, next: after === null ? null : encodeCursor(after) };
}

/**
 * Forgets a host's trouble and parking, redrives the dead letters that it caused, and wakes crawls that had ended.
 * @param until by `performance.now()`: letters left by then are for a later call
 */
export async function unpark(
  { pool, wakeHosts }: Parts,
  reopen: ReopenCrawl,
  hostId: string,
  until = Infinity,
): Promise<void> {
  await retrying(() => bringBack(pool, hostId));
  for (const letterClass of hostCausedClasses) {
    const filter = { crawlId: null, hostId, class: letterClass, key: null };
    let after: LetterCursor | null = null;
    do {
      const batch: RedrivenBatch = await redriveBatch(pool, filter, after);
      wakeHosts(batch.hosts);
      after = batch.next;
    } while (after !== null && performance.now() < until);
  }
  await tellCrawls(pool, reopen, { crawlId: null, hostId });
  // Not earlier: a crawl that waits for the host must stay open until it has been told of its queued URLs.
  await retrying(() => answerAsks(pool, hostId));
}

/**
 * Reopens crawls that had ended and have queued URLs again. Done in every call, not only for what this call has moved:
 * an earlier call may have been cut off between moving and telling.
 */
async function tellCrawls(
  pool: Pool,
  reopen: ReopenCrawl,
  { crawlId, hostId }: Pick<LetterFilter, 'crawlId' | 'hostId'>,
): Promise<void> {
  const crawls =
    crawlId !== null
      ? (await loadCrawls(pool, [Number(crawlId)])).filter(({ state }) => state === 'running')
      : await reopenCrawlsAtHost(pool, hostId ?? '0');
  for (const { id } of crawls) await reopen(String(id));
}

/** Null: there is no such host or URL, so no letter matches. */
async function filterOf(pool: Pool, input: RedriveInput): Promise<LetterFilter | null> {
  const link = input.url === null ? null : canonicalize(input.url);
  if (link?.ok === false) return null;
  const origin = link?.value.host ?? input.origin;
  if (link !== null && input.origin !== null && input.origin !== origin) return null;
  const [host] = origin === null ? [] : await hostIds(pool, [origin]);
  if (host === undefined && (origin !== null || input.crawlId === null)) return null;
  const hostId = host === undefined ? null : String(host.id);
  const key = link === null ? null : urlKey(link.value.canonical).toString('hex');
  const choice = { class: input.class, key };
  if (input.crawlId !== null) return { crawlId: input.crawlId, hostId, ...choice };
  return hostId === null ? null : { crawlId: null, hostId, ...choice };
}
