import type { SeedView } from '../../contracts/http/seeds.ts';
import { statement } from '../statement.ts';

/** By line, after `after`. @param rejected only such; null: any */
export const listSeeds = statement<
  [crawlId: string, after: number, rejected: boolean | null, limit: number],
  SeedView
>(
  'list-seeds',
  `select line, url, case when rejected is null then 'good' else 'rejected' end as state, rejected as reason from seed
    where crawl_id = $1 and line > $2 and ($3::boolean is null or (rejected is not null) = $3)
    order by line limit $4`,
);
