import { statement } from '../statement.ts';

export interface LetterPlace {
  readonly crawl_id: number;
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly class: string;
  /** Milliseconds since it was written. */
  readonly age_ms: number;
}

/**
 * Dead letters of a crawl, host by host, after a place. `firstHost` to `lastHost`: at hosts with these ids; ranges
 * rather than a condition that may be absent, so that one plan serves both. `key` (hex): null for any.
 */
export const chooseCrawlLetters = statement<
  [
    crawlId: string,
    firstHost: string,
    lastHost: string,
    key: string | null,
    afterHost: number,
    afterKey: string,
    limit: number,
  ],
  LetterPlace
>(
  'choose-crawl-letters',
  `select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, d.class,
          (extract(epoch from now() - d.created_at) * 1000)::float8 as age_ms
     from dead_letter d
    where d.crawl_id = $1 and d.host_id between $2 and $3
      and (d.host_id, d.key) > ($5::bigint, decode($6, 'hex'))
      and ($4::text is null or d.key = decode($4, 'hex'))
    order by d.host_id, d.key limit $7`,
);
