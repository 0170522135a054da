-- Trouble of a host that only URLs of one tenant have shown is for this tenant alone (domain/blame.ts).
-- blamed_tenant: that tenant, while the host is in trouble; null: the trouble is for all, or there is none.
-- others_from: before this time nobody else may ask the host either.
-- The entries of `failing` and `complained` name the tenant behind an `@`; those without one are nobody's.
alter table host add column blamed_tenant bigint, add column others_from timestamptz;
create index host_blamed on host (shard) where blamed_tenant is not null;
