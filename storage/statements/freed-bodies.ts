import { statement } from '../statement.ts';

/**
 * Bodies that were freed so long ago, locked, and whether something refers to them (again): a page that stands for the
 * body in its crawl, or a URL whose body has not been read yet.
 */
export const freedBodies = statement<
  [seconds: number, limit: number],
  { readonly hash: Buffer; readonly wanted: boolean }
>(
  'freed-bodies',
  `with due as materialized (
     select hash from freed_body where since <= now() - $1 * interval '1 second'
      order by hash limit $2 for update skip locked
   )
   select d.hash,
          exists (select from content c where c.hash = d.hash)
            or d.hash in (select u.content_hash from url u where u.stage > 0 and u.content_hash is not null) as wanted
     from due d`,
);
