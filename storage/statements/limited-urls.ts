import { statement } from '../statement.ts';
import type { RuledUrl } from './urls-to-judge.ts';

export interface LimitedUrl extends RuledUrl {
  /** A sitemap that its host's robots.txt names: it is read wherever it lies. */
  readonly unruled: boolean;
}

/** URLs that the limit for a host keeps out there, the best first, after one of them ('': from the first on). */
export const limitedUrls = statement<
  [crawlId: string, hostId: number, afterKey: string, limit: number],
  LimitedUrl
>(
  'limited-urls',
  `with place as (
     select key, priority from url
      where $3 <> '' and host_id = $2 and crawl_id = $1 and key = decode($3, 'hex')
   )
   select u.host_id, h.origin, encode(u.key, 'hex') as key, u.url, u.state, u.depth, u.reason, u.detail, u.content_type,
          u.status, u.seed, u.kind = 1 and u.parent_key is null as unruled
     from url u join host h on h.id = u.host_id
    where u.host_id = $2 and u.crawl_id = $1 and u.state = 'excluded' and u.reason = 'host-limit'
      and ($3 = '' or exists (select from place p
                               where u.priority < p.priority or (u.priority = p.priority and u.key > p.key)))
    order by u.priority desc, u.key limit $4`,
);
