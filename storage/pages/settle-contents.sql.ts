/** Contents that a page has left: another page takes over, or they go. */
import { isAnyRenderer } from '../instance/index.ts';
import { storedStages } from '../../domain/stage.ts';
import { statement } from '../postgres/index.ts';
import { isRendering } from '../unread.ts';

/** The oldest notes that a page has left a content. */
export const dueContents = statement<[limit: number], { id: number }>('due-contents')`
   select id from content_due order by id limit $1`;

/**
 * Locks the contents of these notes until the end of the transaction: nobody points at one of them meanwhile. No answer.
 */
export const holdDue = statement<[ids: readonly number[]]>('hold-due-contents')`
   with held as materialized (
     select from content
      where (crawl_id, id) in (select crawl_id, content_id from content_due where id = any ($1::bigint[]))
      order by crawl_id, id for update
   )
   select from held limit 0`;

/** Pages among which the one that takes over is looked for. */
const mostHeirs = 1_000;

/** The copy `u` of a shell is to be rendered: no browser has given it up. */
const isReleased = `l.shell and u.state = 'done' and u.stage = 0
                  and not exists (select from rendering g where g.host_id = u.host_id and g.crawl_id = u.crawl_id
                                     and g.key = u.key and g.answer_hash = u.content_hash and g.outcome is not null)`;

/** Copies of `l` that name a page before or after the one that is to stand for them: by their index, past all that name it. */
const others = (
  side: '<' | '>',
): string => `u.crawl_id = l.crawl_id and u.content_id = l.id and u.alias_host is not null
                  and (u.alias_host, u.alias_key) ${side} (l.owner_host, l.owner_key)
                  and (u.host_id, u.key) <> (l.host_id, l.key)
                  and (u.host_id, u.key) is distinct from (l.heir_host, l.heir_key)`;

/**
 * Settles the contents of these notes. If the page that stands for a content points at it no more, one of the others
 * (of the first `mostHeirs`) takes over and is read by its own URL, unless it is being rendered: a page that is there before one that is held or failed, then one of the content's
 * own site; if there is none, the content goes, with all that was read from it. Copies become copies of the page that stands for the content now, `mostCopies`
 * of them at a time; where there are more, the content is noted again.
 *
 * A body that says nothing without a browser has no copies while there is one: those that came before that was known are
 * rendered too, but for those of which no browser could make anything.
 *
 * The notes go. The caller must have claimed the ranking and held the contents in earlier statements of the same
 * transaction, so that this one sees what others have chosen, and who points at the contents.
 */
export const settleContents = statement<[ids: readonly number[], mostCopies: number]>('settle-contents')`
   with notes as (
     delete from content_due where id = any ($1::bigint[]) returning crawl_id, content_id
   ), left_behind as materialized (
     select c.crawl_id, c.id, c.host_id, c.key, stands.so, heir.host_id as heir_host, heir.key as heir_key,
            c.shell is not null and ${isAnyRenderer} as shell
       from (select distinct crawl_id, content_id from notes) n
       join content c on c.crawl_id = n.crawl_id and c.id = n.content_id
      cross join lateral (
        select exists (select from url o where o.host_id = c.host_id and o.crawl_id = c.crawl_id and o.key = c.key
                                           and o.content_id = c.id) as so offset 0) stands
       left join lateral (
         select u.host_id, u.key
           from (select * from url
                  where not stands.so and crawl_id = c.crawl_id and content_id = c.id
                    and (alias_host is not null or ${isRendering('url')}) and (host_id, key) <> (c.host_id, c.key)
                  limit ${mostHeirs}) u
          order by coalesce(u.content_hash = c.hash, false) desc, u.state = 'done' desc, u.host_id = c.site desc limit 1) heir on true
   ), gone as (
     delete from content c using left_behind l
      where not l.so and l.heir_key is null and c.crawl_id = l.crawl_id and c.id = l.id
   ), inherited as (
     update content c set host_id = l.heir_host, key = l.heir_key
       from left_behind l where l.heir_key is not null and c.crawl_id = l.crawl_id and c.id = l.id
   ), copies as materialized (
     select l.crawl_id, l.id, u.released, u.host_id, u.key, l.owner_host, l.owner_key
       from (select *, coalesce(heir_host, host_id) as owner_host, coalesce(heir_key, key) as owner_key from left_behind) l
      cross join lateral (
        (select l.heir_host as host_id, l.heir_key as key, false as released where l.heir_key is not null)
        union all
        (select host_id, key, false from url u where ${others('<')} and not (${isReleased}) limit $2)
        union all
        (select host_id, key, false from url u where ${others('>')} and not (${isReleased}) limit $2)
        union all
        (select host_id, key, true from url u where u.crawl_id = l.crawl_id and u.content_id = l.id and u.alias_host is not null
            and (u.host_id, u.key) is distinct from (l.heir_host, l.heir_key) and ${isReleased} limit $2)
        limit $2) u
      where l.so or l.heir_key is not null
   ), more as (
     insert into content_due (crawl_id, content_id)
     select crawl_id, id from copies group by crawl_id, id having count(*) = $2
   ), chosen as materialized (
     select c.*, (c.host_id, c.key) = (c.owner_host, c.owner_key) as is_owner from copies c
      order by host_id, crawl_id, key
   )
   update url u
      set alias_host = case when not c.is_owner and not c.released then c.owner_host end,
          alias_key = case when not c.is_owner and not c.released then c.owner_key end,
          stage = case when u.state <> 'done' or u.stage > 0 or u.content_hash is null then u.stage
                       when c.is_owner then ${String(storedStages.dedup)} when c.released then ${String(storedStages.render)} else 0 end
     from chosen c where u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key and u.content_id = c.id`;
