/** Fingerprints of texts: stored with their pages, judged in batches, listed. */
import { statement } from '../postgres/index.ts';

/** A fingerprint (domain/alike/fingerprint.ts), as JSON. Bytes are hex. */
export interface PrintRow {
  readonly crawl_id: number;
  /** Never null. */
  readonly content_id: number | null;
  readonly words: number;
  readonly simhash: string;
  readonly sketch: string;
  readonly numbers: string;
  readonly bands: readonly string[];
}

/**
 * Stores fingerprints, to be judged. One that has not changed keeps its judgement. A body that has gone meanwhile gets
 * none. No answer.
 */
export const storePrints = statement<[rows: string]>('store-prints')`
   with r as materialized (
     select r.*
       from json_to_recordset($1) as r(crawl_id bigint, content_id bigint, words int, simhash bigint, sketch text,
                                       numbers text, bands bigint[])
       join content c on c.crawl_id = r.crawl_id and c.id = r.content_id
      order by c.crawl_id, c.id for key share of c
   )
   insert into text_print as t (crawl_id, content_id, words, simhash, sketch, numbers, bands)
   select crawl_id, content_id, words, simhash, decode(sketch, 'hex'), decode(numbers, 'hex'), bands
     from r order by crawl_id, content_id
   on conflict (crawl_id, content_id) do update
     set words = excluded.words, simhash = excluded.simhash, sketch = excluded.sketch, numbers = excluded.numbers,
         bands = excluded.bands, original = null, likeness = null, distance = null, crowded = 0
    where (t.simhash, t.sketch, t.numbers) is distinct from (excluded.simhash, excluded.sketch, excluded.numbers)`;

/** A crawl after an id that has fingerprints to be judged. */
export const nextUnjudged = statement<[after: number], { crawl_id: number }>('next-unjudged')`
   select crawl_id from text_print where original is null and crawl_id > $1 order by crawl_id limit 1`;

/** Claims the judging of a crawl until the end of the transaction; no row: another process judges it. */
export const claimJudging = statement<[crawlId: number], { id: number }>('claim-judging')`
   select $1::bigint as id where pg_try_advisory_xact_lock(${0x616c696b}, ($1::bigint % 2147483647)::int)`;

/** As Postgres has it. */
export interface StoredPrint {
  readonly id: number;
  readonly words: number;
  readonly simhash: string;
  readonly sketch: Buffer;
  readonly numbers: Buffer;
  readonly bands: readonly string[];
}

/**
 * Fingerprints of a crawl that are to be judged, locked until they are: one that changes meanwhile waits, and is judged again.
 * Those that are just being stored are left for later. Pages that were like one of them are to be judged again.
 */
export const unjudgedPrints = statement<[crawlId: number, limit: number], StoredPrint>('unjudged-prints')`
   with chosen as materialized (
     select * from text_print where crawl_id = $1 and original is null order by id limit $2
       for update skip locked
   ), left_alone as (
     update text_print t set original = null, likeness = null, distance = null
       from chosen c
      where t.crawl_id = $1 and t.original = c.id and t.original <> t.id
   )
   select id, words, simhash::text, sketch, numbers, bands::text[] from chosen order by id`;

/** Originals of a crawl that share a band with one of these fingerprints. */
export const printsLike = statement<
  [crawlId: number, ids: readonly number[]],
  StoredPrint & { readonly like: number }
>('prints-like')`
   select r.id as "like", p.id, p.words, p.simhash::text, p.sketch, p.numbers, p.bands::text[]
     from (select id, bands from text_print where id = any ($2::bigint[]) offset 0) r
    cross join lateral (
      select id, crawl_id, words, simhash, sketch, numbers, bands from text_print o
       where o.bands && r.bands and o.original = o.id offset 0
    ) p
    where p.crawl_id = $1
    order by r.id, p.id`;

export interface JudgedPrint {
  readonly id: number;
  readonly original: number;
  readonly likeness: number | null;
  readonly distance: number | null;
  readonly bands: readonly string[];
  readonly crowded: number;
}

/** `rows`: `JudgedPrint`s. */
export const judgePrints = statement<[rows: string]>('judge-prints')`
   update text_print t
      set original = r.original, likeness = r.likeness, distance = r.distance, bands = r.bands, crowded = r.crowded
     from json_to_recordset($1) as r(id bigint, original bigint, likeness real, distance smallint, bands bigint[], crowded smallint)
    where t.id = r.id`;

interface ClusterRow {
  readonly original: number;
  readonly url: string;
  readonly pages: number;
  /** The first of them. */
  readonly alike: readonly {
    readonly url: string;
    readonly likeness: number;
    readonly distance: number;
  }[];
}

/**
 * Originals of a crawl after an id, with the pages that are like them, of which `shown` are listed. An original that has
 * turned out to be a copy goes by the page that stands for it (`nearDuplicateOf`), which is then none of the others; a
 * cluster of these two alone is none.
 */
export const listClusters = statement<
  [crawlId: string, after: string, limit: number, shown: number],
  ClusterRow
>('list-clusters')`
   select c.original, c.url, c.pages, m.alike
     from (select g.original, coalesce(first.url, u.url) as url, f.id as first,
                  g.pages::int - (f.id is not null)::int as pages
             from (select original, count(*) as pages from text_print
                    where crawl_id = $1 and original > $2 and original <> id
                    group by original order by original) g
             join text_print o on o.id = g.original
             join content c on c.crawl_id = $1 and c.id = o.content_id
             join url u on u.host_id = c.host_id and u.crawl_id = $1 and u.key = c.key
             left join url first on first.host_id = u.alias_host and first.crawl_id = $1 and first.key = u.alias_key
             left join text_print f on f.crawl_id = $1 and f.content_id = first.content_id and f.original = g.original
            where g.pages > (f.id is not null)::int
            order by g.original limit $3) c
    cross join lateral (
      select json_agg(json_build_object('url', url, 'likeness', likeness, 'distance', distance)) as alike
        from (select a.url, t.likeness, t.distance
                from text_print t
                join content own on own.crawl_id = $1 and own.id = t.content_id
                join url a on a.host_id = own.host_id and a.crawl_id = $1 and a.key = own.key
               where t.crawl_id = $1 and t.original = c.original and t.original <> t.id and t.id is distinct from c.first
               order by t.id limit $4) listed
    ) m
    order by c.original`;

interface PrintCounts {
  readonly waiting: number;
}

/** How many fingerprints of a crawl are still to be judged, counted up to a limit. */
export const countUnjudged = statement<[crawlId: string, most: number], PrintCounts>('count-unjudged')`
   select count(*)::int as waiting
     from (select from text_print where crawl_id = $1 and original is null limit $2) waits`;
