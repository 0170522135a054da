import { statement } from '../statement.ts';

export interface ReportPages {
  /** ISO 639-1; null: it could not be told. */
  readonly language: string | null;
  readonly pages: number;
  /** Of all languages: pages with the same text as another page. */
  readonly all_duplicates: number;
  /** Languages there are. */
  readonly of_all: number;
}

/** Pages of a crawl that were read, by language; the 50 most frequent. */
export const reportPages = statement<[crawlId: string], ReportPages>(
  'report-pages',
  `select p.language, count(*) as pages, (sum(count(u.alias_key)) over ())::bigint as all_duplicates,
          count(*) over () as of_all
     from host_queue q
     join page p on p.host_id = q.host_id and p.crawl_id = q.crawl_id
     join url u on u.host_id = p.host_id and u.crawl_id = p.crawl_id and u.key = p.key
    where q.crawl_id = $1
    group by p.language order by pages desc, p.language limit 50`,
);
