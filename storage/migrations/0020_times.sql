-- Where the time of crawls goes (domain/time-lost.ts): a row for each host that a crawl had work at and was visited.

create table host_time (
  crawl_id     bigint not null,
  host_id      bigint not null,
  -- Up to then each second in which the crawl had work at the host is counted below. From then on the row of the host
  -- says what is waited for, until the next visit counts that too.
  until        timestamptz not null,
  -- Seconds by cause.
  answering    real not null default 0,
  robots_txt   real not null default 0,
  delay        real not null default 0,
  crawl_delay  real not null default 0,
  slowdown     real not null default 0,
  retry_after  real not null default 0,
  backoff      real not null default 0,
  retry        real not null default 0,
  parked       real not null default 0,
  caps         real not null default 0,
  own_delay    real not null default 0,
  windows      real not null default 0,
  quota        real not null default 0,
  paused       real not null default 0,
  others       real not null default 0,
  place        real not null default 0,
  slot         real not null default 0,
  pressure     real not null default 0,
  reading      real not null default 0,
  own_work     real not null default 0,
  fault        real not null default 0,
  outage       real not null default 0,
  unexplained  real not null default 0,
  primary key (crawl_id, host_id)
) with (fillfactor = 50);
