/**
 * May the tenant of a crawl, of whose queue `q` is, be told what requests to the host have taught? Crawls of the
 * first tenant alone may reach addresses that are refused to others.
 */
import { defaultTenant } from '../contracts/tenancy.ts';

/** @param crawl alias of its row */
export const mayKnow = (crawl: string): string =>
  `(q.reached or ${crawl}.tenant_id = ${String(defaultTenant)})`;
