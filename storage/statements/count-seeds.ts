import { statement } from '../statement.ts';

export const countSeeds = statement<[crawlId: string], { accepted: number; rejected: number }>(
  'count-seeds',
  `select count(*) filter (where rejected is null) as accepted, count(rejected) as rejected
     from seed where crawl_id = $1`,
);
