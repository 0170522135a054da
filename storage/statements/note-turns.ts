import { statement } from '../statement.ts';

export interface NotedTurn {
  readonly crawl_id: number;
  /** Milliseconds since the head of the last answer to a request of its own. */
  readonly asked_ago_ms: number;
  /** Milliseconds until its next turn by its own delay; null: the host's delay is as long. */
  readonly turn_in_ms: number | null;
  /** Of the settings that say so. */
  readonly version: number;
}

/**
 * Notes when crawls last asked a host and when each has its next turn. `turns`: NotedTurn[]. A caller that comes late
 * with an older request changes nothing; times of the same request may differ by an instant. `asked`: a worker of ours
 * has found out how the host is, so that reports of foreign fetchers no longer hold.
 */
export const noteTurns = statement<[hostId: string, turns: string, asked: boolean], Record<string, never>>(
  'note-turns',
  `with t as materialized (
     select crawl_id, now() - asked_ago_ms * interval '1 millisecond' as asked_at,
            coalesce(now() + turn_in_ms * interval '1 millisecond', '-infinity') as turn_at, version
       from json_to_recordset($2) as t(crawl_id bigint, asked_ago_ms float8, turn_in_ms float8, version int)
   ), held as materialized (
     select q.crawl_id, t.asked_at, t.turn_at, t.version
       from host_queue q left join t using (crawl_id)
      where q.host_id = $1 and (t.asked_at > coalesce(q.asked_at, '-infinity') - interval '1 second' or $3 and q.held_until > now())
      order by q.crawl_id for update of q
   )
   update host_queue q
      set asked_at = greatest(held.asked_at, q.asked_at), own_turn_at = coalesce(held.turn_at, q.own_turn_at),
          turn_version = coalesce(held.version, q.turn_version),
          held_until = case when $3 then '-infinity' else q.held_until end
     from held where q.host_id = $1 and q.crawl_id = held.crawl_id`,
);
