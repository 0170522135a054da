-- expand: what a page in the index was made of.
-- Of the answer and of what was read of its body (engine/search/indexing.ts). A page can be read otherwise without a new
-- answer, and is put into the index again then. Null: the row is from before, and its time alone is compared.
alter table search_page add column digest bytea;
