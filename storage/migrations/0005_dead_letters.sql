-- Dead letters with their evidence, listed and driven again in bulk; see domain/dead-letter.ts, domain/evidence.ts.

-- Fields of the response, at most 20 and 2 KB, never cookies or credentials; null: there was no response.
alter table attempt add column headers jsonb;
alter table dead_letter add column headers jsonb;

-- A crawl's letters host by host, and those of one class: each a walk along an index, however many there are.
create index dead_letter_place on dead_letter (crawl_id, host_id, key);
create index dead_letter_class on dead_letter (crawl_id, class, host_id, key);
drop index dead_letter_crawl;
