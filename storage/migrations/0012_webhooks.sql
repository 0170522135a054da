-- Webhooks: events of crawls are sent to receivers that a tenant names (F38).
create table webhook (
  id               uuid primary key default gen_random_uuid(),
  tenant_id        bigint not null references tenant (id),
  url              text not null,
  -- Null: every kind of event.
  kinds            text[],
  -- Null: every crawl of the tenant.
  crawl_id         bigint,
  -- The key of the signatures (HMAC-SHA256). It leaves the database only for signing.
  secret           bytea not null,
  created_at       timestamptz not null default now(),
  -- The number of edits.
  version          integer not null default 1,
  -- Not null: nothing is sent and nothing is lost; events wait behind the webhook's cursors.
  disabled_at      timestamptz,
  disabled_reason  text,
  -- Attempts in a row that failed, for any event; and events in a row that were given up.
  failures         integer not null default 0,
  given_up         integer not null default 0,
  -- No request is sent before this time: Retry-After, or a rest for a receiver that fails.
  not_before       timestamptz not null default '-infinity',
  delivered_at     timestamptz,
  -- Not null: a test event must be sent.
  test_id          uuid,
  test_at          timestamptz,
  -- When a worker last worked on the webhook, or its workflow was woken; null: whoever finds something due must wake
  -- the workflow.
  tended_at        timestamptz
);
create index webhook_tenant on webhook (tenant_id, created_at, id);

-- The place of a webhook in a crawl. `settled` moves only when an event was answered with 2xx or has become a dead
-- letter.
create table webhook_cursor (
  webhook_id  uuid not null references webhook (id) on delete cascade,
  crawl_id    bigint not null,
  -- Number of the last event that is settled.
  settled     bigint not null,
  -- Number of the crawl's last event.
  last        bigint not null,
  -- Attempts for the event behind `settled`.
  attempts    smallint not null default 0,
  not_before  timestamptz not null default now(),
  primary key (webhook_id, crawl_id)
);
create index webhook_cursor_due on webhook_cursor (webhook_id, not_before) where settled < last;

-- The latest attempts of each webhook; the statement note-webhook-attempt keeps their number small.
create table webhook_attempt (
  id          bigint generated always as identity primary key,
  webhook_id  uuid not null references webhook (id) on delete cascade,
  message_id  text not null,
  -- Null: the attempt sent a test.
  crawl_id    bigint,
  number      bigint,
  kind        text not null,
  attempt     smallint not null,
  at          timestamptz not null default now(),
  outcome     text not null check (outcome in ('delivered', 'failed', 'given-up')),
  status      smallint,
  message     text,
  took_ms     integer not null
);
create index webhook_attempt_latest on webhook_attempt (webhook_id, id);

-- Events that were given up for a webhook. The events themselves stay in `event`, and can be replayed.
create table webhook_dead_letter (
  webhook_id  uuid not null references webhook (id) on delete cascade,
  crawl_id    bigint not null,
  number      bigint not null,
  kind        text not null,
  attempts    smallint not null,
  status      smallint,
  message     text not null,
  created_at  timestamptz not null default now(),
  primary key (webhook_id, crawl_id, number)
);
create index webhook_dead_letter_latest on webhook_dead_letter (webhook_id, created_at);

-- Runs in the transaction of the event, so that no event is missed. Order of locks: the row of the crawl (a writer of
-- its events holds it), the webhook, its cursors. The row of the webhook is only shared, so events of many crawls do
-- not wait for one another.
create function tell_webhooks() returns trigger language plpgsql as $$
begin
  insert into webhook_cursor as c (webhook_id, crawl_id, settled, last)
  select w.id, new.crawl_id, new.number - 1, new.number
    from webhook w
    join crawl on crawl.id = new.crawl_id and crawl.tenant_id = w.tenant_id
   where w.crawl_id is null or w.crawl_id = new.crawl_id
   order by w.id
     for key share of w
  on conflict (webhook_id, crawl_id) do update
    set last = excluded.last,
        not_before = case when c.settled = c.last then now() else c.not_before end;
  return null;
end $$;
create trigger event_webhooks after insert on event for each row execute function tell_webhooks();
