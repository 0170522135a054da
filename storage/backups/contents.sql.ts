/** What a backup has to hold, and what of it is looked at when it is verified. */
import type { FoundRecord } from '../archive/index.ts';
import { statement, walkMs } from '../postgres/index.ts';

/**
 * The segments, with the bytes that are committed now. Committed bytes never change, and a later moment has no fewer of
 * a segment that is still there. `folder` null: it lies where every process reads it.
 */
export const committedSegments = statement<
  [],
  { readonly name: string; readonly folder: string | null; readonly length: number }
>('committed-segments', walkMs)`
   select s.name, s.folder::text,
          case when s.state = 'sealed' then coalesce(s.length, 0)
               else coalesce((select max(r.at + r.length) from (
                      select at, length from body where segment = s.id
                      union all select at, length from revisit where segment = s.id) r), 0) end::bigint as length
     from segment s order by s.id`;

/** Crawls that can be audited. */
export const allCrawls = statement<[], { readonly id: string }>('all-crawls')`
   select id::text from crawl where removed_at is null order by crawl.id`;

/** Some bodies of each segment after one, of so many segments: from anywhere in it. */
export const sampleBodies = statement<
  [after: number, segments: number, each: number],
  FoundRecord & { readonly hash: Buffer }
>('sample-bodies', walkMs)`
   select b.hash, s.id as segment, s.name, s.folder::text, b.at, b.length
     from (select id, name, folder from segment where id > $1 and exists (select from body where segment = segment.id)
            order by id limit $2) s
    cross join lateral (select hash, at, length from body where segment = s.id order by hash limit $3) b
    order by s.id`;
