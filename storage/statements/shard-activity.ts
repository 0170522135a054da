import { workedHosts } from '../worked-hosts.ts';
import { statement } from '../statement.ts';

/** Hosts being worked in a shard, and whether any crawl is running. */
export const shardActivity = statement<[shard: number], { active: number; running: boolean }>(
  'shard-activity',
  `select (select count(*)::int from ${workedHosts('$1')}) as active,
          exists (select 1 from crawl where state in ('seeding', 'running', 'draining')) as running`,
);
