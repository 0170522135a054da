-- A public ranking of domains, imported by an operator. A domain stands for itself and everything below it that has no
-- entry of its own.
create table domain_rank (
  domain   text collate "C" primary key,
  -- From 1, the best.
  place    integer not null,
  -- The import that brought the row. Rows of earlier imports are removed at the end of the next one.
  edition  bigint not null
);
create index domain_rank_edition on domain_rank (edition);
-- The place of the host with this origin, or of the nearest domain above it; null: neither is ranked.
create function rank_of(origin text) returns integer language plpgsql stable as $$
declare
  name constant text := substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)');
  parts constant text[] := string_to_array(name, '.');
begin
  if not exists (select from domain_rank) then return null; end if;
  return (select r.place from domain_rank r
           where r.domain = any (array(select array_to_string(parts[i:], '.') from generate_subscripts(parts, 1) i))
           order by length(r.domain) desc limit 1);
end $$;

create sequence domain_rank_edition_number;
