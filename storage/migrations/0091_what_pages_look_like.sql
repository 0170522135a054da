-- What rendered pages look like: a screenshot and a PDF, each a body of its own in the archive. They go with the row of the
-- rendering, and when the page is rendered anew or brings an answer that is not rendered.
alter table rendering
  -- SHA-256; null: there is none, or it was too large to be kept.
  add column screenshot_hash bytea,
  add column pdf_hash bytea,
  -- Bytes of what the browser made, kept or not; null: it made none.
  add column screenshot_bytes integer,
  add column pdf_bytes integer,
  -- Of those that are kept.
  add column looks_bytes bigint generated always as (
    case when screenshot_hash is null then 0 else screenshot_bytes end + case when pdf_hash is null then 0 else pdf_bytes end
  ) stored;
create index rendering_screenshot on rendering (screenshot_hash) where screenshot_hash is not null;
create index rendering_pdf on rendering (pdf_hash) where pdf_hash is not null;

-- Bytes of the screenshots and PDFs of a crawl. They count for the tenant's quota of stored bytes, beside those of answers.
alter table ledger add column looks_bytes bigint not null default 0;

-- Whatever changes or removes rows: what no page looks like any more may be free, and the sums follow.
create function rendering_looks() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    insert into ledger as l (crawl_id, shard, looks_bytes)
    select crawl_id, pg_backend_pid() % 32, sum(looks_bytes)
      from new_rows where looks_bytes > 0 group by crawl_id order by crawl_id
    on conflict (crawl_id, shard) do update set looks_bytes = l.looks_bytes + excluded.looks_bytes;
  end if;
  if tg_op <> 'INSERT' then
    insert into ledger as l (crawl_id, shard, looks_bytes)
    select crawl_id, pg_backend_pid() % 32, -sum(looks_bytes)
      from old_rows where looks_bytes > 0 group by crawl_id order by crawl_id
    on conflict (crawl_id, shard) do update set looks_bytes = l.looks_bytes + excluded.looks_bytes;
    insert into freed_body (hash)
    select hash from (select screenshot_hash from old_rows union select pdf_hash from old_rows) o (hash)
     where hash is not null order by hash
    on conflict (hash) do update set since = now();
  end if;
  return null;
end $$;
create trigger rendering_looks_came after insert on rendering
  referencing new table as new_rows for each statement execute function rendering_looks();
create trigger rendering_looks_changed after update on rendering
  referencing old table as old_rows new table as new_rows for each statement execute function rendering_looks();
create trigger rendering_looks_gone after delete on rendering
  referencing old table as old_rows for each statement execute function rendering_looks();
