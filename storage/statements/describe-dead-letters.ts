import { statement } from '../statement.ts';

export interface DeadLetterRow {
  readonly crawl_id: number;
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly origin: string;
  readonly parked: boolean;
  readonly class: string;
  readonly status: number | null;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly created_at: Date;
  /** The latest requests that ended without a final outcome, oldest first. */
  readonly attempted_at: readonly Date[];
}

/** Dead letters with their evidence, in no order. `places`: [{crawl_id, host_id, key}], keys in hex. */
export const describeDeadLetters = statement<[places: string, attemptsShown: number], DeadLetterRow>(
  'describe-dead-letters',
  `select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, u.url, h.origin, h.parked_at is not null as parked,
          d.class, d.status, d.message, d.headers, d.created_at,
          array(select at from (select at from attempt a
                                 where a.host_id = d.host_id and a.crawl_id = d.crawl_id and a.key = d.key
                                 order by at desc limit $2) latest order by at) as attempted_at
     from json_to_recordset($1) as p(crawl_id bigint, host_id bigint, key text)
     join dead_letter d on d.host_id = p.host_id and d.crawl_id = p.crawl_id and d.key = decode(p.key, 'hex')
     join url u on u.host_id = d.host_id and u.crawl_id = d.crawl_id and u.key = d.key
     join host h on h.id = d.host_id`,
);
