import { statement } from '../statement.ts';

export interface KnownAnswer {
  /** This request is the first with the key: it is to be done. */
  readonly is_first: boolean;
  readonly same_request: boolean;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly location: string | null;
  readonly body: string | null;
}

/**
 * Reserves a key for the first request that comes with it; any other request learns what became of the first. Of two at
 * the same time one waits for the other's reservation, and gets no row: when it asks again, it sees the reservation.
 * Keys older than a day count as new.
 */
export const reserveIdempotencyKey = statement<
  [tenantId: number, caller: string, key: string, requestHash: Buffer],
  KnownAnswer
>(
  'reserve-idempotency-key',
  `with reserved as (
     insert into idempotency_key as k (tenant_id, caller, key, request_hash) values ($1, $2, $3, $4)
     on conflict (tenant_id, caller, key) do update
       set request_hash = excluded.request_hash, created_at = now(), status = null, content_type = null, location = null,
           body = null
     where k.created_at < now() - interval '1 day'
     returning true as is_first
   )
   select true as is_first, true as same_request, null::smallint as status, null as content_type, null as location,
          null as body from reserved
   union all
   select false, request_hash = $4, status, content_type, location, body from idempotency_key
    where tenant_id = $1 and caller = $2 and key = $3 and not exists (select from reserved)`,
);
