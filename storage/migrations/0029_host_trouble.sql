-- Hosts in trouble and hosts that are closed, found among millions (GET /v1/hosts?state=). Only what is rare is in an
-- index: its columns change for few hosts, so that leases of all others stay updates within their page (HOT).
-- not_before is in none: every slice moves it. Hosts that are active have host_fed, parked ones host_parked.
create index host_failing on host (id) where failures > 0 and parked_at is null;
create index host_closed on host (id) where closed_until > '-infinity';
