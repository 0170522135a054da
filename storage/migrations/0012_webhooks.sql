-- Webhooks: events of crawls, sent to receivers that a tenant names (F38).
create table webhook (
  id               uuid primary key default gen_random_uuid(),
  tenant_id        bigint not null references tenant (id),
  url              text not null,
  -- null: every kind of event
  kinds            text[],
  -- null: every crawl of the tenant
  crawl_id         bigint,
  -- key of the signatures (HMAC-SHA256); it leaves the database for that alone
  secret           bytea not null,
  created_at       timestamptz not null default now(),
  -- counts its edits
  version          integer not null default 1,
  -- set: nothing is sent, and nothing is lost; events wait behind its cursors
  disabled_at      timestamptz,
  disabled_reason  text,
  -- attempts in a row that failed, whatever the event; and events in a row that were given up
  failures         integer not null default 0,
  given_up         integer not null default 0,
  -- no request before this: Retry-After, and rest for a receiver that fails
  not_before       timestamptz not null default '-infinity',
  delivered_at     timestamptz,
  -- set: a test event is to be sent
  test_id          uuid,
  test_at          timestamptz,
  -- set: its workflow is at work, or was woken then; null: whoever finds something due is to wake it
  tended_at        timestamptz
);
create index webhook_tenant on webhook (tenant_id, created_at, id);

-- Where a webhook stands in a crawl. `settled` moves only when an event was answered with 2xx or is a dead letter.
create table webhook_cursor (
  webhook_id  uuid not null references webhook (id) on delete cascade,
  crawl_id    bigint not null,
  -- number of the last event that is dealt with
  settled     bigint not null,
  -- number of the last event there is
  last        bigint not null,
  -- at the event behind `settled`
  attempts    smallint not null default 0,
  not_before  timestamptz not null default now(),
  primary key (webhook_id, crawl_id)
);
create index webhook_cursor_due on webhook_cursor (webhook_id, not_before) where settled < last;

-- The latest attempts of each webhook; note-webhook-attempt bounds them.
create table webhook_attempt (
  id          bigint generated always as identity primary key,
  webhook_id  uuid not null references webhook (id) on delete cascade,
  message_id  text not null,
  -- null: a test
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

-- In the transaction of the event, so that none is missed. Order of locks: a crawl's row (its events' writers hold it),
-- the webhook, its cursors. The webhook's row is only shared: events of many crawls do not wait for one another.
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
