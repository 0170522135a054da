import { endingsThatGoOn } from '../../domain/crawl-life.ts';
import { statement } from '../statement.ts';

const goOn = endingsThatGoOn.map((ending) => `'${ending}'`).join(', ');

/**
 * Crawls that would go on if a parked host answered again: they may send requests, or have merely run out of work, and
 * have URLs queued there or dead letters of these classes. A crawl that is paused, was cancelled or ended at a limit is
 * no reason to ask.
 */
export const crawlsOfParked = statement<[hostId: string, classes: readonly string[]], { id: number }>(
  'crawls-of-parked',
  `select c.id from host_queue q join crawl c on c.id = q.crawl_id
    where q.host_id = $1
      and (c.state in ('seeding', 'running') or c.state in ('finished', 'failed') and c.cause in (${goOn}))
      and (q.queued > 0 or exists (select from dead_letter d where d.host_id = q.host_id and d.crawl_id = c.id
                                                               and d.class = any ($2)))
    order by c.id`,
);
