/** How dead letters are redriven. */
import { statement } from '../postgres/index.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';
import { crawlTime } from '../crawls/index.ts';
import { behindBy } from '../../domain/priority/place.ts';

/**
 * Those of the hosts that are parked, locked: they stay parked until the transaction ends. Whoever unparks such a host
 * meanwhile looks for crawls to reopen only afterwards, and then sees what was queued here.
 */
export const holdParkedHosts = statement<[hostIds: readonly number[]], { id: number }>('hold-parked-hosts')`
   select id from host where id = any ($1) and parked_at is not null order by id for share`;

export interface RedrivenCrawl extends CrawlStands {
  readonly id: number;
  readonly pages: number;
  readonly since_start_ms: number | null;
  readonly max_pages: number | null;
  readonly max_seconds: number | null;
}

/**
 * Locks crawls, in the order of their ids, so that none is settled while its URLs are queued again; answers the facts
 * that decide whether these URLs may be queued.
 */
export const lockRedrivenCrawls = statement<[crawlIds: readonly number[]], RedrivenCrawl>(
  'lock-redriven-crawls',
)`
   select c.id, c.state, c.cause, c.reason,
          (select coalesce(sum(l.pages), 0)::bigint from ledger l where l.crawl_id = c.id) as pages,
          (extract(epoch from ${crawlTime}) * 1000)::float8 as since_start_ms,
          (c.config ->> 'maxPages')::bigint as max_pages, (c.config ->> 'maxSeconds')::float8 as max_seconds
     from crawl c where c.id = any ($1) order by c.id for no key update of c`;

/**
 * Takes dead letters and queues their URLs again, with all their tries and redirects; answers those that were still dead
 * letters. `places`: [{crawl_id, host_id, key}], keys in hex. Letters of the resting class that are younger than `restMs`
 * stay. The caller must hold the host_queue rows (`lockHostQueues`).
 */
export const redriveDeadLetters = statement<
  [places: string, restingClass: string, restMs: number],
  { crawl_id: number; host_id: number }
>('redrive-dead-letters')`
   with letters as (
     delete from dead_letter d
      using json_to_recordset($1) as p(crawl_id bigint, host_id bigint, key text)
      where d.host_id = p.host_id and d.crawl_id = p.crawl_id and d.key = decode(p.key, 'hex')
        and not (d.class = $2 and d.created_at > now() - $3 * interval '1 millisecond')
     returning d.host_id, d.crawl_id, d.key
   )
   update url u set state = 'queued', attempts = 0, tries = 0, reclaims = 0, hops = least(u.hops, 1), reason = null,
                    chain = null, detail = null, due_at = now(), priority = case when priority > 0 then priority else priority + ${behindBy} end
     from letters l
    where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.state = 'failed'
   returning u.crawl_id, u.host_id`;
