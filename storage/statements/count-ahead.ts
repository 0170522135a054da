import { statement } from '../statement.ts';

/**
 * Queued URLs of a crawl at a host that go before the one with this priority and key (hex); that URL need not be there.
 * URLs that are due later than `dueMs` from now do not count. Counted up to `most`.
 */
export const countAhead = statement<
  [hostId: string, crawlId: string, key: string, priority: number, dueMs: number, most: number],
  { ahead: number }
>(
  'count-ahead',
  `select count(*)::int as ahead from (
     select from url
      where host_id = $1 and crawl_id = $2 and state = 'queued'
        and (priority > $4::real or (priority = $4::real and key < decode($3, 'hex')))
        and due_at <= now() + greatest($5::float8, 0) * interval '1 millisecond'
      limit $6) first`,
);
