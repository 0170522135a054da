import type { QuotasAsked } from '../../contracts/tenancy.ts';
import { statement } from '../statement.ts';

/** Crawls of one tenant are created one after another while its quotas are looked at. */
export const lockTenant = statement<[id: number], { quotas: QuotasAsked; open: boolean }>(
  'lock-tenant',
  `select quotas, closed_at is null as open from tenant where id = $1 for no key update`,
);
