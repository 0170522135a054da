-- What an operator set for a host is one value (contracts/hosts.ts: HostSettings); a setting that is not in it is not set.
alter table host add column settings jsonb not null default '{}';
update host
   set settings = jsonb_strip_nulls(jsonb_build_object(
         'delaySeconds', trim_scale(delay_ms / 1000.0), 'concurrency', concurrency, 'windows', windows,
         'quotaPerDay', daily_quota, 'delayFactor', delay_factor))
 where num_nonnulls(delay_ms, concurrency, windows, daily_quota, delay_factor) > 0;
alter table host
  drop column delay_ms,
  drop column concurrency,
  drop column windows,
  drop column daily_quota,
  drop column delay_factor;
