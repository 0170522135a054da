-- expand: how politely hosts were asked, as the workers themselves have measured it.
-- A row for each day (UTC) on which a host with a delay was asked twice.
create table politeness (
  day date primary key,
  -- Least seconds between an answer and the next request to its host. Null: no two were measured.
  smallest_gap double precision,
  -- Requests that left before the delay of their host was over: a fault of ours.
  too_soon bigint not null default 0
);
