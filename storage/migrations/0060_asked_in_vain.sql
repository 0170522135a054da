-- A crawl whose seeds come by the thousand asks a parked host once, not once a batch: when it last had an answer of it.
alter table host_queue add column ask_answered_at timestamptz;
