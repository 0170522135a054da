import { statement } from '../statement.ts';

/** Marks closed crawls as removed whose retention is over: their own, else that of the instance (days; null: for ever). */
export const markExpired = statement<[days: number | null], { readonly id: string }>(
  'mark-expired',
  `update crawl c set state = 'cancelled', cause = 'cancelled', removed_at = now()
    where c.removed_at is null and c.state in ('finished', 'cancelled', 'failed')
      and c.ended_at < now() - coalesce((c.config ->> 'retentionDays')::float8, $1) * interval '1 day'
      and not exists (select from tenant t where t.default_crawl_id = c.id)
   returning c.id::text`,
);
