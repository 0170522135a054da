import { statement } from '../statement.ts';

/** The request did nothing: the key may be used again. */
export const freeIdempotencyKey = statement<
  [tenantId: number, caller: string, key: string],
  Record<string, never>
>(
  'free-idempotency-key',
  `delete from idempotency_key where tenant_id = $1 and caller = $2 and key = $3 and status is null`,
);
