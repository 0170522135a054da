-- Values that the rules of the crawl took from the page, by name (contracts/page-rules.ts); null: it has no rules, or they
-- could not be applied. Pages without rules pay nothing for the column.
alter table page add column fields jsonb;
