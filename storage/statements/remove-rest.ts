import { statement, type Statement } from '../statement.ts';

type Remove = Statement<[crawlId: number, limit: number], { readonly rows: number }>;

const rowsOf = (table: string): Remove =>
  statement(
    `remove-rest-of-${table}`,
    `with gone as (
       delete from ${table} where ctid = any (array(select ctid from ${table} where crawl_id = $1 limit $2)) returning 1
     )
     select count(*) as rows from gone`,
  );

/** What a crawl has besides its URLs, each so many rows at a time; its own row at the end. */
export const removeRest: readonly Remove[] = [
  ...[
    ...[
      'content',
      'lent_content',
      'seed',
      'seed_place',
      'lent_url',
      'page_counter',
      'crawl_config',
      'left_out',
    ],
    ...['webhook_attempt', 'webhook_dead_letter', 'webhook_cursor', 'webhook', 'event', 'ledger'],
  ].map(rowsOf),
  statement(
    'remove-crawl',
    `with standing as (update tenant set default_crawl_id = null where default_crawl_id = $1), gone as (
       delete from crawl where id = $1 and $2 > 0 returning 1
     )
     select count(*) as rows from gone`,
  ),
];
