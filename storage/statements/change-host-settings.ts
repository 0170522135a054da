import { statement } from '../statement.ts';

/**
 * Changes those settings of a host that `change` names (a `HostSettingsChange`); null takes one back. What held the
 * host only by its old settings is forgotten, and judged anew by the slice that comes next: opening times, quota, and
 * the pace, which counts from `asked_at`. Whoever sets a delay sets the slowdown back. Retry-After and backoff stay. None: the
 * settings are not of one of these revisions (null: of any).
 */
export const changeHostSettings = statement<
  [hostId: string | number, change: string, revisions: readonly number[] | null],
  { readonly origin: string }
>(
  'change-host-settings',
  `update host
      set settings = jsonb_strip_nulls(settings || c),
          slowdown = case when c ? 'delaySeconds' then 0 else slowdown end,
          clean = case when c ? 'delaySeconds' then 0 else clean end,
          settings_revision = settings_revision + 1,
          closed_until = '-infinity',
          not_before = case when not_before <= paced_until and asked_at is not null
                            then least(not_before, now()) else not_before end,
          paced_until = case when asked_at is null then paced_until else least(paced_until, now()) end
     from (select $2::jsonb as c) change
    where id = $1 and ($3::bigint[] is null or settings_revision = any ($3))
   returning origin`,
);
