import { statement } from '../statement.ts';

export interface QueueAges {
  /** Seconds since the last turn of the running crawl that has waited longest for a turn at a host; 0: none waits. */
  readonly turn: number;
  /** Seconds since the oldest body was fetched that still waits to be read; 0: none waits. */
  readonly body: number;
  /** Seconds since the longest lease that is held has run out; 0: none has. */
  readonly lease: number;
}

/** Parked hosts are left out: theirs is another measure. */
export const measureQueues = statement<[], QueueAges>(
  'measure-queues',
  `select coalesce((select max(extract(epoch from now() - greatest(q.served_at, c.started_at)))
                      from host_queue q
                      join crawl c on c.id = q.crawl_id and c.state = 'running'
                      join host h on h.id = q.host_id and h.parked_at is null
                     where q.queued > 0 and q.leased = 0), 0)::float8 as turn,
          coalesce((select extract(epoch from now() - min(fetched_at)) from url where stage > 0), 0)::float8 as body,
          coalesce((select extract(epoch from now() - min(lease_until))
                      from host where lease_token is not null and lease_until < now()), 0)::float8 as lease`,
);
