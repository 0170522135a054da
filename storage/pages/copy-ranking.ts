/**
 * How pages with the same content are ranked (F20), for the statements that choose one of them: common table
 * expressions that follow `copies`, and the order of the ranking.
 *
 * `copies (crawl_id, host_id, key, spelt, canonical, text_hash, site, url, depth, …)`: `spelt` and `canonical` are hashes
 * like `key`: of the spelling in which the page was found, and of the rel=canonical that the page names. `site` is that
 * of the page, `text_hash` that of its text (null: too little text).
 *
 * A rel=canonical is a claim of whoever wrote the page, so it is believed only if it can be true: it counts for a copy if
 * the page that names it is of the same site and has the same text, and if the copy does not itself name another page
 * with that text. So nothing is believed that names another site, a page that is not there, redirects or is not like the
 * page (all pages of a site that name its home page), and nothing from within a chain or a loop.
 */
/**
 * How many pages name each copy, and are believed: `named (host_id, key, names)`.
 * @param namers name of `(crawl_id, host_id, key, canonical, text_hash, site)`: pages that may name a copy
 */
export const believedNames = (namers: string): string => `
   forms as (
     select crawl_id, host_id, key, text_hash, key as form from copies
     union
     select crawl_id, host_id, key, text_hash, spelt from copies
   ), astray as (
     select distinct c.crawl_id, c.host_id, c.key
       from copies c join forms f on f.crawl_id = c.crawl_id and f.text_hash = c.text_hash and f.form = c.canonical
      where c.canonical not in (c.key, c.spelt)
   ), named as (
     select f.crawl_id, f.host_id, f.key, count(*) as names
       from copies c
       join forms f on f.crawl_id = c.crawl_id and f.host_id = c.host_id and f.key = c.key
       join ${namers} n on n.crawl_id = f.crawl_id and n.text_hash = f.text_hash and n.canonical = f.form and n.site = c.site
      where (n.host_id, n.key) <> (c.host_id, c.key)
        and (c.crawl_id, c.host_id, c.key) not in (select crawl_id, host_id, key from astray)
      group by f.crawl_id, f.host_id, f.key
   )`;

/**
 * What speaks for each copy of the crawl $1: `inbound (host_id, key, names, redirects, links)`. A link or a redirect
 * counts if it names the copy's canonical form, or the spelling in which the copy was found. Links are counted from
 * 20,000 pages and four million links at most, so that the end of the crawl does not wait for them; for a larger crawl
 * this is a sample. Outlinks are packed as in storage/pages/outlinks.ts: one on each line, those within the page's own
 * origin from their path on.
 */
export const inboundOfCopies = `
   namers as materialized (
     select p.crawl_id, o.host_id, o.key, ${keyOf('p.canonical')} as canonical, p.text_hash, ${siteOf('h.origin')} as site
       from current_reading p join content o on o.crawl_id = $1 and o.id = p.content_id join host h on h.id = o.host_id
      where p.crawl_id = $1 and p.canonical is not null and p.text_hash in (select text_hash from copies)
   ), ${believedNames('namers')}, pages as (
     select h.origin, p.outlinks
       from current_reading p join host h on h.id = p.host_id
      where p.crawl_id = $1 and exists (select from copies)
   ), targets as (
     select redirect_to as target, true as redirected
       from url where crawl_id = $1 and fetched_at is not null and redirect_to is not null and exists (select from copies)
     union all
     select case when link like '/%' then origin || link else link end, false
       from (select origin, link from (select origin, outlinks from pages limit 20000) p
              cross join string_to_table(outlinks, E'\\n') link limit 4000000) sample
   ), pointed as (
     select f.host_id, f.key, count(*) filter (where redirected) as redirects, count(*) filter (where not redirected) as links
       from targets t join forms f on f.form = ${keyOf('t.target')}
      group by f.host_id, f.key
   ), inbound as (
     select host_id, key, names, redirects, links
       from pointed full join (select host_id, key, names from named) n using (host_id, key)
   )`;

/** The order of `copies left join inbound using (host_id, key)`: the page that stands for the others comes first. */
export const bestCopyFirst = `coalesce(canonical in (key, spelt), false) desc, coalesce(names, 0) desc,
    coalesce(redirects, 0) desc, coalesce(links, 0) desc, depth, length(url), url`;

/** SQL for the key (domain/url.ts) of a URL whose canonical form is the text. */
export function keyOf(text: string): string {
  return `substring(sha256(convert_to(${text}, 'UTF8')) for 16)`;
}

/** SQL for the site of an origin, as scopes take it (domain/scope.ts): without scheme and leading `www.`. */
export function siteOf(origin: string): string {
  return `regexp_replace(${origin}, '^https?://(www\\.)?', '')`;
}

/** What everybody reads of the page or copy in the row: `p`. */
export const readingOf = (row: string): string =>
  `current_reading p on p.crawl_id = ${row}.crawl_id and p.content_id = ${row}.content_id`;

/** The page `u` stands for the content at which it points. (`offset 0` keeps Postgres from gathering all contents first.) */
export const standsForContent = `exists (select from content c where c.crawl_id = u.crawl_id and c.id = u.content_id
                                     and c.host_id = u.host_id and c.key = u.key offset 0)`;

/** The page `u` stands for the body that it has: it is no copy, and no new body of it waits. */
export const standsForItsBody = `exists (select from content c where c.crawl_id = u.crawl_id and c.id = u.content_id
                                     and c.hash = u.content_hash and c.host_id = u.host_id and c.key = u.key offset 0)`;
