/** Paths that were made up to see how hosts answer them, and the pages that are held for it. */
import type { CrawlStands } from '../../domain/crawl-life.ts';
import type { Evidence } from '../../domain/traps/rules.ts';
import type { ErrorSign, ProbedSite } from '../../domain/soft-404/judge.ts';
import { readingOf, standsForItsBody } from '../pages/index.ts';
import { statement } from '../postgres/index.ts';

/** Claims the day's made-up path of a crawl at a host. No row: the crawl asked within a day, or for this shape. */
export const claimMadeUp = statement<
  [hostId: number, crawlId: number, key: string, shape: string, sibling: string],
  { host_id: number }
>('claim-made-up')`
   insert into made_up_path as m (host_id, crawl_id, key, shapes, sibling)
   values ($1, $2, decode($3, 'hex'), array[$4], $5)
   on conflict (host_id, crawl_id) do update
     set asked_at = now(), key = excluded.key, sibling = excluded.sibling, judged = false,
         shapes = m.shapes || excluded.shapes
    where m.asked_at < now() - interval '1 day' and not m.shapes @> excluded.shapes
   returning host_id`;

export interface MadeUp extends ProbedSite {
  readonly host_id: number;
  readonly crawl_id: number;
  /** The folder for which it was asked. */
  readonly shape: string;
}

/** Of a row `m`: prints of the page beside the made-up path, and of the answer to the first one. */
const probedSite = `m.shapes[cardinality(m.shapes)] as shape, m.sibling - 'first' as sibling, m.sibling -> 'first' as first`;

/** What a crawl is asking a host for by this path (hex); no row: nothing any more, or the answer was judged. */
export const openMadeUp = statement<[hostId: number, crawlId: number, key: string], MadeUp>('open-made-up')`
   select m.host_id, m.crawl_id, ${probedSite}
     from made_up_path m where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') and not judged`;

/**
 * Claims a second path in the place of the first (hex), whose answer is kept with the page beside which it was judged. No
 * row: the first is no longer open.
 */
export const claimSecond = statement<
  [hostId: number, crawlId: number, key: string, second: string, site: string],
  { host_id: number }
>('claim-second')`
   update made_up_path
      set key = decode($4, 'hex'), sibling = $5::jsonb, asked_at = now()
    where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') and not judged
   returning host_id`;

/** Answers to made-up paths that nobody read, since they have no body: redirects, errors. */
export const bodilessAnswers = statement<
  [limit: number],
  MadeUp & { readonly status: number | null; readonly redirect_to: string | null; readonly url: string }
>('bodiless-answers')`
   select m.host_id, m.crawl_id, ${probedSite}, u.status, u.redirect_to, u.url
     from made_up_path m
    cross join lateral (
      select * from url where host_id = m.host_id and crawl_id = m.crawl_id and key = m.key offset 0) u
    where not m.judged and u.state not in ('queued', 'leased') and u.stage = 0 limit $1`;

/**
 * Notes made-up paths as judged that nobody will answer: an hour after they were claimed there is no such URL, since the
 * scope or a limit kept it out, the process died, or the crawl is deleted.
 */
export const closeUnasked = statement<[limit: number]>('close-unasked')`
   update made_up_path set judged = true, sibling = '{}'
    where (host_id, crawl_id) in (
      select m.host_id, m.crawl_id from made_up_path m
       where not m.judged and m.asked_at < now() - interval '1 hour'
         and not exists (select from url u where u.host_id = m.host_id and u.crawl_id = m.crawl_id and u.key = m.key)
       limit $1)`;

/** The prints are forgotten with it: most hosts are honest, and are asked once. */
export const noteJudged = statement<[hostId: number, crawlId: number]>('note-made-up-path-judged')`
   update made_up_path set judged = true, sibling = '{}' where host_id = $1 and crawl_id = $2`;

/**
 * Puts a sign of missing pages into quarantine; pages are looked for by it at the next look. No row: somebody gave
 * another verdict on it, or the crawl was removed.
 */
export const holdSign = statement<
  [crawlId: number, hostId: number, shape: string, evidence: Evidence, sign: ErrorSign],
  { id: string }
>('hold-sign')`
   with raised as (
     update crawl set quarantine_revision = quarantine_revision + 1
      where id = $1 and removed_at is null returning quarantine_revision
   )
   insert into quarantine (crawl_id, host_id, shape, rule, evidence, sign, verdict, revision, sample_at)
   select $1, $2, $3, 'soft-404', $4, $5, 'held', quarantine_revision, now() from raised
   on conflict (crawl_id, host_id, shape) do update
     set sign = excluded.sign, revision = excluded.revision where quarantine.verdict = 'held'
   returning id::text`;

export interface ReadBefore {
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly content_hash: Buffer;
  readonly content_type: string | null;
  readonly title: string | null;
}

/** Pages of a crawl at a host that were read, seeds aside. */
export const pagesReadBefore = statement<[hostId: number, crawlId: number, limit: number], ReadBefore>(
  'pages-read-before',
)`
   select encode(u.key, 'hex') as key, u.url, u.content_hash, u.content_type, p.title
     from url u join ${readingOf('u')}
    where u.host_id = $1 and u.crawl_id = $2 and u.state = 'done' and u.kind = 0 and not u.seed and u.stage = 0
      and ${standsForItsBody}
    order by u.fetched_at desc limit $3`;

/** Pages of a crawl at a host that redirect to a URL, seeds aside: those after a key (hex), in the order of keys. */
export const redirectingTo = statement<
  [hostId: number, crawlId: number, target: string, after: string, limit: number],
  { key: string; url: string }
>('redirecting-to')`
   select encode(key, 'hex') as key, url from url
    where host_id = $1 and crawl_id = $2 and state = 'done' and kind = 0 and not seed and redirect_to = $3
      and key > decode($4, 'hex')
    order by key limit $5`;

/** Some URLs of a crawl at a host, in the order of keys. */
export interface Walked {
  /** Of these, the ones that were looked for. In hex. */
  readonly keys: readonly string[];
  /** The key of the last one; null: none is left. */
  readonly last: string | null;
}

/**
 * Of the next URLs after a key, copies at the same host of pages that are held with this detail, seeds aside. Dedup runs
 * ahead of reading: copies may have been judged before the page that they are copies of was held.
 */
export const copiesOfHeld = statement<
  [hostId: number, crawlId: number, detail: string, after: string, limit: number],
  Walked
>('copies-of-held')`
   with walked as materialized (
     select key, alias_host, alias_key, state, kind, seed, stage from url
      where host_id = $1 and crawl_id = $2 and key > decode($4, 'hex') order by key limit $5
   )
   select array(select encode(a.key, 'hex')
                  from walked a
                  join url o on o.host_id = $1 and o.crawl_id = $2 and o.key = a.alias_key
                 where a.alias_host = $1 and a.state = 'done' and a.kind = 0 and not a.seed and a.stage = 0
                   and o.state = 'excluded' and o.reason in ('trap', 'soft-404') and o.detail = $3) as keys,
          (select encode(key, 'hex') from walked order by key desc limit 1) as last`;

/** Holds pages that were read for a quarantine: their detail names it, as `quarantineDetail` says. Answers a row for each. */
export const holdPages = statement<
  [hostId: number, crawlId: number, keys: readonly string[], detail: string],
  { key: string }
>('hold-pages')`
   with named as materialized (select decode(key, 'hex') as key from unnest($3::text[]) key),
   held as materialized (select from host_queue where host_id = $1 and crawl_id = $2 for update)
   update url u set state = 'excluded', reason = 'soft-404', detail = $4
    where u.host_id = $1 and u.crawl_id = $2 and u.state = 'done' and u.kind = 0 and not u.seed and u.stage = 0
      and (select count(*) from held) >= 0
      and u.key in (select key from named)
   returning encode(u.key, 'hex') as key`;

export interface RepeatedText {
  /** Hex: of the text, or of the body where the text is too short to tell. */
  readonly text: string;
  /** Pages of the sample that have it. */
  readonly pages: number;
  /** Pages of the sample. */
  readonly of: number;
}

/**
 * Pages that were read, with their texts: `url` u and, where its body was read, p. Shells and login forms say nothing
 * of whether a page is there, however many have the same.
 */
const readPages = `left join ${readingOf('u')}
            where u.state = 'done' and u.kind = 0 and u.status between 200 and 299 and u.content_hash is not null
              and p.meta ->> 'needs' is null`;
const textOf = 'coalesce(p.text_hash, u.content_hash)';

/**
 * The text that most pages have, of a sample of those of a crawl at a host: the first by their keys, which are hashes, so
 * that they stand for all. A sample of a thousand tells a share of 30 % to three points.
 */
export const mostRepeated = statement<[hostId: number, crawlId: number, sample: number], RepeatedText>(
  'most-repeated',
)`
   with u as materialized (
     select * from url where host_id = $1 and crawl_id = $2 and kind = 0 and state = 'done' order by key limit $3
   )
   select encode(text, 'hex') as text, pages::int as pages, (sum(pages) over ())::int as of
     from (select ${textOf} as text, count(*) as pages from u ${readPages} group by 1) texts
    order by pages desc limit 1`;

export interface WalkedText extends Walked {
  /** A seed or the home page is among them. */
  readonly wanted: boolean;
}

/** Of the next URLs after a key, pages with this text, copies included. */
export const pagesWithText = statement<
  [hostId: number, crawlId: number, text: string, after: string, limit: number],
  WalkedText
>('pages-with-text')`
   with u as materialized (
     select * from url where host_id = $1 and crawl_id = $2 and key > decode($4, 'hex') order by key limit $5
   ), same as materialized (
     select u.key, u.seed or u.url ~ '^https?://[^/]+/?$' as wanted from u ${readPages} and ${textOf} = decode($3, 'hex')
   )
   select array(select encode(key, 'hex') from same) as keys, coalesce((select bool_or(wanted) from same), false) as wanted,
          (select encode(key, 'hex') from u order by key desc limit 1) as last`;

export interface DueSign extends CrawlStands {
  readonly id: string;
  readonly crawl_id: number;
  readonly host_id: number;
  readonly shape: string;
  readonly sign: ErrorSign;
}

/** Signs by which pages are to be looked for again. */
export const dueSigns = statement<[limit: number], DueSign>('due-signs')`
   select q.id::text, q.crawl_id, q.host_id, q.shape, q.sign, c.state, c.cause, c.reason
     from quarantine q join crawl c on c.id = q.crawl_id
    where q.verdict = 'held' and q.rule = 'soft-404' and q.sample_at <= now() order by q.sample_at limit $1`;

/** When pages are looked for by a sign again; null: never. */
export const lookAgain = statement<[id: string, seconds: number | null]>('look-again')`
   update quarantine set sample_at = now() + $2::float8 * interval '1 second' where id = $1`;
