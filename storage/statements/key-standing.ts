import { statement } from '../statement.ts';

/** Whether the key with this hash is accepted as an admin's of the instance; no row: nobody knows such a key. */
export const keyStanding = statement<[hash: Buffer, tenantId: number], { good: boolean }>(
  'key-standing',
  `select k.revoked_at is null and coalesce(k.expires_at > now(), true)
          and k.role = 'admin' and k.scopes is null and k.tenant_id = $2 as good
     from api_key k where k.hash = $1`,
);
