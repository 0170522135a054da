-- Who does not want to be crawled, and who complained (F15); see docs/operations.md, "Somebody complains".

-- A domain covers itself and everything below it. Written as in the host of a canonical URL: lower case, punycode,
-- IPv6 in brackets.
create table opt_out (
  domain      text collate "C" primary key,
  -- an operator's words
  reason      text,
  created_at  timestamptz not null default now()
);

-- Raised in the same transaction as every change of the list, so that workers ask for the list only when it is another.
create table opt_out_revision (
  only_row  boolean primary key default true check (only_row),
  revision  bigint not null default 1
);
insert into opt_out_revision default values;

-- Name of a host from its origin, backwards: a domain and all below it are then one range of an index.
create function reversed_host_name(origin text) returns text language sql immutable parallel safe as $$
  select reverse(substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)'))
$$;
create index host_reversed_name on host ((reversed_host_name(origin)) collate "C");

-- What an opt-out has kept from being fetched: to be found again should it be taken back.
create index url_opted_out on url (host_id, crawl_id) where state = 'excluded' and reason = 'opt-out';

create table complaint (
  id          bigint generated always as identity primary key,
  domain      text collate "C" not null,
  text        text not null,
  -- where to reach who complained, if they said so
  contact     text,
  created_at  timestamptz not null default now()
);
create index complaint_domain on complaint (domain, id);

-- Complaints by domain, counted as they come in.
create table complaint_count (
  domain      text collate "C" primary key,
  complaints  bigint not null
);
