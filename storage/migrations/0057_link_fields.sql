-- The fields Link and Refresh of the answer that a page was read from, each on its line, 8,192 characters at most; null:
-- the answer had neither.
alter table url add column link_fields text;
