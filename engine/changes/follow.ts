/**
 * Finds the changes of a crawl along the pages feed, after the answers were committed. So fetching and reading cost the
 * same with and without them.
 *
 * One process at a time follows a crawl, but this claim only saves work. Correctness rests on the place: versions,
 * events and the next place are stored in one transaction, which does nothing if the stored place is not the one from
 * which the process started. So a process may die or freeze anywhere, and each change has one event, in the order of
 * the feed.
 *
 * A body is read only if its hash differs from that of the version before. Then both bodies are read. In a standing
 * crawl a page is not fetched again before its answer was compared (engine/recrawl/run.ts), so no version is missed.
 */
import type { VersionChange } from '../../contracts/http/changes.ts';
import type { PageRules } from '../../contracts/page-rules.ts';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { changeBetween, type Change } from '../../domain/changes/compare.ts';
import { NotHereYet } from '../../storage/archive/index.ts';
import {
  answersAfter,
  claimChanges,
  countDropped,
  followedCrawl,
  followedCrawls,
  forgetChanges,
  releaseChanges,
  storeVersions,
  type ChangesPlace,
  type FollowedAnswer,
  type NewVersion,
} from '../../storage/changes/index.ts';
import { lockCrawls } from '../../storage/crawls/index.ts';
import { pagesHorizon } from '../../storage/pages/index.ts';
import { inTransaction, retrying, type Pool } from '../../storage/postgres/index.ts';
import type { ReadAnswer } from './read-version.ts';

/** Answers that are compared and stored together. */
const batch = 100;
/** Crawls looked up together. */
const crawlsALook = 40;
/** Events of changes that a crawl keeps; what a webhook has still to send stays beyond. */
const mostChanges = 100_000;

/** Follows all crawls that want it, until nothing is left or the time is up. Answers how many answers were compared. */
export async function followChanges(pool: Pool, read: ReadAnswer, budgetMs: number): Promise<number> {
  const until = performance.now() + budgetMs;
  let [compared, after] = [0, '0'];
  while (performance.now() < until) {
    const crawls = await followedCrawls(pool, after, crawlsALook);
    for (const { id } of crawls) {
      compared += await followCrawl(pool, read, id, () => performance.now() < until);
      after = id;
    }
    if (crawls.length < crawlsALook) break;
  }
  return compared;
}

/** Answers how many answers were compared; 0 also where another process follows the crawl. */
export async function followCrawl(
  pool: Pool,
  read: ReadAnswer,
  crawlId: string,
  goesOn: () => boolean,
  most = mostChanges,
): Promise<number> {
  let [place] = await claimChanges(pool, crawlId);
  if (place === undefined) return 0;
  let [compared, isOver] = [0, false];
  try {
    while (goesOn()) {
      const [crawl] = await followedCrawl(pool, crawlId);
      if (crawl === undefined) return compared;
      const horizon = crawl.is_over
        ? null
        : ((await pagesHorizon(pool, crawlId, place.micros))[0]?.micros ?? 0);
      const { micros, host_id: hostId, key } = place;
      const answers = await answersAfter(
        pool,
        crawlId,
        micros,
        hostId,
        Buffer.from(key, 'hex'),
        horizon,
        batch,
      );
      const isEnd = answers.length < batch;
      const found = await compare(crawlId, answers, crawl.rules, read);
      const last = answers[found.compared - 1];
      if (last !== undefined) {
        const isWhole = found.compared === answers.length;
        const next: ChangesPlace =
          // Whoever waits for the place (recrawl) need not wait for the next answer.
          isEnd && isWhole && horizon !== null ? { micros: horizon, host_id: 0, key: '' } : last;
        const kept = crawl.kept ?? defaultCrawlConfig.versionsKept;
        if (!(await store(pool, crawlId, found, kept, place, next))) return compared;
        compared += found.compared;
        place = next;
      }
      if (found.compared < answers.length) break;
      if (!isEnd) continue;
      isOver = crawl.is_over;
      break;
    }
    await forgetSurplus(pool, crawlId, most, goesOn);
    return compared;
  } finally {
    await releaseChanges(pool, crawlId, isOver);
  }
}

interface Compared {
  readonly versions: readonly NewVersion[];
  /** How many of the answers, from the first on; the next one lies where this process cannot read it. */
  readonly compared: number;
  readonly lost: number;
}

async function compare(
  crawlId: string,
  answers: readonly FollowedAnswer[],
  rules: PageRules | null,
  read: ReadAnswer,
): Promise<Compared> {
  const versions: NewVersion[] = [];
  let [compared, lost] = [0, 0];
  for (const answer of answers) {
    const { before } = answer;
    let change: Change | null = null;
    if (before !== null && differs(answer)) {
      try {
        const [one, other] = [await read(answer.url, before, rules), await read(answer.url, answer, rules)];
        if ([one, other].some(({ bodyHash, read: found }) => bodyHash !== null && found === null)) lost++;
        change = changeBetween(one, other);
      } catch (error) {
        if (error instanceof NotHereYet) break;
        throw error;
      }
    }
    compared++;
    if (answer.last_number === null || change !== null) versions.push(versionOf(crawlId, answer, change));
  }
  return { versions, compared, lost };
}

const differs = ({ before, status, redirect_to: redirect, content_hash: hash }: FollowedAnswer): boolean =>
  before !== null &&
  (before.status !== status || before.redirect_to !== redirect || before.content_hash !== hash);

/** The statement takes only the fields of a version from the answer. */
function versionOf(crawlId: string, answer: FollowedAnswer, change: Change | null): NewVersion {
  const number = (answer.last_number ?? 0) + 1;
  return { ...answer, number, change: change && told(crawlId, number, answer, change) };
}

function told(crawlId: string, number: number, answer: FollowedAnswer, change: Change): VersionChange {
  const { url, before, status, gone, content_hash: bodyHash, text_hash: textHash, fetched_at: at } = answer;
  if (before === null) throw new Error(`${url} has changed, and was never fetched before`);
  return {
    url,
    version: `${crawlId}-${String(number)}`,
    before: `${String(before.of_crawl)}-${String(before.number)}`,
    fetchedAt: at.toISOString(),
    fetchedBefore: new Date(before.fetched_at).toISOString(),
    status,
    gone,
    bodyHash,
    textHash,
    ...change,
    fields: [...change.fields],
  };
}

/** Answers whether the place was where it should be. */
const store = (
  pool: Pool,
  crawlId: string,
  { versions, compared, lost }: Compared,
  kept: number,
  from: ChangesPlace,
  { micros, host_id, key }: ChangesPlace,
): Promise<boolean> =>
  inTransaction(pool, async (db) => {
    // A writer of events holds the crawl's row.
    await lockCrawls(db, [Number(crawlId)]);
    const changed = versions.filter(({ change }) => change !== null).length;
    const [stored] = await storeVersions(
      db,
      crawlId,
      JSON.stringify(versions),
      kept,
      JSON.stringify(from),
      JSON.stringify({ micros, host_id, key }),
      JSON.stringify({ compared, changed, lost }),
    );
    if (stored !== undefined && stored.dropped > 0) await countDropped(db, crawlId, stored.dropped);
    return stored !== undefined;
  });

async function forgetSurplus(
  pool: Pool,
  crawlId: string,
  most: number,
  goesOn: () => boolean,
): Promise<void> {
  for (let events = 1; events > 0 && goesOn();) {
    const [forgotten] = await retrying(() => forgetChanges(pool, crawlId, most));
    events = forgotten?.events ?? 0;
  }
}
