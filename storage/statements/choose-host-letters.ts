import { statement } from '../statement.ts';
import type { LetterPlace } from './choose-crawl-letters.ts';

/** Dead letters of a host, crawl by crawl, after a place. `letterClass`, `key` (hex): null for any. */
export const chooseHostLetters = statement<
  [
    hostId: string,
    letterClass: string | null,
    key: string | null,
    afterCrawl: number,
    afterKey: string,
    limit: number,
  ],
  LetterPlace
>(
  'choose-host-letters',
  `select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, d.class,
          (extract(epoch from now() - d.created_at) * 1000)::float8 as age_ms
     from dead_letter d
    where d.host_id = $1 and (d.crawl_id, d.key) > ($4::bigint, decode($5, 'hex'))
      and ($2::text is null or d.class = $2) and ($3::text is null or d.key = decode($3, 'hex'))
    order by d.crawl_id, d.key limit $6`,
);
