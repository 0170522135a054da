/**
 * Traps: adds what pages have shown to the watch of their hosts, and moves what follows from it.
 *
 * Lock order: watches by host, then crawls by id. URLs that are queued again: their crawl, then its queue, then URLs.
 */
import { isOver, whyNoMore } from '../../domain/crawl-life.ts';
import { floorUnder, usualFloor, type CrawlBounds } from '../../domain/traps/rules.ts';
import { domainOfShape } from '../../domain/traps/shape.ts';
import { noPages, watchPages, type Observation, type ShapeStatus } from '../../domain/traps/watch.ts';
import { reopenClosedCrawls } from '../crawls/index.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import {
  dueSamples,
  hostKeptBack,
  giveVerdict,
  lockQuarantined,
  noteFound,
  noteLetThrough,
  noteSamples,
  openReleases,
  requeueQuarantined,
  settleRelease,
  type FoundRow,
} from './quarantine.sql.ts';
import { beginWatches, lockWatches, storeWatches } from './watch.sql.ts';

/** Pages of a crawl at a host, in the order in which they were read. */
interface WatchedPages {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly pages: readonly Observation[];
  readonly bounds: CrawlBounds;
}

/** Seconds from the quarantine to the first samples, and between samples. */
export const firstSampleSeconds = 3_600;
const sampleSeconds = 86_400;
/** URLs that are let through together. */
const sampleUrls = 3;
/** So many samples, of which so many are new, free a shape by themselves. */
const freeing = { sampled: 5, share: 0.8 };
/** URLs that one transaction queues again. */
const batch = 2_000;
/** Seconds after which no process goes by an older verdict: the copies of crawls are a second old at most. */
const settleSeconds = 60;

const asJson = (rows: readonly unknown[]): string => JSON.stringify(rows);

/**
 * Adds pages to the watches of their hosts. Answers how many shapes were put into quarantine.
 * @param usual pages of a shape that are read before it is held, where no limit of the crawl is near
 */
export function addWatched(
  pool: Pool,
  watched: readonly WatchedPages[],
  usual = usualFloor,
): Promise<number> {
  const places = asJson(watched.map(({ host_id, crawl_id }) => ({ host_id, crawl_id })));
  return inTransaction(pool, async (db) => {
    let rows = await lockWatches(db, places);
    if (rows.length < watched.length) {
      await beginWatches(db, places);
      rows = await lockWatches(db, places);
    }
    const found: FoundRow[] = [];
    const samples: object[] = [];
    const stored = rows.map(({ host_id, crawl_id, state: known, statuses, quota }) => {
      // Without words it is new, or a process of an older version wrote it.
      const state = { ...noPages(), ...(known.words !== undefined && known) };
      const pages = watched.filter((each) => each.host_id === host_id && each.crawl_id === crawl_id);
      const findings = watchPages(
        state,
        pages.flatMap((each) => each.pages),
        statusesOf(statuses),
        Math.min(...pages.map(({ bounds }) => floorUnder(withQuota(bounds, quota), usual))),
      );
      for (const finding of findings) {
        const { shape } = finding;
        const place = { crawl_id, host_id, shape };
        if (finding.kind === 'sample') samples.push({ ...place, pages: finding.pages, novel: finding.novel });
        else if (finding.kind === 'clear') {
          found.push({ ...place, rule: null, evidence: {}, verdict: 'cleared' });
        } else {
          const verdict = finding.kind === 'hold' ? 'held' : 'suspected';
          found.push({ ...place, ...finding.accusation, verdict });
        }
      }
      return { host_id, crawl_id, state };
    });
    await storeWatches(db, asJson(stored));
    const changed = latest(found);
    if (changed.length > 0) await noteFound(db, asJson(changed), firstSampleSeconds);
    if (samples.length > 0) await freeBySamples(db, samples);
    return changed.filter(({ verdict }) => verdict === 'held').length;
  });
}

/** The host's quota counts where it is less than what the crawl may ask for in a day. */
const withQuota = (bounds: CrawlBounds, quota: number | null): CrawlBounds => ({
  ...bounds,
  requestsPerDay: Math.min(bounds.requestsPerDay ?? Infinity, quota ?? Infinity),
});

const statusesOf = (
  given: Readonly<Record<string, ShapeStatus | 'cleared'>> | null,
): Map<string, ShapeStatus> =>
  new Map(
    Object.entries(given ?? {}).filter((entry): entry is [string, ShapeStatus] => entry[1] !== 'cleared'),
  );

/** Of several findings about a shape the last one holds. */
const latest = (found: readonly FoundRow[]): FoundRow[] => [
  ...new Map(
    found.map((row) => [`${String(row.crawl_id)} ${String(row.host_id)} ${row.shape}`, row]),
  ).values(),
];

/** Frees shapes whose samples turned out to be new pages. */
async function freeBySamples(db: Queryable, samples: readonly object[]): Promise<void> {
  for (const { id, crawl_id, verdict, sampled, novel } of await noteSamples(db, asJson(samples))) {
    if (verdict === 'held' && sampled >= freeing.sampled && novel >= freeing.share * sampled)
      await giveVerdict(db, String(crawl_id), [id], 'released', null);
  }
}

/**
 * Queues URLs again that a verdict keeps back, up to so many in one transaction, as samples or free. Answers how many.
 * Samples are let through once, however many processes find that they are due. A crawl that had ended
 * for want of work runs on, and the patrol starts its workflow; one that may not go on keeps its URLs as they are. Hosts
 * with a workflow that waits are found by the scheduler. Pages that were read make no work: they are done again in any
 * crawl. @param from where the hosts of a domain begin (`hostKeptBack`)
 */
function requeueBatch(
  pool: Pool,
  id: string,
  limit: number,
  reason: 'sample' | null,
  from = '',
): Promise<{ readonly urls: number; readonly name: string }> {
  return inTransaction(pool, async (db) => {
    const [row] = await lockQuarantined(db, id);
    if (row === undefined || (reason === 'sample' && !row.due)) return { urls: 0, name: from };
    const wereRead = row.rule === 'soft-404';
    const goesOn = wereRead || whyNoMore(row) === null;
    const domain = domainOfShape(row.shape);
    const [next] = domain === null ? [] : await hostKeptBack(db, id, domain, from);
    const hostId = domain === null ? row.host_id : next?.host_id;
    const urls =
      goesOn && hostId !== undefined
        ? (await requeueQuarantined(db, id, row.crawl_id, hostId, limit, reason)).length
        : 0;
    if (reason === 'sample') await noteLetThrough(db, id, urls, sampleSeconds);
    if (urls > 0 && !wereRead && isOver(row.state)) await reopenClosedCrawls(db, [row.crawl_id]);
    return { urls, name: next?.name ?? from };
  });
}

/** Queues all URLs again that a released shape keeps back, until none is left or the time is up. */
export async function sweepRelease(
  pool: Pool,
  id: string,
  until: number,
): Promise<{ readonly urls: number; readonly more: boolean }> {
  for (let [urls, from] = [0, '']; ;) {
    const moved = await requeueBatch(pool, id, batch, null, from);
    urls += moved.urls;
    from = moved.name;
    // A batch is of one host, and a domain has more of them.
    if (moved.urls === 0) return { urls, more: false };
    if (performance.now() > until) return { urls, more: true };
  }
}

/** What is left to do in the background, a little at a look: URLs of released shapes, and samples of held ones. */
export async function tendQuarantine(pool: Pool, most: number, budgetMs: number): Promise<void> {
  const until = performance.now() + budgetMs;
  for (const { id } of await openReleases(pool, most)) {
    const { urls, more } = await sweepRelease(pool, id, until);
    if (!more && urls === 0) await settleRelease(pool, id, settleSeconds);
  }
  for (const { id } of await dueSamples(pool, most)) {
    await requeueBatch(pool, id, sampleUrls, 'sample');
  }
}
