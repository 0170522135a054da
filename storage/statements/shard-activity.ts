import { statement } from '../statement.ts';

/** Hosts being worked in a shard, and whether any crawl is running. */
export const shardActivity = statement<[shard: number], { active: number; running: boolean }>(
  'shard-activity',
  `select (select count(*)::int from host where shard = $1 and fed) as active,
          exists (select 1 from crawl where state in ('seeding', 'running', 'draining')) as running`,
);
