-- The class of the last trouble, by which programs decide (domain/trouble.ts). It cannot differ from last_error, which
-- begins with it; null: no trouble, or a text without a class. Virtual: no row is written.
alter table host add column trouble text generated always as (substring(last_error from '^([a-z-]+)(?:: |$)')) virtual;
