/** Pages with the same bytes: which of them stands for a body, and which body a URL had before. */
import { statement } from '../postgres/index.ts';

/**
 * The first page with a body stands for that body; later pages change nothing. Each site that is read in its own right
 * (`site` other than 0) has a first page of its own. All other sites together (`site` 0) have one, but only if no page
 * of any site had the body before. What pages need is apart (`site` below 0): it stands for no page. In a standing crawl
 * a page that has another body by now gives way to the new one at once: its own change is noted only later, and until then
 * nobody would refer to the body, which would be freed. If that page still points at the content, since it failed or its new body waits, it
 * becomes a copy like the others, which are told of their page later (`content_due`). Locks contents, then such pages.
 * `offset 0` keeps Postgres from gathering the bodies of all crawls first.
 * `rows`: [{crawl_id, hash, site, host_id, key}].
 */
export const claimContents = statement<[rows: string]>('claim-contents')`
   with r as materialized (
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
     returning with (old as before) c.crawl_id, c.id, c.host_id, c.key, before.host_id as from_host, before.key as from_key
   ), told as (
     update url u set alias_host = t.host_id, alias_key = t.key
       from taken t
      where u.host_id = t.from_host and u.crawl_id = t.crawl_id and u.key = t.from_key and u.content_id = t.id
        and (t.host_id, t.key) <> (t.from_host, t.from_key)
   ), due as (
     insert into content_due (crawl_id, content_id) select crawl_id, id from taken
   )
   insert into content (crawl_id, hash, site, host_id, key, tenant_id)
   select crawl_id, hash, site, host_id, key, (select tenant_id from crawl k where k.id = r.crawl_id) from r
    where site > 0 or not exists (
            select from content c where c.crawl_id = r.crawl_id and c.hash = r.hash and (c.site < 0) = (r.site < 0)
               and (c.crawl_id, c.hash, c.site) not in (select crawl_id, hash, site from left_behind) offset 0)
    order by crawl_id, hash, site
   on conflict (crawl_id, hash, site) do nothing`;

/** A page that is to stand for its body. */
export interface ContentClaim {
  /** Below 0: how the write names the content, which has no id yet. */
  readonly content_id: number | null;
  readonly crawl_id: number;
  /** Hex. */
  readonly hash: string;
  readonly host_id: number;
  readonly key: string;
  /** Origins of the site of its host: `originsOfSite`. */
  readonly origins: readonly string[];
}

/**
 * Claims bodies that were new to the archive a moment ago, for pages whose results are stored later in this transaction.
 * Answers the claims that hold: none where another page was faster. `rows`: `ContentClaim[]`.
 */
export const claimNewContents = statement<
  [rows: string],
  Pick<ContentClaim, 'host_id' | 'crawl_id' | 'key'> & { readonly id: number }
>('claim-new-contents')`
   with r as materialized (
     select r.crawl_id, decode(r.hash, 'hex') as hash, r.host_id, decode(r.key, 'hex') as key, c.tenant_id,
            coalesce((select min(h.id) from host h
                       where h.origin = any (r.origins)
                         and exists (select from url s where s.host_id = h.id and s.crawl_id = r.crawl_id and s.seed)), 0) as site
       from json_to_recordset($1) as r(crawl_id bigint, hash text, host_id bigint, key text, origins text[])
       join crawl c on c.id = r.crawl_id
   )
   insert into content (crawl_id, hash, site, host_id, key, tenant_id)
   select r.crawl_id, r.hash, r.site, r.host_id, r.key, r.tenant_id
     from r
    where not exists (select from content o where o.crawl_id = r.crawl_id and o.hash = r.hash and o.site >= 0)
    order by r.crawl_id, r.hash, r.site
   on conflict (crawl_id, hash, site) do nothing
   returning id, host_id, crawl_id, encode(key, 'hex') as key`;

export interface ContentOwner {
  readonly crawl_id: number;
  readonly hash: string;
  /** The site for which it was asked. */
  readonly site: number;
  readonly host_id: number;
  readonly key: string;
  readonly content_id: number;
  /** Why the body says nothing without a browser; null: it says something, or is not read yet. */
  readonly shell: string | null;
}

/**
 * The page that stands for each body at a site; if there is none, the page that stands for the body at another site.
 * `rows`: [{crawl_id, hash, site}].
 */
export const contentOwners = statement<[rows: string], ContentOwner>('content-owners')`
   select distinct on (r.crawl_id, r.hash, r.site) r.crawl_id, r.hash, r.site, c.host_id, encode(c.key, 'hex') as key, c.id as content_id, c.shell
     from json_to_recordset($1) as r(crawl_id bigint, hash text, site bigint)
     join content c on c.crawl_id = r.crawl_id and c.hash = decode(r.hash, 'hex') and (c.site < 0) = (r.site < 0)
    order by r.crawl_id, r.hash, r.site, c.site = r.site desc, c.site`;

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
export const earlierCopies = statement<[hostId: string, wanted: string], EarlierCopy>('earlier-copies')`
   select w.crawl_id, w.key, e.crawl_id as of_crawl, e.fetched_at, e.status, e.body as content_hash, e.content_type, e.robots_tag, e.etag, e.last_modified
     from json_to_recordset($2) as w(crawl_id bigint, key text, among bigint[])
     join url u on u.host_id = $1 and u.crawl_id = w.crawl_id and u.key = decode(w.key, 'hex')
      and u.reason is distinct from 'body-lost'
    cross join lateral (
      select c.*, coalesce(c.answer_hash, c.content_hash) as body from url c
       where c.host_id = $1 and c.crawl_id = any (w.among || w.crawl_id) and c.key = u.key and c.url = u.url
         and (c.state = 'done' or c.crawl_id = w.crawl_id) and c.content_hash is not null
         and (c.etag is not null or c.last_modified is not null)
       order by c.fetched_at desc limit 1
    ) e
    where exists (select from body b where b.hash = e.body)`;
