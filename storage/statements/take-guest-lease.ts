import { statement } from '../statement.ts';
import type { TakenLease } from './take-lease.ts';

/** As `takeLease`, for a guest: its asking (`ask-guest-lease`) runs out by itself, others may be asking too. */
export const takeGuestLease = statement<[hostId: number, leaseMs: number], TakenLease>(
  'take-guest-lease',
  `update host
      set lease_token = nextval('lease_token'), lease_until = now() + $2 * interval '1 millisecond'
    where id = $1 and (lease_token is null or lease_until < now())
   returning lease_token as token, old.lease_token is not null as unclean,
             greatest(0, extract(epoch from not_before - now()) * 1000)::float8 as wait_ms,
             delay_ms, slowdown, clean, failures, last_error`,
);
