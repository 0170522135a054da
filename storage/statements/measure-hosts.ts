import type { HostStanding } from '../../domain/host-standing.ts';
import { hostStanding } from '../host-standing.ts';
import { statement } from '../statement.ts';

/** Hosts by where they stand: one row for each standing that there is. */
export const measureHosts = statement<[], { state: HostStanding; hosts: number }>(
  'measure-hosts',
  `select ${hostStanding} as state, count(*) as hosts
     from host h group by 1`,
);
