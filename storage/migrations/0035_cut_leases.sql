-- `cut_token` names the lease whose visit is to end soon: somebody has paused the host, has it tried again, or has changed
-- its settings. Each process that fetches looks once a second for the leases that are cut. They are few, and the look must
-- not cost more with each host that is visited.

-- A lease that was returned kept its mark until now.
update host set cut_token = null where cut_token is not null and cut_token is distinct from lease_token;
create index host_cut on host (id) where cut_token is not null;

create function host_settings_changed() returns trigger language plpgsql as $$
begin
  new.cut_token := new.lease_token;
  return new;
end $$;
create trigger host_settings_changed before update of settings_revision on host
  for each row when (old.settings_revision <> new.settings_revision) execute function host_settings_changed();
