import { statement } from '../statement.ts';

/**
 * Those of the hosts that are parked; they stay so until the transaction ends. Whoever unparks one meanwhile looks for
 * crawls to reopen only afterwards, and then sees what was queued here.
 */
export const holdParkedHosts = statement<[hostIds: readonly number[]], { id: number }>(
  'hold-parked-hosts',
  `select id from host where id = any ($1) and parked_at is not null order by id for share`,
);
