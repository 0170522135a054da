-- URLs that the rounds of a page have brought into the frontier, of the hundred that it may.
alter table rendering add column admitted smallint not null default 0;
