-- A chain of redirects that has lost its cookies with their process asks again only what may open by them. Cookies
-- themselves are a visitor's, and are not stored.
alter table url add column sets_cookies boolean not null default false;
comment on column url.sets_cookies is 'the last answer was a redirect that set cookies';
