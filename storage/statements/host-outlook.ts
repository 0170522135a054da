import { turnInMs } from '../crawl-turns.ts';
import { statement } from '../statement.ts';

export interface HostOutlook {
  readonly queued: number;
  readonly dead_letters: number;
  /** A running crawl has a URL that is due here, and its turn. */
  readonly due: boolean;
  /** Milliseconds until a running crawl with a URL that is due has its turn; null: none is due. */
  readonly turn_ms: number | null;
  /** A fetched body waits for dedup or extraction. */
  readonly pending: boolean;
  /** Somebody with fewer places wants its place. */
  readonly yields: boolean;
  /** Crawls with URLs queued or in hand here, most queued first: ids of some, and how many more there are. */
  readonly wanted_by: { readonly crawls: readonly string[]; readonly more: number };
}

/** Crawls that are named. */
const named = 5;

/** What waits at a host, over all crawls. */
export const hostOutlook = statement<[hostId: string], HostOutlook>(
  'host-outlook',
  `select (select coalesce(sum(queued), 0)::int from host_queue where host_id = $1) as queued,
          (select count(*)::int from dead_letter where host_id = $1) as dead_letters,
          coalesce(turn.in_ms = 0, false)
          or exists (select 1 from url where host_id = $1 and state = 'leased') as due, turn.in_ms as turn_ms,
          exists (select 1 from url where host_id = $1 and stage > 0) as pending,
          (select yield_at is not null from host where id = $1) as yields,
          (select json_build_object(
                    'crawls', coalesce(json_agg(crawl_id::text order by place) filter (where place <= ${String(named)}), '[]'),
                    'more', greatest(0, count(*) - ${String(named)}))
             from (select crawl_id, row_number() over (order by queued desc, crawl_id) as place
                     from host_queue where host_id = $1 and (queued > 0 or leased > 0)) wanting) as wanted_by
     from (select min(${turnInMs}) as in_ms from host_queue q
             join crawl c on c.id = q.crawl_id and c.state = 'running'
            cross join lateral (select 1 from url u
                                 where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                   and u.state = 'queued' and u.due_at <= now() limit 1) due
            where q.host_id = $1 and q.queued > 0) turn`,
);
