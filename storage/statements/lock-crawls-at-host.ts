import { statement } from '../statement.ts';

/**
 * Open crawls that have work at a host, locked in the order of their ids: before the host itself, as everywhere
 * (storage/queue-locks.ts goes on from there). Whoever holds them may write events of them.
 */
export const lockCrawlsAtHost = statement<[hostId: string, most: number], { readonly id: number }>(
  'lock-crawls-at-host',
  `select c.id from crawl c
     join (select crawl_id from host_queue where host_id = $1 and queued + leased > 0) q on q.crawl_id = c.id
    where c.state in ('seeding', 'running', 'paused', 'draining')
    order by c.id limit $2 for no key update of c`,
);
