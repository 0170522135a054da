import { statement } from '../statement.ts';

/**
 * Notes that seeds from one line to another, so many of them good, are admitted; does nothing if another process has
 * done so, or if the crawl is over and took none. After the last seed, a frontier from which an edit of the scope has
 * excluded URLs is judged once more: the new seeds may have made these URLs part of the crawl again. Answers the
 * version of the settings for which this is due.
 */
export const noteSeeded = statement<
  [crawlId: number, after: number, line: number, good: number],
  { version: number }
>(
  'note-seeded',
  `with seeded as (
     update crawl set seeded_line = $3, seeds_taken = seeds_taken + $4 where id = $1 and seeded_line = $2
        and state not in ('finished', 'cancelled', 'failed')
     returning id, config_version
   )
   update crawl_config v set state = 'pending', place = null, ended_at = null
     from seeded s
    where v.crawl_id = s.id and v.version = s.config_version and v.state in ('pending', 'applied')
      and exists (select from crawl_config r where r.crawl_id = s.id and r.rereads)
      and (select n.line from seed n where n.crawl_id = s.id and n.line > $3 order by n.line limit 1) is null
   returning v.version`,
);
