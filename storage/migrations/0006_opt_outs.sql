-- Domains that must not be crawled, and complaints (F15); see docs/operations.md, "Somebody complains".

-- A domain covers itself and everything below it. It is spelt as in the host of a canonical URL: lower case, punycode,
-- IPv6 in brackets.
create table opt_out (
  domain      text collate "C" primary key,
  -- The reason in an operator's words.
  reason      text,
  created_at  timestamptz not null default now()
);

-- Every change of the list raises the revision in the same transaction, so that workers read the list only after a
-- change.
create table opt_out_revision (
  only_row  boolean primary key default true check (only_row),
  revision  bigint not null default 1
);
insert into opt_out_revision default values;

-- The entry of the opt-out list that covers a host, the narrowest; null: no entry does. It follows the rule of
-- `coveringDomain` in domain/opt-out.ts, which decides before a request leaves; here it finds hosts of which nothing
-- may be asked at all.
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
  -- Where to reach the person who complained, if they said so.
  contact     text,
  created_at  timestamptz not null default now()
);
create index complaint_domain on complaint (domain, id);

-- The number of complaints of each domain, counted as they come in.
create table complaint_count (
  domain      text collate "C" primary key,
  complaints  bigint not null
);
