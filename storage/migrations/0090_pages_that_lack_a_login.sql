-- A page was rendered without a file whose host had logged the crawl out. Once the crawl is let in again, it is rendered anew.
alter table rendering add column lacks_login boolean not null default false;
create index rendering_lacks_login on rendering (crawl_id) where lacks_login;
