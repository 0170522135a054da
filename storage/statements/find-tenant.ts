import type { QuotasAsked } from '../../contracts/tenancy.ts';
import { statement } from '../statement.ts';

/** The open tenant of this id (in digits) or name, as a token gives it. */
export const findTenant = statement<[idOrName: string], { id: number; quotas: QuotasAsked }>(
  'find-tenant',
  `select id, quotas from tenant where (id::text = $1 or name = $1) and closed_at is null`,
);
