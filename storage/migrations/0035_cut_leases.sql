-- The visits that are to end are looked up once a second in each process that fetches. They are few, and the look must
-- not cost more with each host that is visited.

-- A lease that was returned kept its mark until now.
update host set cut_token = null where cut_token is not null and cut_token is distinct from lease_token;
create index host_cut on host (id) where cut_token is not null;
