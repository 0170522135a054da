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
create sequence domain_rank_edition_number;
