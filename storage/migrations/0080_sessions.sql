-- Sessions of crawls (domain/session/): what their owners have given of a login, and where a site has logged a crawl out.

create table crawl_session (
  crawl_id    bigint not null,
  -- Where it belongs: an origin, a host, or a domain with all below it, which begins with a dot; *: the whole crawl.
  place       text not null,
  -- cookies, headers, proxy; kept: cookies that answers have set.
  kind        text not null,
  -- Names of the cookies or of the header fields, as they are shown. Never a value.
  names       text[] not null,
  -- The values, sealed by the key with this id and bound to crawl, place and kind (storage/sessions/secret-keys.ts).
  sealed      bytea not null,
  key_id      text not null,
  -- When the first of the cookies is over; null: none is before the site says so.
  ends_at     timestamptz,
  created_at  timestamptz not null default now(),
  primary key (crawl_id, place, kind)
);

-- Raised by each change of the session of the crawl; 0: it never had one.
alter table crawl add column session_revision integer not null default 0;

-- Since when the host answers the crawl as if nobody were logged in, so that the crawl has no turn here until it is given
-- another session, and the evidence; null: it does not.
alter table host_queue add column logged_out_at timestamptz;
alter table host_queue add column logged_out text;
-- What the last answers said of the session (domain/session/login-signs.ts): holds, doubted; null: nothing.
alter table host_queue add column session_sign text;
create index host_queue_logged_out on host_queue (crawl_id) where logged_out_at is not null;

-- Seconds for which the crawl was logged out.
alter table host_time add column logged_out real not null default 0;
