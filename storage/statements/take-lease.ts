import { statement } from '../statement.ts';

export interface TakenLease {
  readonly token: number;
  /** The lease before this one was not cleanly returned: its holder may have a request in flight. */
  readonly unclean: boolean;
  /** Milliseconds until the host may be visited. */
  readonly wait_ms: number;
  readonly delay_ms: number | null;
  readonly slowdown: number;
  readonly clean: number;
  readonly failures: number;
  readonly last_error: string | null;
}

/** Takes the host's lease if it is free or has run out and no guest is waiting; no row: somebody else has it. */
export const takeLease = statement<[hostId: string, leaseMs: number], TakenLease>(
  'take-lease',
  `update host
      set lease_token = nextval('lease_token'), lease_until = now() + $2 * interval '1 millisecond'
    where id = $1
      and (lease_token is null or lease_until < now())
      and coalesce(guest_until, '-infinity') < now()
   returning lease_token as token, old.lease_token is not null as unclean,
             greatest(0, extract(epoch from not_before - now()) * 1000)::float8 as wait_ms,
             delay_ms, slowdown, clean, failures, last_error`,
);
