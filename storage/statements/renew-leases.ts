import { statement } from '../statement.ts';

export interface RenewedLease {
  readonly id: number;
  readonly token: number;
  /** Another host's slice waits for one request here, or a foreign fetcher does: end the slice soon. */
  readonly guest_waits: boolean;
}

/** Renews a process's leases, all in one statement. A lease that does not come back is lost. `held`: [{id, token}]. */
export const renewLeases = statement<[held: string, leaseMs: number], RenewedLease>(
  'renew-leases',
  `with held as materialized (
     select h.id from host h join json_to_recordset($1) as r(id bigint, token bigint)
         on h.id = r.id and h.lease_token = r.token
      order by h.id for update of h
   )
   update host h set lease_until = now() + $2 * interval '1 millisecond'
     from held where h.id = held.id
   returning h.id, h.lease_token as token, coalesce(greatest(h.guest_until, h.lend_until) > now(), false) as guest_waits`,
);
