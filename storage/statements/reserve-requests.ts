import { statement } from '../statement.ts';

/** Counts requests before they are sent, under a lease that is held; no row: it was lost. */
export const reserveRequests = statement<[hostId: string, token: number, requests: number], { id: number }>(
  'reserve-requests',
  `update host set requests_reserved = requests_reserved + $3 where id = $1 and lease_token = $2 returning id`,
);
