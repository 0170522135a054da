-- What was read belongs to a body: a page is a URL that points at a content row, and its copies point at the same one.

-- `content (host_id, key)` is the page that stands for the body; others that point at the row are its copies.
alter table content add column id bigint generated always as identity;
create unique index content_id on content (crawl_id, id);

-- The content that the URL was last judged to have; null: none. A page whose new body waits points at the old one.
alter table url add column content_id bigint;
-- The counts that triggers keep do not depend on the column.
alter table url disable trigger user;
update url u
   set content_id = (
         select c.id from content c
          where c.crawl_id = u.crawl_id and c.hash = u.content_hash and (c.site < 0) = (u.kind = 3)
          order by (c.host_id, c.key) = (u.host_id, u.key) desc,
                   (c.host_id, c.key) is not distinct from (u.alias_host, u.alias_key) desc, c.site limit 1)
 where u.content_hash is not null and u.stage <> 1 and u.kind <> 2;
alter table url enable trigger user;
-- Copies of a content: one of them takes over when the page that stands for it leaves.
create index url_copies on url (crawl_id, content_id) where alias_host is not null and content_id is not null;

-- What extraction found in a body. Texts are not kept: when somebody asks for one, it is read from the body again.
create table reading (
  crawl_id     bigint not null,
  content_id   bigint not null,
  -- The re-extraction that found it, where it differs from what is read otherwise; 0: none.
  job_id       bigint not null default 0,
  -- The page by whose URL links were resolved.
  host_id      bigint not null,
  key          bytea not null,
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
  -- SimHash of the text (domain/recrawl/page-sign.ts), for crawls that keep fresh; null: others, or too few words.
  simhash      bigint,
  -- What else the page says of itself (contracts/http/page-meta.ts); null: nothing was extracted yet.
  meta         jsonb,
  -- Values that the rules of the crawl took from the page, by name (contracts/page-rules.ts); null: it has no rules, or
  -- they could not be applied.
  fields       jsonb,
  -- One on each line; links within the page's own origin from their path on.
  outlinks     text not null,
  -- To the crawl's focus, from 0 to 1; null: the crawl has none.
  relevance    real,
  extracted_at timestamptz not null default now(),
  -- Of a re-extraction, as `url.cut`; and the fingerprint of the text that is not in use (storage/alike/prints.sql.ts),
  -- while the crawl looks for near-duplicates and it differs; null: there is none.
  cut          jsonb,
  print        jsonb,
  -- Is the fingerprint of this reading in `text_print`, and that of the body's own here?
  is_printed   boolean not null default false,
  primary key (crawl_id, content_id, job_id)
);

insert into reading (crawl_id, content_id, host_id, key, title, description, language, charset, words, links, canonical,
                     noindex, nofollow, text_hash, simhash, meta, fields, outlinks, relevance, extracted_at)
select c.crawl_id, c.id, p.host_id, p.key, p.title, p.description, p.language, p.charset, p.words, p.links, p.canonical,
       p.noindex, p.nofollow, p.text_hash, p.simhash, p.meta, p.fields, p.outlinks, p.relevance, p.extracted_at
  from page p
  join url u on u.host_id = p.host_id and u.crawl_id = p.crawl_id and u.key = p.key and u.stage = 0
  join content c on c.crawl_id = u.crawl_id and c.id = u.content_id and c.host_id = u.host_id and c.key = u.key;
insert into reading (crawl_id, content_id, job_id, host_id, key, title, description, language, charset, words, links,
                     canonical, noindex, nofollow, text_hash, simhash, meta, fields, outlinks, relevance, extracted_at,
                     cut, print, is_printed)
select r.crawl_id, r.content_id, x.job_id, x.host_id, x.key, x.title, x.description, x.language, x.charset, x.words,
       x.links, x.canonical, x.noindex, x.nofollow, x.text_hash, r.simhash, x.meta, x.fields, x.outlinks, r.relevance,
       r.extracted_at, x.cut, x.print, x.is_printed
  from reextraction_page x
  join reextraction j on j.id = x.job_id
  join reading r on r.crawl_id = j.crawl_id and r.host_id = x.host_id and r.key = x.key and r.extracted_at = x.of;
create index reading_text on reading (crawl_id, text_hash) where text_hash is not null;
create index reading_of_job on reading (job_id, content_id) where job_id > 0;
create index reading_print on reading (job_id, is_printed) where print is not null;

-- The walk of a re-extraction goes through the contents of its crawl by their ids, up to `until`; `place` is the id of the
-- last one. A job that was under way begins anew.
update reextraction j
   set until = coalesce((select max(c.id) from content c where c.crawl_id = j.crawl_id), 0), place = null,
       pages = case when state = 'running' then 0 else pages end,
       tally = case when state = 'running' then '{}' else tally end;
alter table reextraction drop column place, drop column walked;
alter table reextraction add column place bigint;

drop view current_page;
drop table reextraction_page, page;

-- What everybody reads of a body. Whoever writes, writes to `reading`.
create view current_reading as
  select r.*, r.job_id > 0 as is_reextracted
    from reading r
   where r.job_id = coalesce(
           (select v.job_id from reading_in_use v
             where v.crawl_id = r.crawl_id
               and exists (select from reading n where n.crawl_id = r.crawl_id and n.content_id = r.content_id
                                                   and n.job_id = v.job_id)), 0);

-- Fingerprints belong to the body too.
alter table text_print add column content_id bigint;
update text_print t set content_id = r.content_id
  from reading r where r.crawl_id = t.crawl_id and r.host_id = t.host_id and r.key = t.key and r.job_id = 0;
with gone as (delete from text_print where content_id is null returning id)
update text_print t set original = null, likeness = null, distance = null
  from gone g where t.original = g.id and t.content_id is not null;
alter table text_print drop column host_id, drop column key, alter column content_id set not null;
alter table text_print add unique (crawl_id, content_id);

-- Contents that got, lost or may have lost a text that another one has, since it was last judged which page stands for it
-- (storage/pages/judge-copies.ts). Rows are only added and removed, so that writers never wait for one another here.
drop table text_due;
create table text_due (
  id         bigint generated always as identity primary key,
  crawl_id   bigint not null,
  text_hash  bytea not null,
  content_id bigint not null
);

-- Contents that a page which pointed at them has left, to be settled (storage/pages/judge-copies.ts).
create table content_due (
  id         bigint generated always as identity primary key,
  crawl_id   bigint not null,
  content_id bigint not null
);
insert into content_due (crawl_id, content_id)
select c.crawl_id, c.id from content c
 where not exists (select from url u where u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key
                                       and u.content_id = c.id);

-- What goes with a content to which nothing points any more: its readings and its fingerprint. Its body is freed.
create function content_gone() returns trigger language plpgsql as $$
begin
  with read as (
    delete from reading r using gone g where r.crawl_id = g.crawl_id and r.content_id = g.id
    returning r.crawl_id, r.content_id, r.job_id, r.text_hash
  )
  insert into text_due (crawl_id, text_hash, content_id)
  select r.crawl_id, r.text_hash, r.content_id from read r join crawl c on c.id = r.crawl_id and c.removed_at is null
   where r.job_id = 0 and r.text_hash is not null;
  with prints as (
    delete from text_print t using gone g where t.crawl_id = g.crawl_id and t.content_id = g.id
    returning t.crawl_id, t.id
  )
  update text_print t set original = null, likeness = null, distance = null
    from prints p
   where t.crawl_id = p.crawl_id and t.original = p.id and t.id not in (select id from prints);
  insert into freed_body (hash) select distinct hash from gone order by hash
  on conflict (hash) do update set since = now();
  return null;
end $$;
create trigger content_gone after delete on content
  referencing old table as gone for each statement execute function content_gone();

-- Pages with the same body are found by the content at which they point.
drop index page_history_body;
