/** Standing crawls: their plans, and which of their pages are due. */
import type { CrawlConfig, CrawlState } from '../../contracts/crawl.ts';
import { holdQueues, onceHeld } from '../frontier/index.ts';
import { behindBy, newsLift } from '../../domain/priority/place.ts';
import { statement } from '../postgres/index.ts';

/** Makes the row of a crawl that keeps fresh, or does so again. Does nothing if there is one. */
export const beginStanding = statement<[crawlId: string]>('begin-standing')`
   insert into standing_crawl (crawl_id, pages)
   select $1, (select count(*) from page_history where crawl_id = $1)
    where not exists (select from standing_crawl where crawl_id = $1)
   on conflict do nothing`;

export interface StandingCrawl {
  readonly state: CrawlState;
  readonly config: Partial<CrawlConfig>;
  readonly noted_micros: number;
  readonly noted_host: number;
  readonly noted_key: Buffer;
  readonly pages: number;
  readonly price: number | null;
  readonly left_out_days: number | null;
  readonly typical_rate: number | null;
  readonly share: number | null;
  readonly left_out: number;
  readonly planned_pages: number;
  /** Pages whose rates were known when the plan was made, and those whose rates have become known since. */
  readonly planned_rates: number;
  readonly rates_learnt: number;
  readonly planned_at: Date | null;
  /** Seconds since the plan was made; null: there is none. */
  readonly planned_ago: number | null;
  /** Pages queued again, ever, and when the plan was made. */
  readonly queued: number;
  readonly planned_queued: number;
  readonly pace: number;
  /** Seconds since its copies were ranked, and how many pages it had then; null: they never were. */
  readonly ranked_ago: number | null;
  readonly ranked_pages: number;
  readonly dated_by: string | null;
  readonly dated_key: Buffer | null;
  readonly dated_host: number;
}

const standing = `select c.state, c.config, s.noted_micros, s.noted_host, s.noted_key, s.pages, s.price, s.left_out_days,
          s.typical_rate, s.share, s.left_out, s.planned_pages, s.planned_rates, s.rates_learnt, s.planned_at,
          extract(epoch from now() - s.planned_at)::float8 as planned_ago, s.queued, s.planned_queued, s.pace,
          extract(epoch from now() - s.ranked_at)::float8 as ranked_ago, s.ranked_pages,
          s.dated_by, s.dated_key, s.dated_host
     from standing_crawl s join crawl c on c.id = s.crawl_id
    where s.crawl_id = $1`;

export const findStanding = statement<[crawlId: string], StandingCrawl>('find-standing')`${standing}`;

/** The same, held until the end of the transaction. No row: somebody else holds it, or the crawl does not keep fresh. */
export const holdStanding = statement<[crawlId: string], StandingCrawl>('hold-standing')`
   ${standing} for update of s skip locked`;

/** Notes that the copies of a crawl were ranked. */
export const noteRanked = statement<[crawlId: string]>('note-ranked')`
   update standing_crawl set ranked_at = now(), ranked_pages = pages where crawl_id = $1`;

/** A page of a sample. */
export interface SampledPage {
  /** Place of the class in the list of classes. */
  readonly class: number;
  readonly importance: number;
  readonly rate: number;
  readonly visits: number;
  /** Days since the last visit. */
  readonly age: number;
  /** For choosing a part of the crawl. */
  readonly url: string;
}

/** The first pages of a crawl by the hashes of their URLs, a fair sample, that are there and are kept fresh. */
export const samplePages = statement<[crawlId: string, limit: number], SampledPage>('sample-pages')`
   select h.class, h.importance, h.rate, h.visits, extract(epoch from now() - h.seen_at)::float8 / 86400 as age, u.url
     from (select * from page_history where crawl_id = $1 order by crawl_id, key, host_id limit $2) h
     join url u on u.host_id = h.host_id and u.crawl_id = $1 and u.key = h.key
    where h.dead_visits = 0 and u.kind = 0 and u.state in ('done', 'queued', 'leased')`;

export const storePlan = statement<{
  crawlId: string;
  price: number;
  leftOutDays: number;
  typicalRate: number;
  share: number;
  leftOut: number;
  pace: number;
  ratesKnown: number;
}>('store-plan')`
   update standing_crawl set price = $price, left_out_days = $leftOutDays, typical_rate = $typicalRate, share = $share, left_out = $leftOut,
          planned_pages = pages, planned_queued = queued, planned_at = now(), pace = $pace,
          planned_rates = $ratesKnown, rates_learnt = 0
    where crawl_id = $crawlId`;

/**
 * Adds what the budget has allowed since the last call, up to what it allows in a quarter of an hour, and answers how
 * many requests may be queued now. So no day has more requests than the budget.
 */
export const allow = statement<[crawlId: string, requestsPerDay: number], { allowance: number }>(
  'allow-requests',
)`
   update standing_crawl
      set allowance = least(greatest(1, $2::float8 / 96),
                            allowance + $2::float8 * 95 / 96 * extract(epoch from now() - allowed_at) / 86400),
          allowed_at = now()
    where crawl_id = $1
   returning allowance`;

/**
 * Queues pages that are due: news first, and within a class those that have waited longest. What is due and not `done`
 * or `dead` is looked at again an hour later: its reading is not over, or it failed and waits for a re-drive. What is
 * queued and leaves no visit, since robots.txt now refuses it or it is held as a page that is not there, is due again a
 * week later; a visit sets another date. The caller must hold the standing crawl and the row of a running crawl. Answers
 * the hosts of the pages queued.
 */
export const queueDue = statement<[crawlId: string, limit: number], { host_id: number }>('queue-due')`
   with due as materialized (
     select d.host_id, $1::bigint as crawl_id, d.key, d.class
       from generate_series(0, 2) c(class)
      cross join lateral (
        select host_id, key, class, next_due from page_history
         where crawl_id = $1 and class = c.class and next_due <= now() order by next_due limit $2
      ) d
      order by d.class, d.next_due limit $2
   ), ${holdQueues('due')}, taken as (
     update url u
        set state = 'queued', reason = 'recrawl', detail = null, due_at = now(), attempts = 0, tries = 0, reclaims = 0,
            hops = least(u.hops, 1), chain = null,
            priority = case when p.place > ${newsLift} then p.place - ${newsLift} else p.place end
                       + case when d.class = 0 then ${newsLift} else 0 end
       from due d
       join url w on w.host_id = d.host_id and w.crawl_id = d.crawl_id and w.key = d.key
      cross join lateral (
        select case when w.priority > 0 then w.priority else w.priority + ${behindBy} end as place
      ) p
      where u.host_id = d.host_id and u.crawl_id = d.crawl_id and u.key = d.key
        and (u.state in ('done', 'dead') or u.state = 'excluded' and u.reason in ('robots', 'address-refused', 'soft-404'))
        and u.stage = 0 and ${onceHeld}
     returning u.host_id, u.key
   ), noted as (
     update page_history h
        set next_due = now() + case when t.key is null then interval '1 hour' else interval '7 days' end
       from due d left join taken t on t.host_id = d.host_id and t.key = d.key
      where h.crawl_id = d.crawl_id and h.key = d.key and h.host_id = d.host_id
   ), untried as (
     delete from attempt a using taken t where a.host_id = t.host_id and a.crawl_id = $1 and a.key = t.key
   ), spent as (
     update standing_crawl set allowance = allowance - (select count(*) from taken),
            queued = queued + (select count(*) from taken)
      where crawl_id = $1
   )
   select host_id from taken`;

/** Pages that are due and wait for the budget, `most` at most, and when the next page is due. */
export const countDue = statement<[crawlId: string, most: number], { due: number; next: Date | null }>(
  'count-due',
)`
   select (select count(*) from (
             select from generate_series(0, 2) c(class)
              cross join lateral (select from page_history where crawl_id = $1 and class = c.class and next_due <= now() limit $2) d
              limit $2) counted) as due,
          (select min(first) from generate_series(0, 2) c(class)
            cross join lateral (select min(next_due) as first from page_history where crawl_id = $1 and class = c.class) n) as next`;

/** Stores a sample of how fresh a crawl is, and removes those that are older than ninety days. */
export const storeSample = statement<
  [crawlId: string, pages: number, fresh: number, checked: number | null, leftOut: number]
>('store-freshness')`
   with old as (
     delete from freshness_sample where crawl_id = $1 and at < now() - interval '90 days'
   )
   insert into freshness_sample (crawl_id, at, pages, fresh, checked, left_out, queued)
   select $1, now(), $2, $3, $4, $5, queued from standing_crawl where crawl_id = $1
   on conflict do nothing`;

export interface FreshnessRow {
  readonly at: Date;
  readonly pages: number;
  readonly fresh: number;
  readonly checked: number | null;
  readonly left_out: number;
  readonly queued: number;
}

/** The latest samples, newest first. */
export const listSamples = statement<[crawlId: string, limit: number], FreshnessRow>('list-freshness')`
   select at, pages, fresh, checked, left_out, queued from freshness_sample where crawl_id = $1 order by at desc limit $2`;

export interface KeptPage {
  readonly class: number;
  readonly visits: number;
  readonly dead_visits: number;
  readonly changed_at: Date | null;
  readonly rate: number;
  readonly importance: number;
  /** Days since the last visit. */
  readonly age: number;
  readonly next_due: Date | null;
  readonly price: number | null;
}

/** What is known of a page of a standing crawl. @param key hex */
export const findKept = statement<[crawlId: string, hostId: string, key: string], KeptPage>('find-kept')`
   select h.class, h.visits, h.dead_visits, h.changed_at, h.rate, h.importance,
          extract(epoch from now() - h.seen_at)::float8 / 86400 as age, h.next_due, s.price
     from page_history h join standing_crawl s using (crawl_id)
    where h.crawl_id = $1 and h.host_id = $2 and h.key = decode($3, 'hex')`;

export interface WantedStanding {
  readonly id: string;
  /** Its settings; null: the crawl has ended, or does not keep fresh any more. */
  readonly config: Partial<CrawlConfig> | null;
}

/** Crawls that keep fresh and those that did, after an id. */
export const standingCrawlsAfter = statement<[after: string, limit: number], WantedStanding>(
  'standing-crawls-after',
)`
   select id::text, config
     from (select c.id, c.config from crawl c
            where c.id > $1 and c.state in ('seeding', 'running', 'paused', 'draining')
              and jsonb_typeof(c.config -> 'keepFresh') = 'object'
           union all
           select s.crawl_id, null from standing_crawl s
            where s.crawl_id > $1 and not exists (
              select from crawl c where c.id = s.crawl_id and c.state in ('seeding', 'running', 'paused', 'draining')
                 and jsonb_typeof(c.config -> 'keepFresh') = 'object')) standing
    order by standing.id limit $2`;

/** Forgets that a crawl stood. The histories of its pages stay, should it stand again, and go with the crawl. */
export const endStanding = statement<[crawlId: string]>('end-standing')`
   delete from standing_crawl where crawl_id = $1`;
