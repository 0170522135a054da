import { statement } from '../statement.ts';

/**
 * Changes those settings of a host that `changes` names, a JSON object of columns; null takes one back. What held the
 * host only by its old settings is forgotten, and judged anew by the slice that comes next: opening times, quota, and
 * the pace, which counts from `asked_at`. Whoever sets a delay sets the slowdown back. Retry-After and backoff stay. None: the
 * settings are not of one of these revisions (null: of any).
 */
export const changeHostSettings = statement<
  [hostId: string | number, changes: string, revisions: readonly number[] | null],
  { readonly origin: string }
>(
  'change-host-settings',
  `update host
      set delay_ms = case when c ? 'delay_ms' then (c ->> 'delay_ms')::int else delay_ms end,
          slowdown = case when c ? 'delay_ms' then 0 else slowdown end,
          clean = case when c ? 'delay_ms' then 0 else clean end,
          concurrency = case when c ? 'concurrency' then (c ->> 'concurrency')::smallint else concurrency end,
          delay_factor = case when c ? 'delay_factor' then (c ->> 'delay_factor')::real else delay_factor end,
          windows = case when c ? 'windows' then nullif(c -> 'windows', 'null') else windows end,
          daily_quota = case when c ? 'daily_quota' then (c ->> 'daily_quota')::int else daily_quota end,
          settings_revision = settings_revision + 1,
          closed_until = '-infinity',
          not_before = case when not_before <= paced_until and asked_at is not null
                            then least(not_before, now()) else not_before end,
          paced_until = case when asked_at is null then paced_until else least(paced_until, now()) end
     from (select $2::jsonb as c) changes
    where id = $1 and ($3::bigint[] is null or settings_revision = any ($3))
   returning origin`,
);
