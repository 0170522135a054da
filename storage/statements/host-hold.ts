import { statement } from '../statement.ts';

export interface HostHold {
  /** Why an operator has paused it; null: nobody has. */
  readonly paused: string | null;
  /** The trouble that parked it, and for how many milliseconds that has lasted; null: it is not parked. */
  readonly parked: string | null;
  readonly trouble_ms: number;
}

/** What keeps a host from being visited until somebody acts; no row: nothing does. */
export const hostHold = statement<[hostId: string], HostHold>(
  'host-hold',
  `select case when paused_at is not null then coalesce(paused_reason, '') end as paused,
          case when parked_at is not null then coalesce(last_error, '') end as parked,
          extract(epoch from now() - coalesce(failing_since, parked_at, now()))::float8 * 1000 as trouble_ms
     from host where id = $1 and (paused_at is not null or parked_at is not null)`,
);
