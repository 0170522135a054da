import { statement } from '../statement.ts';

/** How many rows of a crawl break each rule; every figure should be 0. */
export interface Violations {
  readonly failed_without_letter: number;
  readonly letter_without_failed: number;
  readonly letter_of_another_class: number;
  readonly token_without_lease: number;
  readonly staged_but_not_done: number;
  readonly read_without_page: number;
  readonly page_without_url: number;
  readonly alias_of_nothing: number;
  readonly unknown_parent: number;
}

export const countViolations = statement<[crawlId: string], Violations>(
  'count-violations',
  `select
     (select count(*) from url u where u.crawl_id = $1 and u.state = 'failed' and not exists (
        select from dead_letter d where d.host_id = u.host_id and d.crawl_id = u.crawl_id and d.key = u.key)
     ) as failed_without_letter,
     (select count(*) from dead_letter d where d.crawl_id = $1 and not exists (
        select from url u where u.host_id = d.host_id and u.crawl_id = d.crawl_id and u.key = d.key and u.state = 'failed')
     ) as letter_without_failed,
     (select count(*) from dead_letter d join url u on u.host_id = d.host_id and u.crawl_id = d.crawl_id and u.key = d.key
       where d.crawl_id = $1 and d.class <> coalesce(u.reason, 'unknown')) as letter_of_another_class,
     (select count(*) from url where crawl_id = $1 and (state = 'leased') <> (lease_token is not null)
     ) as token_without_lease,
     (select count(*) from url where crawl_id = $1 and stage > 0 and state <> 'done') as staged_but_not_done,
     (select count(*) from url u
       where u.crawl_id = $1 and u.state = 'done' and u.kind = 0 and u.stage = 0 and u.status between 200 and 299
         and u.content_hash is not null and u.alias_host is null and u.reason is distinct from 'fetched-elsewhere'
         and not exists (
        select from page p where p.host_id = u.host_id and p.crawl_id = u.crawl_id and p.key = u.key)
     ) as read_without_page,
     (select count(*) from page p where p.crawl_id = $1 and not exists (
        select from url u where u.host_id = p.host_id and u.crawl_id = p.crawl_id and u.key = p.key)
     ) as page_without_url,
     (select count(*) from url u where u.crawl_id = $1 and u.alias_host is not null and not exists (
        select from url o where o.host_id = u.alias_host and o.crawl_id = u.crawl_id and o.key = u.alias_key)
     ) as alias_of_nothing,
     (select count(*) from url u where u.crawl_id = $1 and u.parent_host is not null and not exists (
        select from url o where o.host_id = u.parent_host and o.crawl_id = u.crawl_id and o.key = u.parent_key)
     ) as unknown_parent`,
);
