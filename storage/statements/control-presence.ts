import { statement } from '../statement.ts';

export interface ControlPresence {
  /** Control workers that were heard of just now. */
  readonly present: number;
  /** Of them: for more than a minute. */
  readonly steady: number;
  /** Control workers that were lost within two minutes: killed, crashed, or out of memory. */
  readonly lost: number;
}

/** Workers say every five seconds that they are there. */
export const controlPresence = statement<[], ControlPresence>(
  'control-presence',
  `select count(*) filter (where is_here) as present,
          count(*) filter (where is_here and started_at < now() - interval '1 minute') as steady,
          count(*) filter (where not is_here and seen_at > now() - interval '2 minutes') as lost
     from worker_process, lateral (select seen_at > now() - interval '15 seconds' as is_here) h
    where 'control' = any (roles)`,
);
