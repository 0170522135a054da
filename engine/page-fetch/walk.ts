/** Follows a URL in a crawl through its redirects to the visit that answers it, or to what it waits for. */
import { urlKey } from '../../contracts/url-key.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import { findVisit, type Instants, type Visit } from '../../storage/fetches/index.ts';
import { hostIds } from '../../storage/hosts/index.ts';
import type { Queryable } from '../../storage/postgres/index.ts';

/** A URL of a crawl, by its key in hex. */
export interface VisitPlace {
  readonly crawlId: string;
  readonly origin: string;
  readonly key: string;
  readonly url: string;
}

interface At {
  readonly place: VisitPlace;
  readonly visit: Visit;
}
/** The end of the way. */
export interface Ended extends At {
  readonly kind: 'answered' | 'refused' | 'failed';
}
export type Walked =
  | Ended
  | (At & { readonly kind: 'stale' | 'waits' })
  /** The crawl has not met it. */
  | { readonly kind: 'unmet'; readonly place: VisitPlace };

/** A crawl follows ten at most, and one more may lead back by a cookie. */
const mostHops = 12;

export const placeOf = (crawlId: string, { host, canonical, url }: CanonicalUrl): VisitPlace => ({
  crawlId,
  origin: host,
  key: urlKey(canonical).toString('hex'),
  url,
});

/** By visits that are young enough; the first that is not, or is not settled, ends the way. */
export async function walk(
  db: Queryable,
  crawlId: string,
  from: CanonicalUrl,
  { since, asked_at: askedAt }: Instants,
): Promise<Walked> {
  let place = placeOf(crawlId, from);
  for (let hops = 0; ; hops++) {
    const [host] = await hostIds(db, [place.origin]);
    const hostId = host === undefined ? null : String(host.id);
    const [visit] = hostId === null ? [] : await findVisit(db, { ...place, hostId, since, askedAt });
    if (visit === undefined) return { kind: 'unmet', place };
    const kind = standing(visit);
    const target = kind === 'answered' && visit.state === 'done' ? visit.redirect_to : null;
    const next = target === null ? null : canonicalize(target);
    if (next?.ok !== true || hops === mostHops) return { kind, place, visit };
    place = placeOf(crawlId, next.value);
  }
}

function standing({ settled, fresh, state, status }: Visit): Exclude<Walked['kind'], 'unmet'> {
  if (!settled) return 'waits';
  if (!fresh) return 'stale';
  if (state === 'excluded') return 'refused';
  // What the host has answered is an answer, whatever it says.
  return state === 'failed' && (status === null || status < 400) ? 'failed' : 'answered';
}
