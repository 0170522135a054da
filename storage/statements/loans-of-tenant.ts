import { statement } from '../statement.ts';

export interface EndedLoans {
  /** Of the last hour: reported, and left to run out. */
  readonly settled: number;
  readonly lapsed: number;
  /** Hosts of loans that ran out in the last ten minutes. */
  readonly lapsed_hosts: readonly number[];
}

/** How the fetchers of a tenant have dealt with what was lent to them. */
export const loansOfTenant = statement<[tenantId: number], EndedLoans>(
  'loans-of-tenant',
  `select count(*) filter (where l.settled_at is not null)::int as settled,
          count(*) filter (where l.settled_at is null and b.until < now())::int as lapsed,
          coalesce(array_agg(distinct l.host_id)
                     filter (where l.settled_at is null and b.until < now() and b.until > now() - interval '10 minutes'),
                   '{}') as lapsed_hosts
     from lent_batch b join lent_url l on l.batch_id = b.id
    where b.until > now() - interval '1 hour' and b.tenant_id = $1`,
);
