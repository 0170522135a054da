-- expand: rounds of the browser that have not ended.
-- One after another that were begun and whose end nobody noted, since their process ended within them: a page that does
-- that to its processes is rendered no more.
alter table rendering add column unended smallint not null default 0;
