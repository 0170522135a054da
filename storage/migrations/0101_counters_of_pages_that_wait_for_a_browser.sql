-- expand: readings know which finish criteria count their page, should no browser render it
-- Counters of `page_counter` to which the page adds 1 once its rendering is given up; null: it is counted, or is no such page.
alter table reading add column due_counters text[];
