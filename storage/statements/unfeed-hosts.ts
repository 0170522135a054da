import { statement } from '../statement.ts';

/** Gives up to `limit` hosts that are marked as fed back to the scheduler: none has a workflow any more. */
export const unfeedHosts = statement<[limit: number], { id: number }>(
  'unfeed-hosts',
  `update host set fed = false, idle = false
    where id in (select id from host where fed order by id limit $1 for update skip locked)
   returning id`,
);
