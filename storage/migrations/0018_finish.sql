-- Pages that finish criteria count (domain/finish-criteria.ts), each once, in the transaction that stores the page. A
-- shard belongs to a database session, so that writers do not wait for one another.
create table page_counter (
  crawl_id  bigint not null,
  counter   text not null,
  shard     smallint not null,
  pages     bigint not null,
  primary key (crawl_id, counter, shard)
);
