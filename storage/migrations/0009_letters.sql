-- Dead letters with their evidence, listed and redriven in bulk; see domain/dead-letter.ts, domain/evidence.ts.

-- One row for each request that ended without a final outcome: the retry history of explain (G5).
create table attempt (
  host_id   bigint not null,
  crawl_id  bigint not null,
  key       bytea not null,
  at        timestamptz not null default now(),
  class     text not null,
  status    smallint,
  message   text not null,
  -- Fields of the response, at most 20 and 2 KB, without cookies and credentials; null: there was no response.
  headers   jsonb
);
create index attempt_url on attempt (host_id, crawl_id, key, at);

-- URLs whose retries are spent, with class and evidence. The row of such a URL in `url` has the state failed.
create table dead_letter (
  host_id     bigint not null,
  crawl_id    bigint not null,
  key         bytea not null,
  class       text not null,
  status      smallint,
  message     text not null,
  headers     jsonb,
  attempts    smallint not null,
  created_at  timestamptz not null default now(),
  primary key (host_id, crawl_id, key)
);
-- A crawl's letters host by host, and its letters of one class: each is a walk along an index, however many there are.
create index dead_letter_place on dead_letter (crawl_id, host_id, key);
create index dead_letter_class on dead_letter (crawl_id, class, host_id, key);
