import { statement } from '../statement.ts';

/** Those of the hosts whose workflows wait to be told of new URLs; whoever gets one must tell it. */
export const claimIdleHosts = statement<[hostIds: readonly number[]], { origin: string }>(
  'claim-idle-hosts',
  `update host set idle = false
    where id in (select id from host where id = any ($1) and idle order by id for update skip locked) and idle
   returning origin`,
);
