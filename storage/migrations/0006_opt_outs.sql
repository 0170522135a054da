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

-- The entry of the opt-out list that covers a host, the narrowest; null: none. As `coveringDomain` in domain/opt-out.ts,
-- which has the last word before a request leaves: here hosts are sorted out of which nothing is to be asked at all.
create function opt_out_covering(origin text) returns text language sql stable as $$
  select o.domain
    from (select substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)') as name) host
   cross join lateral (
     select case when name like '[%' then array[name]
                 else array(select array_to_string(parts[i:], '.')
                              from (select string_to_array(name, '.') as parts) p, generate_subscripts(parts, 1) i) end
            as tails) t
    join opt_out o on o.domain = any (t.tails)
   order by length(o.domain) desc limit 1
$$;

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
