-- Re-extraction: what the bodies of a crawl say to a newer extractor, beside what was read when each page was fetched.

create type reextraction_state as enum (
  'waiting', 'running', 'finished', 'failed', 'cancelled', 'keeping', 'kept', 'removing');

-- A job. Its life: waiting, running, then finished, failed or cancelled. A finished one can be switched to (`reading_in_use`)
-- and back; `keeping` makes its extraction the pages' own, batch by batch, and ends in `kept`; `removing` takes its rows
-- away, and then the job.
create table reextraction (
  id             bigint generated always as identity primary key,
  -- The job goes with its crawl.
  crawl_id       bigint not null,
  state          reextraction_state not null default 'waiting',
  -- Why the job failed, for people.
  reason         text,
  created_at     timestamptz not null default now(),
  ended_at       timestamptz,
  -- Pages that were answered at this time or later are left out; microseconds since 1970.
  until          bigint not null,
  -- The version of the extractor that reads; null: nothing was read yet.
  extractor      integer,
  -- The activity that works; null: none does.
  owner          uuid,
  -- Place in the order of `url_pages`: microseconds, host and key; null: the start.
  place          jsonb,
  -- When copies of the crawl were last chosen by all that is known, as the walk began. If they are again, which moves
  -- extractions from one URL to another, the walk begins anew.
  walked         timestamptz,
  -- Pages that were read so far, and what was found (domain/reextraction/tally.ts).
  pages          bigint not null default 0,
  tally          jsonb not null default '{}',
  -- How often the job was switched to or back, and how many of these times all that follows from pages was told.
  turns          integer not null default 0,
  settled        integer not null default 0,
  -- False: the job has no pages any more.
  has_pages      boolean not null default true
);
create index reextraction_of_crawl on reextraction (crawl_id, id);
create index reextraction_open on reextraction (id)
  where state in ('waiting', 'running', 'keeping', 'removing') or settled < turns
     or (has_pages and state in ('failed', 'cancelled'));

-- Pages whose extraction by a job differs from that in `page`. What does not differ has no row.
create table reextraction_page (
  job_id       bigint not null references reextraction (id) on delete cascade,
  host_id      bigint not null,
  key          bytea not null,
  -- `page.extracted_at` of the extraction that it was compared with. A page that was read anew since has another one, and
  -- this row counts no more.
  of           timestamptz not null,
  title        text,
  description  text,
  language     text,
  charset      text,
  words        integer not null,
  links        integer not null,
  canonical    text,
  noindex      boolean not null,
  nofollow     boolean not null,
  text_hash    bytea,
  meta         jsonb,
  fields       jsonb,
  outlinks     text not null,
  -- As `url.cut`.
  cut          jsonb,
  -- The fingerprint of the text that is not in use (storage/alike/prints.sql.ts), while the crawl looks for near-duplicates and
  -- it differs; null: there is none.
  print        jsonb,
  -- Is the fingerprint of this extraction in `text_print`, and that of the page here?
  is_printed   boolean not null default false,
  primary key (job_id, host_id, key)
);
create index reextraction_print on reextraction_page (job_id, is_printed) where print is not null;

-- Which re-extraction everybody reads, of the crawls that were switched to one. One row changes what all pages of a crawl
-- say, at one moment.
create table reading_in_use (
  crawl_id  bigint primary key,
  job_id    bigint not null references reextraction (id)
);

-- What extraction found, as everybody reads it. Whoever writes, writes to `page`.
create view current_page as
  select p.host_id, p.crawl_id, p.key,
         case when r.job_id is null then p.title else r.title end as title,
         case when r.job_id is null then p.description else r.description end as description,
         case when r.job_id is null then p.language else r.language end as language,
         case when r.job_id is null then p.charset else r.charset end as charset,
         case when r.job_id is null then p.words else r.words end as words,
         case when r.job_id is null then p.links else r.links end as links,
         case when r.job_id is null then p.canonical else r.canonical end as canonical,
         case when r.job_id is null then p.noindex else r.noindex end as noindex,
         case when r.job_id is null then p.nofollow else r.nofollow end as nofollow,
         case when r.job_id is null then p.text_hash else r.text_hash end as text_hash,
         case when r.job_id is null then p.meta else r.meta end as meta,
         case when r.job_id is null then p.fields else r.fields end as fields,
         case when r.job_id is null then p.outlinks else r.outlinks end as outlinks,
         p.relevance, p.extracted_at,
         -- Read again: `cut` then stands for that of the URL.
         r.job_id is not null as is_reextracted, r.cut
    from page p
    left join reading_in_use v on v.crawl_id = p.crawl_id
    left join reextraction_page r
      on r.job_id = v.job_id and r.host_id = p.host_id and r.key = p.key and r.of = p.extracted_at;
