-- What rendering has gained at a host, for pages of one shape of URL, or for all of the host (`/**`): counts of a Beta
-- distribution in thousandths of pages, as of `at`, seconds since 1970 (domain/rendering/learned.ts). By tenant: what one
-- has its pages rendered for tells nothing to another.
create table render_gain (
  tenant_id   bigint not null,
  host_id     bigint not null,
  shape       text not null,
  at          bigint not null,
  shells_won  integer not null,
  shells_lost integer not null,
  others_won  integer not null,
  others_lost integer not null,
  primary key (tenant_id, host_id, shape)
);
