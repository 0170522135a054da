/**
 * How pages with the same content are ranked (F20), for the statements that choose one of them: common table
 * expressions that follow `copies (host_id, key, spelt, canonical, url, depth, …)`, and the order of the ranking.
 * `spelt` and `canonical` are hashes like `key`: of the spelling in which the page was found, and of the rel=canonical
 * that the page names.
 *
 * A link counts for a copy if it names the copy's canonical form, or the spelling in which the copy was found. Links
 * are counted from 20,000 pages and four million links at most, so that the end of the crawl does not wait for them;
 * for a larger crawl this is a sample. Outlinks are packed as in storage/pages/outlinks.ts: one on each line, those
 * within the page's own origin from their path on.
 */
export const inboundOfCopies = `
   pages as (
     select h.origin, p.canonical, p.outlinks
       from host_queue q join page p using (host_id, crawl_id) join host h on h.id = q.host_id
      where q.crawl_id = $1 and exists (select from copies)
   ), targets as (
     select redirect_to as target, true as named
       from url where crawl_id = $1 and fetched_at is not null and redirect_to is not null
     union all
     select canonical, true from pages where canonical is not null
     union all
     select case when link like '/%' then origin || link else link end, false
       from (select origin, link from (select origin, outlinks from pages limit 20000) p
              cross join string_to_table(outlinks, E'\\n') link limit 4000000) sample
   ), forms as (
     select host_id, key, key as form from copies union select host_id, key, spelt from copies
   ), inbound as (
     select f.host_id, f.key, count(*) filter (where named) as named, count(*) filter (where not named) as linked
       from targets t join forms f on f.form = ${keyOf('t.target')}
      group by f.host_id, f.key
   )`;

/** The order of `copies left join inbound using (host_id, key)`: the page that stands for the others comes first. */
export const bestCopyFirst = `coalesce(canonical in (key, spelt), false) desc, coalesce(named, 0) desc,
    coalesce(linked, 0) desc, depth, length(url), url`;

/** SQL for the key (domain/url.ts) of a URL whose canonical form is the text. */
export function keyOf(text: string): string {
  return `substring(sha256(convert_to(${text}, 'UTF8')) for 16)`;
}
