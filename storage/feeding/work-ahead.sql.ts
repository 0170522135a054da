/** What lies ahead of visits that are under way. */
import { statement } from '../postgres/index.ts';
import { isUnread } from '../unread.ts';

export interface WorkAtHost {
  readonly host_id: number;
  /** URLs that are queued at the host, over all crawls. */
  readonly queued: number;
  /** Bodies of the host that wait to be read; counted no further than `most`. */
  readonly unread: number;
}

/** The work that waits at hosts; a row for each of them. */
export const workAhead = statement<[hostIds: readonly string[], most: number], WorkAtHost>('work-ahead')`
   select h.id as host_id,
          coalesce((select sum(q.queued) from host_queue q where q.host_id = h.id and q.has_queued), 0)::int as queued,
          (select count(*)::int from (select from url u where u.host_id = h.id and ${isUnread('u')} limit $2) unread) as unread
     from unnest($1::bigint[]) as h(id)`;
