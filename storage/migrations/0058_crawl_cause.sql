-- Why a crawl is paused, ends or has ended, as a code that programs decide by (domain/crawl-life.ts); null: it is seeding,
-- or runs. `reason` says it in words, and decides nothing. What a crawl that drains will be follows from its cause.
alter table crawl add column cause text;
update crawl set cause = case
  when state = 'paused' then case when reason like 'quota:%' then 'quota' else 'asked' end
  when state = 'cancelled' or ends_as = 'cancelled' then 'cancelled'
  when reason = 'not-started' then 'not-started'
  when state = 'failed' then 'nothing-fetched'
  when reason = 'complete' then 'complete'
  when state in ('draining', 'finished') then 'limit:' || split_part(reason, ':', 1)
end;
alter table crawl drop column ends_as;
