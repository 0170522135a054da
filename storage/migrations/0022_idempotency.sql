-- Answers to requests with an Idempotency-Key, for a day: the same request again gets the same answer and does nothing.
create table idempotency_key (
  tenant_id     bigint not null,
  -- who sent it: a key's id or a token's subject
  caller        text not null,
  key           text not null,
  -- SHA-256 of method, path and body: the same key with another request is refused
  request_hash  bytea not null,
  created_at    timestamptz not null default now(),
  -- null while the first request is under way, or if it was cut off
  status        smallint,
  content_type  text,
  location      text,
  -- null: the answer held a secret, which is shown once, or was too long to keep
  body          text,
  primary key (tenant_id, caller, key)
);
create index idempotency_key_age on idempotency_key (created_at);
