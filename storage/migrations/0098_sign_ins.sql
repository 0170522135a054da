-- expand: who is signed in to the console, and links that sign in once.

create table sign_in (
  -- SHA-256 of what the browser has: the table alone lets nobody in.
  hash bytea primary key check (length(hash) = 32),
  -- link: taken once, for a session; session: a browser that is signed in.
  kind text not null check (kind in ('link', 'session')),
  -- The key or token that was given, sealed by the key `key_id` of the instance: each request is judged by it, so that
  -- whatever ends the key ends the session.
  key_id text not null,
  sealed bytea not null,
  -- The caller, as in the audit log.
  actor text not null,
  expires_at timestamptz not null
);
create index sign_in_actor on sign_in (actor, expires_at);
create index sign_in_expires on sign_in (expires_at);
