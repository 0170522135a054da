import { statement } from '../statement.ts';

/** What later requests with the same key are answered. @param body null: it held a secret, or is too long */
export const keepAnswer = statement<
  [
    tenantId: number,
    caller: string,
    key: string,
    status: number,
    contentType: string,
    location: string | null,
    body: string | null,
  ],
  Record<string, never>
>(
  'keep-answer',
  `update idempotency_key set status = $4, content_type = $5, location = $6, body = $7
    where tenant_id = $1 and caller = $2 and key = $3`,
);
