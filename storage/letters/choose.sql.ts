/** Statements that choose dead letters. */
import type { DeadLetterClass } from '../../domain/dead-letter.ts';
import { statement } from '../postgres/index.ts';

export interface LetterPlace {
  readonly crawl_id: number;
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly class: DeadLetterClass;
  /** Milliseconds since the letter was written. */
  readonly age_ms: number;
}

interface LettersOfCrawl {
  crawlId: string;
  firstHost: string;
  lastHost: string;
  key: string | null;
  afterHost: number;
  afterKey: string;
  limit: number;
}

/**
 * Dead letters of a crawl, host by host, after a place. `firstHost` to `lastHost`: only letters at hosts with these
 * ids. They are ranges rather than a condition that may be absent, so that one plan serves both. `key` (hex) null: any
 * URL.
 */
export const chooseCrawlLetters = statement<LettersOfCrawl, LetterPlace>('choose-crawl-letters')`
   select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, d.class,
          (extract(epoch from now() - d.created_at) * 1000)::float8 as age_ms
     from dead_letter d
    where d.crawl_id = $crawlId and d.host_id between $firstHost and $lastHost
      and (d.host_id, d.key) > ($afterHost::bigint, decode($afterKey, 'hex'))
      and ($key::text is null or d.key = decode($key, 'hex'))
    order by d.host_id, d.key limit $limit`;

/**
 * As `chooseCrawlLetters`, for one class, which only few of millions of letters may have. The class is asked for as a
 * range and is part of the order, so that only a walk along `dead_letter_class` fits as a plan: with an equation, a
 * plan made for common classes would walk all letters of the crawl for a rare class.
 */
export const chooseClassLetters = statement<LettersOfCrawl & { letterClass: DeadLetterClass }, LetterPlace>(
  'choose-class-letters',
)`
   select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, d.class,
          (extract(epoch from now() - d.created_at) * 1000)::float8 as age_ms
     from dead_letter d
    where d.crawl_id = $crawlId and d.class between $letterClass and $letterClass and d.host_id between $firstHost and $lastHost
      and (d.class, d.host_id, d.key) > ($letterClass, $afterHost::bigint, decode($afterKey, 'hex'))
      and ($key::text is null or d.key = decode($key, 'hex'))
    order by d.class, d.host_id, d.key limit $limit`;

/** Dead letters of a host, crawl by crawl, after a place. `letterClass` or `key` (hex) null: any. */
export const chooseHostLetters = statement<
  {
    hostId: string;
    letterClass: DeadLetterClass | null;
    key: string | null;
    afterCrawl: number;
    afterKey: string;
    limit: number;
  },
  LetterPlace
>('choose-host-letters')`
   select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, d.class,
          (extract(epoch from now() - d.created_at) * 1000)::float8 as age_ms
     from dead_letter d
    where d.host_id = $hostId and (d.crawl_id, d.key) > ($afterCrawl::bigint, decode($afterKey, 'hex'))
      and ($letterClass::text is null or d.class = $letterClass) and ($key::text is null or d.key = decode($key, 'hex'))
    order by d.crawl_id, d.key limit $limit`;

export interface DeadLetterRow {
  readonly crawl_id: number;
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly origin: string;
  readonly parked: boolean;
  readonly class: DeadLetterClass;
  readonly status: number | null;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly created_at: Date;
  /** Times of the latest requests that ended without a final outcome, oldest first. */
  readonly attempted_at: readonly Date[];
}

/** Dead letters with their evidence, in no order. `places`: [{crawl_id, host_id, key}], keys in hex. */
export const describeDeadLetters = statement<[places: string, attemptsShown: number], DeadLetterRow>(
  'describe-dead-letters',
)`
   select d.crawl_id, d.host_id, encode(d.key, 'hex') as key, u.url, h.origin, h.parked_at is not null as parked,
          d.class, d.status, d.message, d.headers, d.created_at,
          array(select at from (select at from attempt a
                                 where a.host_id = d.host_id and a.crawl_id = d.crawl_id and a.key = d.key
                                 order by at desc limit $2) latest order by at) as attempted_at
     from json_to_recordset($1) as p(crawl_id bigint, host_id bigint, key text)
     join dead_letter d on d.host_id = p.host_id and d.crawl_id = p.crawl_id and d.key = decode(p.key, 'hex')
     join url u on u.host_id = d.host_id and u.crawl_id = d.crawl_id and u.key = d.key
     join host h on h.id = d.host_id`;
