import type { HostStanding } from '../../domain/host-standing.ts';
import { statement } from '../statement.ts';

/** Hosts by where they stand, as list-hosts.ts has it: one row for each standing that there is. */
export const measureHosts = statement<[], { state: HostStanding; hosts: number }>(
  'measure-hosts',
  `select case when parked_at is not null then 'parked'
               when failures > 0 and not_before > now() and not_before > paced_until then 'backoff'
               when closed_until > now() then 'closed'
               when fed then 'active'
               else 'idle' end as state, count(*) as hosts
     from host group by 1`,
);
