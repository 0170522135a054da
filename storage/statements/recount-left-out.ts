import { statement } from '../statement.ts';

export interface LeftOutRecount {
  readonly what: 'excluded' | 'cut';
  readonly name: string;
  readonly urls: number;
  readonly amount: number;
  readonly actual_urls: number;
  readonly actual_amount: number;
}

/** Sums of what a crawl has left out that differ from its URLs, as they are and as they should be. */
export const recountLeftOut = statement<[crawlId: string], LeftOutRecount>(
  'recount-left-out',
  `with kept as (
     select what, name, sum(urls)::bigint as urls, sum(amount)::bigint as amount
       from left_out where crawl_id = $1 group by what, name
   ), counted as (
     select 'excluded' as what, coalesce(reason, 'unknown') as name, count(*) as urls, 0::bigint as amount
       from url where crawl_id = $1 and state = 'excluded' group by coalesce(reason, 'unknown')
     union all
     select 'cut', each.key, count(*), sum(each.value::bigint)::bigint
       from url cross join jsonb_each_text(cut) each where crawl_id = $1 and cut is not null group by each.key
   )
   select what, name, coalesce(c.urls, 0) as urls, coalesce(c.amount, 0) as amount,
          coalesce(k.urls, 0) as actual_urls, coalesce(k.amount, 0) as actual_amount
     from counted c full join kept k using (what, name)
    where coalesce(c.urls, 0) <> coalesce(k.urls, 0) or coalesce(c.amount, 0) <> coalesce(k.amount, 0)`,
);
