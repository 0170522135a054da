-- Stored pages: which page stands for a body, what extraction found, and what finish criteria count.

-- The page that stands for a body within a crawl; the other pages with that body are its aliases (F20). A site that a
-- crawl was given as a seed is read in its own right, even if another site has the same bodies: its relative links lead
-- elsewhere. `site` is the host of such a site, or 0 for all pages of other sites together.
create table content (
  crawl_id  bigint not null,
  hash      bytea not null,
  site      bigint not null default 0,
  host_id   bigint not null,
  key       bytea not null,
  -- Whose crawl it is, and when the crawl first had the body.
  tenant_id bigint not null,
  first_at  timestamptz not null default now(),
  primary key (crawl_id, hash, site)
);
-- Which crawl of a tenant had a body first.
create index content_known on content (hash, tenant_id, first_at, crawl_id);

-- What extraction found. Texts are not kept: when somebody asks for one, it is read from the body again.
create table page (
  host_id      bigint not null,
  crawl_id     bigint not null,
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
  -- One on each line; links within the page's own origin from their path on.
  outlinks     text not null,
  -- To the crawl's focus, from 0 to 1; null: the crawl has none.
  relevance    real,
  extracted_at timestamptz not null default now(),
  -- Values that the rules of the crawl took from the page, by name (contracts/page-rules.ts); null: it has no rules, or
  -- they could not be applied. Pages without rules pay nothing for the column.
  fields       jsonb,
  primary key (host_id, crawl_id, key)
);
create index page_text on page (crawl_id, text_hash) where text_hash is not null;

-- Pages that got, lost or may have lost a text that another page has, since it was last judged which page stands for it
-- (storage/pages/judge-copies.ts). Rows are only added and removed, so that writers never wait for one another here.
create table text_due (
  id         bigint generated always as identity primary key,
  crawl_id   bigint not null,
  text_hash  bytea not null,
  -- The page.
  host_id    bigint not null,
  key        bytea not null
);

-- Pages that finish criteria count (domain/finish-criteria.ts), each once, in the transaction that stores the page. A
-- shard belongs to a database session, so that writers do not wait for one another.
create table page_counter (
  crawl_id  bigint not null,
  counter   text not null,
  shard     smallint not null,
  pages     bigint not null,
  primary key (crawl_id, counter, shard)
);
