/** The score of a page, by what is known now. */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { ScoreFacts } from '../../domain/explain/facts.ts';
import { hostName } from '../../domain/opt-out.ts';
import { readSketch, sourcesOf } from '../../domain/priority/link-sketch.ts';
import { worthOf } from '../../domain/priority/place.ts';
import { weightsOf } from '../../domain/priority/score.ts';
import { domainsAbove } from '../../domain/priority/trust.ts';
import { Topic } from '../../domain/relevance/focus.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { qualitiesOf } from '../../storage/quality/index.ts';
import { ranksOf } from '../../storage/ranks/index.ts';
import type { UrlCircumstances } from '../../storage/reports/index.ts';
import { promiseOf, scoreOf } from '../admission/scoring.ts';

/** Where a page stands: its depth, the page that names it, and the links that were counted (sketches). */
export type Placed = Pick<
  UrlCircumstances,
  'depth' | 'parent_priority' | 'parent_is_host' | 'linking_hosts' | 'linking_pages' | 'promised' | 'lastmod'
>;

/** Does the score give the URL its place in line? */
export function isScored({ seed, hops, kind }: UrlCircumstances): boolean {
  return !seed && hops === 0 && kind === storedKinds.page;
}

export async function scoreFacts(
  db: Queryable,
  config: CrawlConfig,
  { url, host }: CanonicalUrl,
  placed: Placed,
): Promise<ScoreFacts> {
  const weights = weightsOf(config.priority, config.focus !== null);
  const names = domainsAbove(hostName(host));
  const ranks = weights.trusted === 0 ? [] : await ranksOf(db, names);
  const nearest = names.find((name) => ranks.some(({ domain }) => domain === name));
  const place = ranks.find(({ domain }) => domain === nearest)?.place ?? null;
  const [quality] = await qualitiesOf(db, [host]);
  const { depth, parent_priority, parent_is_host, linking_hosts, linking_pages, promised, lastmod } = placed;
  const counted = (sketch: string | null, first: boolean): number =>
    Math.max(Number(first), sketch === null ? 0 : sourcesOf(readSketch(sketch)));
  const topic = config.focus === null ? null : new Topic(config.focus);
  return scoreOf(
    {
      url,
      host,
      depth,
      parentPriority: parent_priority === null ? 1 : worthOf(parent_priority),
      inboundHosts: counted(linking_hosts, parent_is_host === false),
      inboundPages: counted(linking_pages, parent_is_host === true),
      relevance: promised ?? promiseOf({ topic }, url),
      lastmod: lastmod?.getTime() ?? null,
    },
    { weights, trusted: new Set(config.trustedDomains) },
    place,
    quality?.quality ?? 1,
    Date.now(),
  );
}
