-- What the last answer took, from the request's leaving to its end: which URLs and hosts are slow (F38).
alter table url add column took_ms integer;
