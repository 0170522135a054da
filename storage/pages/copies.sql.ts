/** Pages with the same bytes or the same text. */
import { statement, walkMs } from '../postgres/index.ts';
import { bestCopyFirst, inboundOfCopies, keyOf } from './copy-ranking.ts';

/**
 * The first page with a body stands for that body; later pages change nothing. Each site that is read in its own right
 * (`site` other than 0) has a first page of its own. All other sites together (`site` 0) have one, but only if no page
 * of any site had the body before. In a standing crawl a page that has another body by now gives way: only later is it
 * noted that it changed, and a body to which nobody referred meanwhile would be freed.
 * `rows`: [{crawl_id, hash, site, host_id, key}].
 */
export const claimContents = statement<[rows: string], Record<string, never>>(
  'claim-contents',
  `with r as materialized (
     select crawl_id, decode(hash, 'hex') as hash, site, host_id, decode(key, 'hex') as key
       from json_to_recordset($1) as r(crawl_id bigint, hash text, site bigint, host_id bigint, key text)
   ), left_behind as materialized (
     select c.crawl_id, c.hash, c.site
       from r join standing_crawl s on s.crawl_id = r.crawl_id
       join content c on c.crawl_id = r.crawl_id and c.hash = r.hash
      where not exists (select from url o where o.host_id = c.host_id and o.crawl_id = c.crawl_id and o.key = c.key
                                            and o.content_hash = c.hash)
   ), taken as (
     update content c set host_id = r.host_id, key = r.key
       from left_behind b join r using (crawl_id, hash, site)
      where c.crawl_id = b.crawl_id and c.hash = b.hash and c.site = b.site
   )
   insert into content (crawl_id, hash, site, host_id, key)
   select crawl_id, hash, site, host_id, key from r
    where site > 0 or not exists (
            select from content c where c.crawl_id = r.crawl_id and c.hash = r.hash
               and (c.crawl_id, c.hash, c.site) not in (select crawl_id, hash, site from left_behind))
    order by crawl_id, hash, site
   on conflict (crawl_id, hash, site) do nothing`,
);

export interface ContentOwner {
  readonly crawl_id: number;
  readonly hash: string;
  /** The site for which it was asked. */
  readonly site: number;
  readonly host_id: number;
  readonly key: string;
}

/**
 * The page that stands for each body at a site; if there is none, the page that stands for the body at another site.
 * `rows`: [{crawl_id, hash, site}].
 */
export const contentOwners = statement<[rows: string], ContentOwner>(
  'content-owners',
  `select distinct on (r.crawl_id, r.hash, r.site) r.crawl_id, r.hash, r.site, c.host_id, encode(c.key, 'hex') as key
     from json_to_recordset($1) as r(crawl_id bigint, hash text, site bigint)
     join content c on c.crawl_id = r.crawl_id and c.hash = decode(r.hash, 'hex')
    order by r.crawl_id, r.hash, r.site, c.site = r.site desc, c.site`,
);

/** Facts about a body that was stored when the same URL was fetched before. */
export interface EarlierCopy {
  readonly crawl_id: number;
  /** Key of the URL that is wanted, hex. */
  readonly key: string;
  /** The crawl that fetched the body, and when. */
  readonly of_crawl: number;
  readonly fetched_at: Date;
  readonly status: number;
  readonly content_hash: Buffer;
  readonly content_type: string | null;
  readonly robots_tag: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
}

/**
 * The latest bodies with validators for leased URLs of a host, from the crawls `among` and from the URL's own last
 * fetch. `wanted`: [{crawl_id, key, among}]. Validators hold only for the very URL they came with, even if another
 * spelling has the same key. A URL whose body was lost or freed gets no row: it must be fetched whole.
 */
export const earlierCopies = statement<[hostId: string, wanted: string], EarlierCopy>(
  'earlier-copies',
  `select w.crawl_id, w.key, e.crawl_id as of_crawl, e.fetched_at, e.status, e.content_hash, e.content_type, e.robots_tag, e.etag, e.last_modified
     from json_to_recordset($2) as w(crawl_id bigint, key text, among bigint[])
     join url u on u.host_id = $1 and u.crawl_id = w.crawl_id and u.key = decode(w.key, 'hex')
      and u.reason is distinct from 'body-lost'
    cross join lateral (
      select * from url c
       where c.host_id = $1 and c.crawl_id = any (w.among || w.crawl_id) and c.key = u.key and c.url = u.url
         and (c.state = 'done' or c.crawl_id = w.crawl_id) and c.content_hash is not null
         and (c.etag is not null or c.last_modified is not null)
       order by c.fetched_at desc limit 1
    ) e
    where exists (select from body b where b.hash = e.content_hash)`,
);

/**
 * For each body that several pages of a crawl have, chooses the page that stands for it (F20): the page that its own
 * rel=canonical names, else the page that most redirects and other pages' rel=canonical name, else the page to which
 * most links lead, else the page nearest to a seed, else the page with the shortest URL. The others become its aliases,
 * and what was extracted goes to the chosen page, in place of what was read there when it had another body. A body that was read for several sites has one chosen page for each;
 * `markTextDuplicates` chooses among these. Returns how many pages changed their standing.
 */
export const chooseCanonicals = statement<[crawlId: number], { pages: number }>(
  'choose-canonicals',
  `with bodies as (
     select host_id, key, url, depth, content_hash, alias_key, count(*) over (partition by content_hash) as pages
       from url
      where crawl_id = $1 and fetched_at is not null and state = 'done' and stage = 0 and content_hash is not null
        and kind = 0
   ), copies as materialized (
     select b.host_id, b.key, ${keyOf('b.url')} as spelt, b.content_hash, b.url,
            b.depth, c.host_id as owner_host, c.key as owner_key,
            ${keyOf('p.canonical')} as canonical
       from bodies b
       join lateral (
         select host_id, key from content
          where crawl_id = $1 and hash = b.content_hash
          order by key = b.key desc, coalesce(key = b.alias_key, false) desc, site limit 1
       ) c on true
       left join page p on p.host_id = c.host_id and p.crawl_id = $1 and p.key = c.key
      where b.pages > 1
   ), ${inboundOfCopies}, chosen as (
     select distinct on (owner_host, owner_key) content_hash, host_id, key, owner_host, owner_key
       from copies left join inbound using (host_id, key)
      order by owner_host, owner_key, ${bestCopyFirst}
   ), changed as (
     select * from chosen where (host_id, key) <> (owner_host, owner_key)
   ), owned as (
     update content c set host_id = n.host_id, key = n.key
       from changed n where c.crawl_id = $1 and c.hash = n.content_hash
        and (c.host_id, c.key) = (n.owner_host, n.owner_key)
   ), outdated as (
     delete from page p using changed n where p.crawl_id = $1 and p.host_id = n.host_id and p.key = n.key returning 1
   ), moved as (
     update page p set host_id = n.host_id, key = n.key
       from changed n where p.crawl_id = $1 and p.host_id = n.owner_host and p.key = n.owner_key
        and (select count(*) from outdated) >= 0
   ), outdated_print as (
     delete from text_print t using changed n
      where t.crawl_id = $1 and t.host_id = n.host_id and t.key = n.key returning 1
   ), moved_print as (
     update text_print t set host_id = n.host_id, key = n.key
       from changed n where t.crawl_id = $1 and t.host_id = n.owner_host and t.key = n.owner_key
        and (select count(*) from outdated_print) >= 0
   ), standing_changed as (
     update url u
      set alias_host = case when (u.host_id, u.key) = (n.host_id, n.key) then null else n.host_id end,
          alias_key = case when (u.host_id, u.key) = (n.host_id, n.key) then null else n.key end
     from changed n join copies k using (owner_host, owner_key)
    where u.crawl_id = $1 and u.host_id = k.host_id and u.key = k.key
   returning 1
   )
   select count(*)::int as pages from standing_changed`,
  walkMs,
);

/**
 * Among pages of a crawl that have the same normalised text but different bodies (F20), or the same body but were read
 * for different sites, chooses one that stands for the others, as `chooseCanonicals` does. Each page keeps what was
 * extracted from it. Judges all pages anew each time, so that a crawl that went on after its end has one page for each
 * text again. Returns how many pages changed their standing.
 */
export const markTextDuplicates = statement<[crawlId: number], { pages: number }>(
  'mark-text-duplicates',
  `with texts as (
     select host_id, key, text_hash, canonical, count(*) over (partition by text_hash) as pages
       from page where crawl_id = $1 and text_hash is not null
     union all
     select c.host_id, c.key, c.hash, p.canonical, c.sites
       from (select *, count(*) over (partition by hash) as sites from content where crawl_id = $1) c
       join page p on p.host_id = c.host_id and p.crawl_id = $1 and p.key = c.key
      where c.sites > 1 and p.text_hash is null
   ), copies as materialized (
     select t.host_id, t.key, t.text_hash, u.url, u.depth,
            ${keyOf('u.url')} as spelt,
            ${keyOf('t.canonical')} as canonical
       from texts t join url u on u.host_id = t.host_id and u.crawl_id = $1 and u.key = t.key
      where t.pages > 1
   ), ${inboundOfCopies}, judged as (
     select host_id, key, first_value(host_id) over best_first as owner_host,
            first_value(key) over best_first as owner_key
       from copies left join inbound using (host_id, key)
     window best_first as (partition by text_hash
                           order by ${bestCopyFirst})
   ), standing as (
     select host_id, key, case when key <> owner_key then owner_host end as alias_host,
            nullif(owner_key, key) as alias_key
       from judged
   ), standing_changed as (
     update url u set alias_host = s.alias_host, alias_key = s.alias_key
     from standing s
    where u.host_id = s.host_id and u.crawl_id = $1 and u.key = s.key
      and (u.alias_host, u.alias_key) is distinct from (s.alias_host, s.alias_key)
   returning 1
   )
   select count(*)::int as pages from standing_changed`,
  walkMs,
);
