import { statement } from '../statement.ts';

export interface Unanswered {
  readonly host_id: number;
  readonly class: string;
  readonly message: string;
}

/**
 * Notes hosts that did not answer an attempt at the URL wanted most there, and sets their turn to when they may be
 * asked again. `rows`: see `Unanswered`. No answer.
 */
export const noteUnanswered = statement<[rows: string], Record<string, never>>(
  'note-unanswered',
  `with r as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, class text, message text)
   ), held as materialized (
     select q.host_id, q.crawl_id from host_queue q
      where q.host_id in (select host_id from r) and q.queued > 0 order by q.host_id, q.crawl_id for update
   ), wanted as materialized (
     select r.host_id, r.class, r.message, u.crawl_id, u.key from r
      cross join lateral (
        select u.crawl_id, u.key, u.priority from held q
          join crawl c on c.id = q.crawl_id and c.state = 'running'
         cross join lateral (select crawl_id, key, priority from url
                              where host_id = q.host_id and crawl_id = q.crawl_id and state = 'queued'
                                and due_at <= now()
                              order by priority desc, key limit 1) u
         where q.host_id = r.host_id
         order by u.priority desc, u.crawl_id limit 1) u
   ), tried as (
     update url u set attempts = u.attempts + 1, reason = w.class, detail = w.message
       from wanted w
      where u.host_id = w.host_id and u.crawl_id = w.crawl_id and u.key = w.key and u.state = 'queued'
     returning u.host_id, u.crawl_id, u.key, u.reason, u.detail
   ), noted as (
     insert into attempt (host_id, crawl_id, key, class, message)
     select host_id, crawl_id, key, reason, detail from tried
   )
   update host_queue q set turn_at = h.not_before
     from held l join host h on h.id = l.host_id
    where q.host_id = l.host_id and q.crawl_id = l.crawl_id and q.turn_at is not null and h.not_before > now()`,
);
