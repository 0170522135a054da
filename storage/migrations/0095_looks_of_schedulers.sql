-- When the scheduler of a shard last looked for hosts, to some seconds; null: never. For the metrics alone, which show a
-- shard that nobody schedules.
alter table shard add column looked_at timestamptz;
