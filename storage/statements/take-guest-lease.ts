import { guestReserve } from '../../domain/quota.ts';
import { statement } from '../statement.ts';
import { reserving, takenColumns, type TakenLease } from './take-lease.ts';

/**
 * As `takeLease`, for a guest. The guest's asking (`ask-guest-lease`) runs out by itself, since others may be asking
 * too. A paused host accepts no guest.
 */
export const takeGuestLease = statement<[hostId: number, leaseMs: number], TakenLease>(
  'take-guest-lease',
  `update host
      set lease_token = nextval('lease_token'), lease_until = now() + $2 * interval '1 millisecond',
          ${reserving(String(guestReserve))}
    where id = $1 and (lease_token is null or lease_until < now()) and paused_at is null
   returning ${takenColumns}`,
);
