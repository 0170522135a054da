import { statement } from '../statement.ts';
import { takenColumns, type TakenLease } from './take-lease.ts';

/**
 * Holds a lent host while the report on it is judged; no row: the lease has run out, or was returned. The request that
 * was reserved for the host counts among those lost.
 */
export const claimLentHost = statement<[hostId: number, token: number, holdMs: number], TakenLease>(
  'claim-lent-host',
  `update host set lease_until = greatest(lease_until, now() + $3 * interval '1 millisecond')
    where id = $1 and lease_token = $2 and lease_until > now()
   returning ${takenColumns}`,
);
