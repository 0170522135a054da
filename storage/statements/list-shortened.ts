import { linkCuts, type Cut } from '../../domain/limits.ts';
import { statement } from '../statement.ts';

export interface ShortenedRow {
  readonly url: string;
  readonly cut: Cut;
  /** Of all there are, counted up to a limit. */
  readonly total: number;
}

/** As the index `url_lost_links` has it. */
const lostLinks = `cut ?| array[${linkCuts.map((kind) => `'${kind}'`).join(', ')}]`;

/** Some pages and sitemaps of a crawl from which links were left out, those at the host given (null: none) first. */
export const listShortened = statement<
  [crawlId: string, hostId: string | null, limit: number, counted: number],
  ShortenedRow
>(
  'list-shortened',
  `select url, cut, (select count(*) from (select from url where crawl_id = $1 and ${lostLinks} limit $4) counted) as total
     from ((select url, cut, 0 as place from url where crawl_id = $1 and host_id = $2 and ${lostLinks} limit $3)
           union all
           (select url, cut, 1 from url where crawl_id = $1 and host_id is distinct from $2::bigint and ${lostLinks} limit $3)) found
    order by place, url limit $3`,
);
