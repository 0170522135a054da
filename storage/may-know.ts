/**
 * May the tenant of the crawl `c`, of whose queue `q` is, be told what requests to the host have taught? Crawls of the
 * first tenant alone may reach addresses that are refused to others.
 */
import { defaultTenant } from '../contracts/tenancy.ts';

export const mayKnow = `(q.reached or c.tenant_id = ${String(defaultTenant)})`;
