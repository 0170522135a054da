import { statement } from '../statement.ts';

export const countDeadLetters = statement<[crawlId: string], { class: string; count: number }>(
  'count-dead-letters',
  `select class, count(*) from dead_letter where crawl_id = $1 group by class order by count(*) desc, class`,
);
