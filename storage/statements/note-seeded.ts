import { statement } from '../statement.ts';

/**
 * Seeds up to this line are admitted. A frontier from which an edit of the scope has excluded something is judged once
 * more: the new seeds may have made it part of the crawl again. Answers the version of the settings that this is due by.
 */
export const noteSeeded = statement<[crawlId: number, line: number], { version: number }>(
  'note-seeded',
  `with seeded as (
     update crawl set seeded_line = greatest(seeded_line, $2) where id = $1 returning id, config_version
   )
   update crawl_config v set state = 'pending', place = null, ended_at = null
     from seeded s
    where v.crawl_id = s.id and v.version = s.config_version and v.state in ('pending', 'applied')
      and exists (select from crawl_config r where r.crawl_id = s.id and r.rereads)
   returning v.version`,
);
