import { statement } from '../statement.ts';
import type { LetterPlace } from './choose-crawl-letters.ts';

/**
 * As choose-crawl-letters.ts, for one class, also if only few letters of millions have it. The class is asked for as a
 * range and is part of the order, so that only a walk along `dead_letter_class` fits as a plan: with an equation, a
 * plan made for common classes would walk all letters of the crawl for a rare class.
 */
export const chooseClassLetters = statement<
  [
    crawlId: string,
    letterClass: string,
    firstHost: string,
    lastHost: string,
    key: string | null,
    afterHost: number,
    afterKey: string,
    limit: number,
  ],
  LetterPlace
>(
  'choose-class-letters',
  `select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, d.class,
          (extract(epoch from now() - d.created_at) * 1000)::float8 as age_ms
     from dead_letter d
    where d.crawl_id = $1 and d.class between $2 and $2 and d.host_id between $3 and $4
      and (d.class, d.host_id, d.key) > ($2, $6::bigint, decode($7, 'hex'))
      and ($5::text is null or d.key = decode($5, 'hex'))
    order by d.class, d.host_id, d.key limit $8`,
);
