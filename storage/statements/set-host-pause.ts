import { statement } from '../statement.ts';

/**
 * An operator's pause of a host, with its reason; null ends it. A host that is already paused keeps the time of its
 * first pause.
 */
export const setHostPause = statement<[hostId: string, reason: string | null], Record<string, never>>(
  'set-host-pause',
  `update host set paused_at = case when $2::text is not null then coalesce(paused_at, now()) end, paused_reason = $2
    where id = $1`,
);
