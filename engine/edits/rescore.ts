/**
 * Gives URLs that wait new scores by edited settings. An edit walks the frontier anyway to judge it (apply.ts), so what
 * an edit of the weights costs more is one look at the rows of each batch, and a row written for each score that changes.
 */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { readSketch, sourcesOf } from '../../domain/priority/link-sketch.ts';
import { worthOf } from '../../domain/priority/place.ts';
import { weightsOf } from '../../domain/priority/score.ts';
import { Topic } from '../../domain/relevance/focus.ts';
import { canonicalize } from '../../domain/url.ts';
import { rescoreUrls, settleTiers, urlsToScore, type ScoredUrl } from '../../storage/frontier/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { promiseOf, scoreOf } from '../admission/scoring.ts';

type Scoring = Pick<OpenCrawl, 'weights' | 'trusted' | 'topic'>;

/** Those of the rows that are leased meanwhile, have failed or get another score keep theirs. */
export async function rescore(
  { pool, books }: Pick<Dependencies, 'pool' | 'books'>,
  crawlId: string,
  config: CrawlConfig,
  rows: readonly { readonly host_id: number; readonly key: string }[],
): Promise<void> {
  const named = rows.map(({ host_id, key }) => ({ host_id, key }));
  const waiting = await urlsToScore(pool, crawlId, JSON.stringify(named));
  if (waiting.length === 0) return;
  const origins = waiting.map(({ origin }) => origin);
  const ranks = await books.ranks.placesOf(origins);
  const qualities = await books.qualities.of(origins);
  const scoring = {
    weights: weightsOf(config.priority, config.focus !== null),
    trusted: new Set(config.trustedDomains),
    topic: config.focus === null ? null : new Topic(config.focus),
  };
  const rescored = waiting.flatMap((row) => {
    const { host_id, origin, key, priority: was } = row;
    const worth = worthBy(row, scoring, ranks.get(origin) ?? null, qualities.get(origin) ?? 1);
    const priority = worth === null ? was : Math.fround(worth);
    return priority === was ? [] : [{ host_id, crawl_id: Number(crawlId), key, was, priority }];
  });
  if (rescored.length === 0) return;
  await retrying(() => rescoreUrls(pool, JSON.stringify(rescored)));
  const hosts = [...new Set(rescored.map(({ host_id }) => host_id))];
  await retrying(() => settleTiers(pool, crawlId, hosts));
}

/** Null: the URL cannot be read. @param place of the host in the imported ranking @param quality of the host */
function worthBy(row: ScoredUrl, scoring: Scoring, place: number | null, quality: number): number | null {
  const link = canonicalize(row.url);
  if (!link.ok) return null;
  const { depth, parent_is_host: internal, parent_priority: parent, lastmod } = row;
  const counted = (sketch: string | null, first: boolean): number =>
    Math.max(Number(first), sketch === null ? 0 : sourcesOf(readSketch(sketch)));
  const known = {
    url: link.value.url,
    host: row.origin,
    depth,
    parentPriority: parent === null ? 1 : worthOf(parent),
    inboundHosts: counted(row.hosts, internal === false),
    inboundPages: counted(row.pages, internal === true),
    relevance: row.relevance ?? promiseOf(scoring, link.value.url),
    lastmod: lastmod?.getTime() ?? null,
  };
  return scoreOf(known, scoring, place, quality, Date.now()).score;
}
