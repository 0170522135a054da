import { statement } from '../statement.ts';

/** How a request that was begun was answered. */
export const endAudit = statement<
  [number: number, status: number, detail: string | null],
  Record<string, never>
>('end-audit', `update audit_log set status = $2, detail = $3 where number = $1`);
