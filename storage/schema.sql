create type crawl_state as enum ('seeding', 'running', 'paused', 'draining', 'finished', 'cancelled', 'failed');

create type job_state as enum ('waiting', 'running', 'finished', 'failed', 'cancelled');

create type segment_state as enum ('open', 'closing', 'sealed');

create type url_state as enum ('queued', 'leased', 'done', 'excluded', 'dead', 'failed');

create sequence domain_rank_edition_number as bigint;

create sequence lease_token as bigint;

create table api_key (
  id uuid not null default gen_random_uuid(),
  tenant_id bigint not null,
  name text not null,
  hash bytea not null,
  prefix text not null,
  role text not null,
  scopes text[],
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_key_hash_key UNIQUE (hash),
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_role_check CHECK ((role = ANY (ARRAY['reader'::text, 'operator'::text, 'admin'::text]))),
  constraint api_key_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id)
);

create table attempt (
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  at timestamp with time zone not null default now(),
  class text not null,
  status smallint,
  message text not null,
  headers jsonb
);

create table audit_log (
  number bigint not null generated always as identity,
  tenant_id bigint not null,
  at timestamp with time zone not null default now(),
  actor text not null,
  role text not null,
  method text not null,
  route text not null,
  target text not null,
  request_id text not null,
  status smallint,
  detail text,
  security boolean not null default false,
  hour timestamp with time zone,
  times integer not null default 1,
  last_at timestamp with time zone,
  constraint audit_log_pkey PRIMARY KEY (number)
);

create table backup (
  id text not null,
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone not null default now(),
  bytes bigint,
  added bigint,
  error text,
  constraint backup_pkey PRIMARY KEY (id)
);

create table body (
  hash bytea not null,
  segment integer not null,
  at bigint not null,
  length integer not null,
  tenant_id bigint,
  constraint body_pkey PRIMARY KEY (hash)
);

create table cap (
  name text not null,
  rate double precision,
  in_flight integer,
  changed_at timestamp with time zone not null default now(),
  constraint cap_pkey PRIMARY KEY (name)
);

create table cap_wait (
  host_id bigint not null,
  name text not null,
  until timestamp with time zone not null,
  constraint cap_wait_host_id_fkey FOREIGN KEY (host_id) REFERENCES host(id),
  constraint cap_wait_pkey PRIMARY KEY (host_id)
);

create table complaint (
  id bigint not null generated always as identity,
  domain text collate "C" not null,
  text text not null,
  contact text,
  created_at timestamp with time zone not null default now(),
  constraint complaint_pkey PRIMARY KEY (id)
);

create table complaint_count (
  domain text collate "C" not null,
  complaints bigint not null,
  constraint complaint_count_pkey PRIMARY KEY (domain)
);

create table content (
  crawl_id bigint not null,
  hash bytea not null,
  site bigint not null default 0,
  host_id bigint not null,
  key bytea not null,
  tenant_id bigint not null,
  first_at timestamp with time zone not null default now(),
  id bigint not null generated always as identity,
  shell text,
  constraint content_pkey PRIMARY KEY (crawl_id, hash, site)
);

create table content_due (
  id bigint not null generated always as identity,
  crawl_id bigint not null,
  content_id bigint not null,
  constraint content_due_pkey PRIMARY KEY (id)
);

create table crawl (
  id bigint not null generated always as identity,
  tenant_id bigint not null default 1,
  job_id uuid not null default gen_random_uuid(),
  user_id bigint,
  label text,
  state crawl_state not null default 'seeding'::crawl_state,
  cause text,
  reason text,
  config jsonb not null,
  config_version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  rests_since timestamp with time zone,
  rested interval not null default '00:00:00'::interval,
  resumed_at timestamp with time zone,
  quarantine_revision integer not null default 0,
  seeded_line integer not null default 0,
  seeds_revision integer not null default 0,
  seeds_added_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  seeds_accepted bigint not null default 0,
  seeds_rejected bigint not null default 0,
  seeds_taken bigint not null default 0,
  removed_at timestamp with time zone,
  state_revision integer not null default 0,
  renders_since timestamp with time zone,
  session_revision integer not null default 0,
  constraint crawl_pkey PRIMARY KEY (id),
  constraint crawl_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id)
);

create table crawl_changes (
  crawl_id bigint not null,
  at_micros bigint not null default 0,
  at_host bigint not null default 0,
  at_key bytea not null default '\x'::bytea,
  is_over boolean not null default false,
  claimed_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  compared bigint not null default 0,
  changed bigint not null default 0,
  dropped bigint not null default 0,
  lost bigint not null default 0,
  forgotten bigint not null default 0,
  constraint crawl_changes_pkey PRIMARY KEY (crawl_id)
);

create table crawl_config (
  crawl_id bigint not null,
  version integer not null,
  config jsonb not null,
  created_at timestamp with time zone not null default now(),
  author text,
  note text,
  restores integer,
  state text not null,
  rereads boolean not null,
  judged bigint not null default 0,
  excluded bigint not null default 0,
  readmitted bigint not null default 0,
  reread bigint not null default 0,
  admitted bigint not null default 0,
  ended_at timestamp with time zone,
  place text,
  constraint crawl_config_crawl_id_fkey FOREIGN KEY (crawl_id) REFERENCES crawl(id),
  constraint crawl_config_pkey PRIMARY KEY (crawl_id, version),
  constraint crawl_config_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'applied'::text, 'superseded'::text, 'stopped'::text])))
);

create table crawl_session (
  crawl_id bigint not null,
  place text not null,
  kind text not null,
  names text[] not null,
  sealed bytea not null,
  key_id text not null,
  ends_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint crawl_session_pkey PRIMARY KEY (crawl_id, place, kind)
);

create table dead_letter (
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  class text not null,
  status smallint,
  message text not null,
  headers jsonb,
  attempts smallint not null,
  created_at timestamp with time zone not null default now(),
  constraint dead_letter_pkey PRIMARY KEY (host_id, crawl_id, key)
);

create table domain_rank (
  domain text collate "C" not null,
  place integer not null,
  edition bigint not null,
  constraint domain_rank_pkey PRIMARY KEY (domain)
);

create table event (
  id bigint not null generated always as identity,
  crawl_id bigint not null,
  number bigint not null,
  at timestamp with time zone not null default now(),
  kind text not null,
  data jsonb not null default '{}'::jsonb,
  constraint event_pkey PRIMARY KEY (id)
);

create table fetch_crawl (
  tenant_id bigint not null,
  render text not null,
  crawl_id bigint not null,
  asked_bytes bigint not null default 0,
  constraint fetch_crawl_crawl_id_fkey FOREIGN KEY (crawl_id) REFERENCES crawl(id),
  constraint fetch_crawl_pkey PRIMARY KEY (tenant_id, render),
  constraint fetch_crawl_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id)
);

create table forgetting (
  crawl_id bigint not null,
  times integer not null,
  begun_at timestamp with time zone not null,
  constraint forgetting_pkey PRIMARY KEY (crawl_id)
);

create table forgotten (
  host_id bigint not null,
  crawl_id bigint not null,
  urls bigint not null,
  fetches bigint not null,
  bytes bigint not null,
  constraint forgotten_pkey PRIMARY KEY (host_id, crawl_id)
);

create table freed_body (
  hash bytea not null,
  since timestamp with time zone not null default now(),
  constraint freed_body_pkey PRIMARY KEY (hash)
);

create table freshness_sample (
  crawl_id bigint not null,
  at timestamp with time zone not null,
  pages bigint not null,
  fresh real not null,
  checked real,
  left_out bigint not null,
  queued bigint not null,
  constraint freshness_sample_pkey PRIMARY KEY (crawl_id, at)
);

create table host (
  id bigint not null generated always as identity,
  origin text not null,
  shard smallint not null,
  settings jsonb not null default '{}'::jsonb,
  settings_revision integer not null default 0,
  paused_at timestamp with time zone,
  paused_reason text,
  fed boolean not null default false,
  fed_at timestamp with time zone,
  fed_for bigint,
  fed_tier smallint not null default 1,
  idle boolean not null default false,
  yield_at timestamp with time zone,
  known_at timestamp with time zone,
  parked_at timestamp with time zone,
  not_before timestamp with time zone not null default '-infinity'::timestamp with time zone,
  paced_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  eased boolean not null default false,
  closed_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  asked_at timestamp with time zone,
  took_ms real,
  base_delay_ms real,
  requests_day text,
  requests_used integer not null default 0,
  requests_reserved integer not null default 0,
  lease_token bigint,
  lease_until timestamp with time zone,
  suspect_at timestamp with time zone,
  cut_token bigint,
  guest_until timestamp with time zone,
  lent boolean not null default false,
  lend_until timestamp with time zone,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  last_error text,
  failing text[] not null default '{}'::text[],
  complained text[] not null default '{}'::text[],
  well_at timestamp with time zone,
  slowdown smallint not null default 0,
  since_complaint integer not null default 0,
  complained_at timestamp with time zone,
  clean integer not null default 0,
  outages integer not null default 0,
  outage_at timestamp with time zone,
  recent_asked real not null default 0,
  recent_failed real not null default 0,
  budget integer,
  esteem smallint not null default 0,
  robots_asked_at timestamp with time zone,
  lend_turns smallint not null default 0,
  lend_wanted_until timestamp with time zone,
  lend_began timestamp with time zone,
  ours_until timestamp with time zone,
  blamed_tenant bigint,
  others_from timestamp with time zone,
  trouble text generated always as ("substring"(last_error, '^([a-z-]+)(?:: |$)'::text)) virtual,
  constraint host_origin_key UNIQUE (origin),
  constraint host_pkey PRIMARY KEY (id)
);

create table host_blocks (
  crawl_id bigint not null,
  host_id bigint not null,
  pages integer not null,
  counts jsonb not null,
  repeated jsonb not null,
  constraint host_blocks_pkey PRIMARY KEY (crawl_id, host_id)
);

create table host_quality (
  host_id bigint not null,
  quality real not null,
  pinned real,
  parts jsonb not null,
  urls integer not null,
  later boolean not null default false,
  looked_at timestamp with time zone not null default now(),
  constraint host_quality_host_id_fkey FOREIGN KEY (host_id) REFERENCES host(id),
  constraint host_quality_pkey PRIMARY KEY (host_id)
);

create table host_queue (
  host_id bigint not null,
  crawl_id bigint not null,
  queued bigint not null default 0,
  leased bigint not null default 0,
  total bigint not null default 0,
  work_at timestamp with time zone not null default now(),
  shard smallint not null default 0,
  known boolean not null default false,
  turn_at timestamp with time zone default now(),
  tier smallint not null default 2,
  authority boolean not null default false,
  served_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  served double precision not null default '-Infinity'::double precision,
  worth double precision not null default 1,
  asked_at timestamp with time zone,
  own_turn_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  turn_version integer not null default 0,
  held_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  asking timestamp with time zone,
  ask_answered_at timestamp with time zone,
  has_queued boolean not null generated always as ((queued > 0)) stored,
  held_times smallint not null default 0,
  logged_out_at timestamp with time zone,
  logged_out text,
  session_sign text,
  region text not null default ''::text,
  reached boolean not null default false,
  constraint host_queue_pkey PRIMARY KEY (host_id, crawl_id)
) with (fillfactor=50);

create table host_time (
  crawl_id bigint not null,
  host_id bigint not null,
  until timestamp with time zone not null,
  answering real not null default 0,
  robots_txt real not null default 0,
  delay real not null default 0,
  crawl_delay real not null default 0,
  slowdown real not null default 0,
  retry_after real not null default 0,
  backoff real not null default 0,
  retry real not null default 0,
  parked real not null default 0,
  caps real not null default 0,
  own_delay real not null default 0,
  windows real not null default 0,
  quota real not null default 0,
  paused real not null default 0,
  others real not null default 0,
  place real not null default 0,
  slot real not null default 0,
  pressure real not null default 0,
  reading real not null default 0,
  own_work real not null default 0,
  fault real not null default 0,
  outage real not null default 0,
  unexplained real not null default 0,
  logged_out real not null default 0,
  constraint host_time_pkey PRIMARY KEY (crawl_id, host_id)
) with (fillfactor=50);

create table idempotency_key (
  tenant_id bigint not null,
  caller text not null,
  key text not null,
  request_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  status smallint,
  content_type text,
  location text,
  body text,
  constraint idempotency_key_pkey PRIMARY KEY (tenant_id, caller, key)
);

create table instance (
  id uuid not null default gen_random_uuid(),
  cursor_secret bytea not null default (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
  temporal_namespace text,
  constraint instance_pkey PRIMARY KEY (id)
);

create table job (
  kind text not null,
  id bigint not null,
  crawl_id bigint not null,
  state job_state not null default 'waiting'::job_state,
  error text,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  owner uuid,
  detail jsonb not null default '{}'::jsonb,
  place jsonb,
  progress jsonb not null default '{}'::jsonb,
  constraint job_pkey PRIMARY KEY (kind, id)
);

create table ledger (
  crawl_id bigint not null,
  shard smallint not null,
  discovered bigint not null default 0,
  queued bigint not null default 0,
  leased bigint not null default 0,
  done bigint not null default 0,
  excluded bigint not null default 0,
  dead bigint not null default 0,
  failed bigint not null default 0,
  pages bigint not null default 0,
  pending bigint not null default 0,
  unread_bytes bigint not null default 0,
  fetches bigint not null default 0,
  bytes bigint not null default 0,
  hosts bigint not null default 0,
  waiting_hosts bigint not null default 0,
  working_hosts bigint not null default 0,
  rendering bigint not null default 0,
  looks_bytes bigint not null default 0,
  constraint ledger_pkey PRIMARY KEY (crawl_id, shard)
) with (fillfactor=50);

create table left_out (
  crawl_id bigint not null,
  what text not null,
  name text not null,
  shard smallint not null,
  urls bigint not null,
  amount bigint not null,
  constraint left_out_pkey PRIMARY KEY (crawl_id, what, name, shard),
  constraint left_out_what_check CHECK ((what = ANY (ARRAY['excluded'::text, 'cut'::text, 'unchanged'::text])))
) with (fillfactor=50);

create table lent_batch (
  id uuid not null,
  tenant_id bigint not null,
  fetcher_id text not null,
  created_at timestamp with time zone not null default now(),
  until timestamp with time zone not null,
  constraint lent_batch_pkey PRIMARY KEY (id),
  constraint lent_batch_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id)
);

create table lent_content (
  crawl_id bigint not null,
  hash bytea not null,
  host_id bigint not null,
  key bytea not null,
  constraint lent_content_pkey PRIMARY KEY (crawl_id, hash)
);

create table lent_url (
  batch_id uuid not null,
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  url text not null,
  token bigint not null,
  lent_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  wasted boolean not null default false,
  constraint lent_url_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES lent_batch(id) ON DELETE CASCADE,
  constraint lent_url_pkey PRIMARY KEY (batch_id, host_id)
);

create table link_count (
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  hosts bigint not null,
  pages bigint not null,
  relevance real,
  lastmod timestamp with time zone,
  constraint link_count_pkey PRIMARY KEY (host_id, crawl_id, key)
) with (fillfactor=80);

create table made_up_path (
  host_id bigint not null,
  asked_at timestamp with time zone not null default now(),
  crawl_id bigint not null,
  key bytea not null,
  shapes text[] not null,
  sibling jsonb not null,
  judged boolean not null default false,
  constraint made_up_path_pkey PRIMARY KEY (host_id, crawl_id)
);

create table opt_out (
  domain text collate "C" not null,
  reason text,
  created_at timestamp with time zone not null default now(),
  constraint opt_out_pkey PRIMARY KEY (domain)
);

create table opt_out_revision (
  only_row boolean not null default true,
  revision bigint not null default 1,
  constraint opt_out_revision_only_row_check CHECK (only_row),
  constraint opt_out_revision_pkey PRIMARY KEY (only_row)
);

create table outage (
  worker uuid not null,
  dependency text not null,
  since timestamp with time zone not null,
  seen_at timestamp with time zone not null default now(),
  over boolean not null default false,
  why text,
  constraint outage_pkey PRIMARY KEY (worker, dependency, since)
);

create table page_counter (
  crawl_id bigint not null,
  counter text not null,
  shard smallint not null,
  pages bigint not null,
  constraint page_counter_pkey PRIMARY KEY (crawl_id, counter, shard)
);

create table page_fetch (
  id uuid not null default gen_random_uuid(),
  tenant_id bigint not null,
  crawl_id bigint not null,
  url text not null,
  wanted jsonb not null,
  asked_at timestamp with time zone not null,
  since timestamp with time zone not null,
  digest bytea,
  constraint page_fetch_crawl_id_fkey FOREIGN KEY (crawl_id) REFERENCES crawl(id),
  constraint page_fetch_pkey PRIMARY KEY (id),
  constraint page_fetch_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id)
);

create table page_history (
  crawl_id bigint not null,
  key bytea not null,
  host_id bigint not null,
  class smallint not null,
  importance real not null,
  rate real not null,
  visits integer not null,
  unchanged_in_row integer not null,
  dead_visits smallint not null,
  unchanged_days real not null,
  changed_after real[] not null,
  seen_at timestamp with time zone not null,
  changed_at timestamp with time zone,
  body_sign bytea not null,
  text_sign bytea,
  simhash bigint,
  next_due timestamp with time zone,
  constraint page_history_pkey PRIMARY KEY (crawl_id, key, host_id)
) with (fillfactor=80);

create table page_version (
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  number integer not null,
  fetched_at timestamp with time zone not null,
  gone boolean not null,
  status smallint,
  redirect_to text,
  content_hash bytea,
  content_type text,
  robots_tag text,
  text_hash bytea,
  change jsonb,
  constraint page_version_pkey PRIMARY KEY (host_id, crawl_id, key, number)
) with (fillfactor=90);

create table permit_group (
  name text not null,
  books jsonb not null,
  constraint permit_group_pkey PRIMARY KEY (name)
);

create table permit_holder (
  id uuid not null,
  held_until timestamp with time zone not null,
  constraint permit_holder_pkey PRIMARY KEY (id)
);

create table politeness (
  day date not null,
  smallest_gap double precision,
  too_soon bigint not null default 0,
  constraint politeness_pkey PRIMARY KEY (day)
);

create table quarantine (
  id bigint not null generated always as identity,
  crawl_id bigint not null,
  host_id bigint not null,
  shape text not null,
  rule text not null,
  evidence jsonb not null,
  sign jsonb,
  verdict text not null,
  revision integer not null,
  created_at timestamp with time zone not null default now(),
  judged_by text,
  judged_at timestamp with time zone,
  let_through integer not null default 0,
  sampled integer not null default 0,
  novel integer not null default 0,
  sample_at timestamp with time zone,
  settled_at timestamp with time zone,
  constraint quarantine_crawl_id_host_id_shape_key UNIQUE (crawl_id, host_id, shape),
  constraint quarantine_pkey PRIMARY KEY (id),
  constraint quarantine_verdict_check CHECK ((verdict = ANY (ARRAY['suspected'::text, 'cleared'::text, 'held'::text, 'confirmed'::text, 'released'::text])))
);

create table reading (
  crawl_id bigint not null,
  content_id bigint not null,
  job_id bigint not null default 0,
  host_id bigint not null,
  key bytea not null,
  title text,
  description text,
  language text,
  charset text,
  words integer not null,
  links integer not null,
  canonical text,
  noindex boolean not null,
  nofollow boolean not null,
  text_hash bytea,
  simhash bigint,
  meta jsonb,
  fields jsonb,
  outlinks text not null,
  relevance real,
  extracted_at timestamp with time zone not null default now(),
  cut jsonb,
  print jsonb,
  is_printed boolean not null default false,
  due_counters text[],
  constraint reading_pkey PRIMARY KEY (crawl_id, content_id, job_id)
);

create table reading_in_use (
  crawl_id bigint not null,
  job_id bigint not null,
  constraint reading_in_use_pkey PRIMARY KEY (crawl_id)
);

create table region (
  name text not null,
  named_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint region_pkey PRIMARY KEY (name)
);

create table render_gain (
  tenant_id bigint not null,
  host_id bigint not null,
  shape text not null,
  at bigint not null,
  shells_won integer not null,
  shells_lost integer not null,
  others_won integer not null,
  others_lost integer not null,
  constraint render_gain_pkey PRIMARY KEY (tenant_id, host_id, shape)
);

create table rendering (
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  answer_hash bytea not null,
  reason text not null,
  rounds smallint not null,
  crashes smallint not null,
  outcome text,
  due_at timestamp with time zone,
  looks smallint not null default 0,
  until timestamp with time zone,
  waits jsonb not null default '[]'::jsonb,
  lacks integer not null default 0,
  words_before integer,
  links_before integer,
  resources jsonb not null default '[]'::jsonb,
  refused jsonb not null default '{}'::jsonb,
  console jsonb not null default '[]'::jsonb,
  navigation text,
  page_ms integer not null default 0,
  wall_ms integer not null default 0,
  begun_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  admitted smallint not null default 0,
  lacks_login boolean not null default false,
  screenshot_hash bytea,
  pdf_hash bytea,
  screenshot_bytes integer,
  pdf_bytes integer,
  looks_bytes bigint generated always as ((
CASE
    WHEN (screenshot_hash IS NULL) THEN 0
    ELSE screenshot_bytes
END +
CASE
    WHEN (pdf_hash IS NULL) THEN 0
    ELSE pdf_bytes
END)) stored,
  unended smallint not null default 0,
  constraint rendering_pkey PRIMARY KEY (host_id, crawl_id, key)
);

create table revisit (
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  segment integer not null,
  at bigint not null,
  length integer not null,
  constraint revisit_pkey PRIMARY KEY (host_id, crawl_id, key)
);

create table robots (
  host_id bigint not null,
  status smallint not null,
  body text,
  cut jsonb,
  address text,
  fetched_at timestamp with time zone not null,
  kept_ms integer,
  place text[],
  constraint robots_host_id_fkey FOREIGN KEY (host_id) REFERENCES host(id),
  constraint robots_pkey PRIMARY KEY (host_id)
);

create table search_page (
  crawl_id bigint not null,
  key bytea not null,
  url text not null,
  config text not null,
  language text,
  status smallint,
  content_type text,
  fetched_at timestamp with time zone not null,
  title text,
  shown text not null,
  tier smallint not null,
  words tsvector not null,
  digest bytea,
  constraint search_page_pkey PRIMARY KEY (crawl_id, key)
);

create table seed (
  crawl_id bigint not null,
  line integer not null,
  url text not null,
  rejected text,
  constraint seed_crawl_id_fkey FOREIGN KEY (crawl_id) REFERENCES crawl(id),
  constraint seed_pkey PRIMARY KEY (crawl_id, line)
);

create table seed_place (
  crawl_id bigint not null,
  place bytea not null,
  moved_from text,
  moved_to text,
  constraint seed_place_pkey PRIMARY KEY (crawl_id, place)
);

create table segment (
  id integer not null generated always as identity,
  name text not null,
  folder uuid,
  owner uuid not null,
  state segment_state not null default 'open'::segment_state,
  length bigint,
  opened_at timestamp with time zone not null default now(),
  released_at timestamp with time zone,
  look_at timestamp with time zone,
  settle_at timestamp with time zone,
  constraint segment_name_key UNIQUE (name),
  constraint segment_pkey PRIMARY KEY (id)
);

create table shard (
  id smallint not null,
  rests_until timestamp with time zone,
  looked_at timestamp with time zone,
  constraint shard_id_check CHECK (((id >= 0) AND (id <= 63))),
  constraint shard_pkey PRIMARY KEY (id)
);

create table shard_split (
  seq smallint not null generated always as identity,
  from_shard smallint not null,
  to_shard smallint not null,
  asked_at timestamp with time zone not null default now(),
  moved_after bigint not null default 0,
  moved bigint not null default 0,
  done_at timestamp with time zone,
  constraint shard_split_pkey PRIMARY KEY (seq),
  constraint shard_split_to_shard_check CHECK (((to_shard >= 1) AND (to_shard <= 63))),
  constraint shard_split_to_shard_key UNIQUE (to_shard)
);

create table sign_in (
  hash bytea not null,
  kind text not null,
  key_id text not null,
  sealed bytea not null,
  actor text not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_hash_check CHECK ((length(hash) = 32)),
  constraint sign_in_kind_check CHECK ((kind = ANY (ARRAY['link'::text, 'session'::text]))),
  constraint sign_in_pkey PRIMARY KEY (hash)
);

create table sitemap_hint (
  crawl_id bigint not null,
  key bytea not null,
  host_id bigint not null,
  changefreq text,
  lastmod timestamp with time zone,
  constraint sitemap_hint_pkey PRIMARY KEY (crawl_id, key, host_id)
);

create table sitemap_record (
  crawl_id bigint not null,
  host_id bigint not null,
  correct integer not null,
  wrong integer not null,
  constraint sitemap_record_pkey PRIMARY KEY (crawl_id, host_id)
);

create table sitemap_report (
  crawl_id bigint not null,
  host_id bigint not null,
  key bytea not null,
  format text not null,
  pages integer not null,
  sitemaps integer not null,
  admitted integer not null,
  faults jsonb not null,
  fault_count integer not null,
  read_at timestamp with time zone not null default now(),
  constraint sitemap_report_pkey PRIMARY KEY (crawl_id, host_id, key)
);

create table standing_crawl (
  crawl_id bigint not null,
  noted_micros bigint not null default 0,
  noted_host bigint not null default 0,
  noted_key bytea not null default '\x'::bytea,
  pages bigint not null default 0,
  price double precision,
  left_out_days double precision,
  typical_rate double precision,
  share double precision,
  left_out bigint not null default 0,
  planned_pages bigint not null default 0,
  planned_queued bigint not null default 0,
  planned_at timestamp with time zone,
  pace double precision not null default 1,
  allowance double precision not null default 0,
  allowed_at timestamp with time zone not null default now(),
  queued bigint not null default 0,
  dated_by text,
  dated_key bytea default '\x'::bytea,
  dated_host bigint not null default 0,
  ranked_at timestamp with time zone,
  ranked_pages bigint not null default 0,
  planned_rates bigint not null default 0,
  rates_learnt bigint not null default 0,
  constraint standing_crawl_pkey PRIMARY KEY (crawl_id)
);

create table tenant (
  id bigint not null default ((('100000000000000'::bigint)::double precision + floor((random() * ('900000000000000'::bigint)::double precision))))::bigint,
  name text not null,
  quotas jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  closed_at timestamp with time zone,
  revision integer not null default 0,
  default_crawl_id bigint,
  constraint tenant_default_crawl_id_fkey FOREIGN KEY (default_crawl_id) REFERENCES crawl(id),
  constraint tenant_name_check CHECK ((name !~ '^[0-9]+$'::text)),
  constraint tenant_name_key UNIQUE (name),
  constraint tenant_pkey PRIMARY KEY (id)
);

create table tenant_day (
  tenant_id bigint not null,
  day date not null,
  urls_before bigint not null,
  constraint tenant_day_pkey PRIMARY KEY (tenant_id, day),
  constraint tenant_day_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id)
);

create table text_due (
  id bigint not null generated always as identity,
  crawl_id bigint not null,
  text_hash bytea not null,
  content_id bigint not null,
  constraint text_due_pkey PRIMARY KEY (id)
);

create table text_print (
  id bigint not null generated always as identity,
  crawl_id bigint not null,
  words integer not null,
  simhash bigint not null,
  sketch bytea not null,
  numbers bytea not null,
  bands bigint[] not null,
  original bigint,
  likeness real,
  distance smallint,
  crowded smallint not null default 0,
  content_id bigint not null,
  constraint text_print_crawl_id_content_id_key UNIQUE (crawl_id, content_id),
  constraint text_print_pkey PRIMARY KEY (id)
);

create table trap_watch (
  host_id bigint not null,
  crawl_id bigint not null,
  state json not null,
  constraint trap_watch_pkey PRIMARY KEY (host_id, crawl_id)
) with (fillfactor=50);

create table url (
  host_id bigint not null,
  crawl_id bigint not null,
  key bytea not null,
  url text not null,
  state url_state not null,
  kind smallint not null default 0,
  stage smallint not null default 0,
  seed boolean not null default false,
  depth smallint not null,
  hops smallint not null default 0,
  priority real not null,
  due_at timestamp with time zone not null default now(),
  discovered_at timestamp with time zone not null default now(),
  parent_host bigint,
  parent_key bytea,
  lease_token bigint,
  attempts smallint not null default 0,
  tries smallint not null default 0,
  reclaims smallint not null default 0,
  fetches smallint not null default 0,
  bytes bigint not null default 0,
  fetched_at timestamp with time zone,
  took_ms integer,
  status smallint,
  reason text,
  detail text,
  content_hash bytea,
  content_type text,
  robots_tag text,
  etag text,
  last_modified text,
  redirect_to text,
  truncated text,
  cut jsonb,
  alias_host bigint,
  alias_key bytea,
  reported_hash bytea,
  link_fields text,
  chain text,
  content_id bigint,
  answer_hash bytea,
  constraint url_hash_of_one CHECK (((content_hash IS NULL) OR (reported_hash IS NULL))) NOT VALID,
  constraint url_pkey PRIMARY KEY (host_id, crawl_id, key)
) with (fillfactor=80);

create table webhook (
  id uuid not null default gen_random_uuid(),
  tenant_id bigint not null,
  url text not null,
  kinds text[],
  crawl_id bigint,
  secret bytea not null,
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  disabled_at timestamp with time zone,
  disabled_reason text,
  failures integer not null default 0,
  given_up integer not null default 0,
  not_before timestamp with time zone not null default '-infinity'::timestamp with time zone,
  delivered_at timestamp with time zone,
  test_id uuid,
  test_at timestamp with time zone,
  tended_at timestamp with time zone,
  constraint webhook_pkey PRIMARY KEY (id),
  constraint webhook_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id)
);

create table webhook_attempt (
  id bigint not null generated always as identity,
  webhook_id uuid not null,
  message_id text not null,
  crawl_id bigint,
  number bigint,
  kind text not null,
  attempt smallint not null,
  at timestamp with time zone not null default now(),
  outcome text not null,
  status smallint,
  message text,
  took_ms integer not null,
  constraint webhook_attempt_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'failed'::text, 'given-up'::text]))),
  constraint webhook_attempt_pkey PRIMARY KEY (id),
  constraint webhook_attempt_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);

create table webhook_cursor (
  webhook_id uuid not null,
  crawl_id bigint not null,
  settled bigint not null,
  last bigint not null,
  attempts smallint not null default 0,
  not_before timestamp with time zone not null default now(),
  constraint webhook_cursor_pkey PRIMARY KEY (webhook_id, crawl_id),
  constraint webhook_cursor_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);

create table webhook_dead_letter (
  webhook_id uuid not null,
  crawl_id bigint not null,
  number bigint not null,
  kind text not null,
  attempts smallint not null,
  status smallint,
  message text not null,
  created_at timestamp with time zone not null default now(),
  constraint webhook_dead_letter_pkey PRIMARY KEY (webhook_id, crawl_id, number),
  constraint webhook_dead_letter_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);

create table worker_process (
  id uuid not null,
  roles text[] not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  folder uuid,
  loads jsonb,
  constraint worker_process_pkey PRIMARY KEY (id)
);

create view current_reading as
 SELECT crawl_id,
    content_id,
    job_id,
    host_id,
    key,
    title,
    description,
    language,
    charset,
    words,
    links,
    canonical,
    noindex,
    nofollow,
    text_hash,
    simhash,
    meta,
    fields,
    outlinks,
    relevance,
    extracted_at,
    cut,
    print,
    is_printed,
    job_id > 0 AS is_reextracted
   FROM reading r
  WHERE job_id = COALESCE(( SELECT v.job_id
           FROM reading_in_use v
          WHERE v.crawl_id = r.crawl_id AND (EXISTS ( SELECT
                   FROM reading n
                  WHERE n.crawl_id = r.crawl_id AND n.content_id = r.content_id AND n.job_id = v.job_id))), 0::bigint);

create view last_outage as
 WITH each AS (
         SELECT seen.since,
                CASE
                    WHEN NOT seen.over AND seen.seen_at > (now() - '00:00:15'::interval) THEN now()
                    ELSE seen.seen_at
                END AS until
           FROM ( SELECT outage.since,
                    outage.seen_at,
                    outage.over
                   FROM outage
                  ORDER BY outage.seen_at DESC
                 LIMIT 100) seen
        )
 SELECT min(since) AS since,
    max(until) AS until
   FROM each
  WHERE until >= ((( SELECT max(each_1.until) AS max
           FROM each each_1)) - '00:00:15'::interval);

CREATE INDEX api_key_tenant ON public.api_key USING btree (tenant_id, created_at, id);

CREATE INDEX attempt_url ON public.attempt USING btree (host_id, crawl_id, key, at);

CREATE INDEX audit_log_at ON public.audit_log USING btree (at);

CREATE UNIQUE INDEX audit_log_counted ON public.audit_log USING btree (tenant_id, actor, route, hour) WHERE (hour IS NOT NULL);

CREATE INDEX audit_log_downloads ON public.audit_log USING btree (tenant_id, number) WHERE ((NOT security) AND (method = 'GET'::text));

CREATE INDEX audit_log_security ON public.audit_log USING btree (tenant_id, number) WHERE security;

CREATE INDEX audit_log_tenant ON public.audit_log USING btree (tenant_id, number);

CREATE INDEX audit_log_work ON public.audit_log USING btree (tenant_id, number) WHERE ((NOT security) AND (method <> 'GET'::text));

CREATE INDEX backup_whole ON public.backup USING btree (began_at) WHERE (error IS NULL);

CREATE INDEX body_segment ON public.body USING btree (segment);

CREATE INDEX complaint_domain ON public.complaint USING btree (domain, id);

CREATE UNIQUE INDEX content_id ON public.content USING btree (crawl_id, id);

CREATE INDEX content_known ON public.content USING btree (hash, tenant_id, first_at, crawl_id);

CREATE INDEX crawl_config_pending ON public.crawl_config USING btree (crawl_id) WHERE (state = 'pending'::text);

CREATE INDEX crawl_follows_changes ON public.crawl USING btree (id) WHERE ((config -> 'changes'::text) = 'true'::jsonb);

CREATE UNIQUE INDEX crawl_job ON public.crawl USING btree (job_id);

CREATE INDEX crawl_open ON public.crawl USING btree (id) WHERE (state = ANY (ARRAY['seeding'::crawl_state, 'running'::crawl_state, 'paused'::crawl_state, 'draining'::crawl_state]));

CREATE INDEX crawl_open_of_user ON public.crawl USING btree (tenant_id, user_id) WHERE ((user_id IS NOT NULL) AND (state <> ALL (ARRAY['finished'::crawl_state, 'cancelled'::crawl_state, 'failed'::crawl_state])));

CREATE INDEX crawl_removed ON public.crawl USING btree (id) WHERE (removed_at IS NOT NULL);

CREATE INDEX crawl_tenant ON public.crawl USING btree (tenant_id, id);

CREATE INDEX dead_letter_class ON public.dead_letter USING btree (crawl_id, class, host_id, key);

CREATE INDEX dead_letter_place ON public.dead_letter USING btree (crawl_id, host_id, key);

CREATE INDEX domain_rank_edition ON public.domain_rank USING btree (edition);

CREATE UNIQUE INDEX event_crawl ON public.event USING btree (crawl_id, number);

CREATE INDEX event_kind ON public.event USING btree (crawl_id, kind, number);

CREATE INDEX fetch_crawl_crawl ON public.fetch_crawl USING btree (crawl_id);

CREATE INDEX forgotten_crawl ON public.forgotten USING btree (crawl_id);

CREATE INDEX host_blamed ON public.host USING btree (shard) WHERE (blamed_tenant IS NOT NULL);

CREATE INDEX host_closed ON public.host USING btree (id) WHERE (closed_until > '-infinity'::timestamp with time zone);

CREATE INDEX host_cut ON public.host USING btree (id) WHERE (cut_token IS NOT NULL);

CREATE INDEX host_failing ON public.host USING btree (id) WHERE ((failures > 0) AND (parked_at IS NULL));

CREATE INDEX host_fed ON public.host USING btree (shard) WHERE fed;

CREATE INDEX host_parked ON public.host USING btree (id) WHERE (parked_at IS NOT NULL);

CREATE INDEX host_paused ON public.host USING btree (id) WHERE (paused_at IS NOT NULL);

CREATE INDEX host_quality_poor ON public.host_quality USING btree (COALESCE(pinned, quality), host_id) WHERE ((COALESCE(pinned, quality) < (0.9)::double precision) OR later);

CREATE INDEX host_queue_asking ON public.host_queue USING btree (crawl_id) WHERE (asking IS NOT NULL);

CREATE INDEX host_queue_crawl_host ON public.host_queue USING btree (crawl_id, host_id);

CREATE INDEX host_queue_door ON public.host_queue USING btree (crawl_id, region, tier, authority, turn_at) WHERE ((NOT known) AND has_queued AND (turn_at IS NOT NULL));

CREATE INDEX host_queue_logged_out ON public.host_queue USING btree (crawl_id) WHERE (logged_out_at IS NOT NULL);

CREATE INDEX host_queue_turn ON public.host_queue USING btree (crawl_id, shard, tier, authority, turn_at) WHERE (known AND has_queued AND (turn_at IS NOT NULL));

CREATE INDEX host_queue_waiting ON public.host_queue USING btree (host_id) WHERE has_queued;

CREATE INDEX host_reversed_name ON public.host USING btree (reversed_host_name(origin) COLLATE "C");

CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at);

CREATE INDEX job_of_crawl ON public.job USING btree (crawl_id, kind, id);

CREATE INDEX job_open ON public.job USING btree (kind, id) WHERE (state = ANY (ARRAY['waiting'::job_state, 'running'::job_state]));

CREATE INDEX lent_batch_until ON public.lent_batch USING btree (until);

CREATE INDEX lent_url_page ON public.lent_url USING btree (host_id, crawl_id, key);

CREATE UNIQUE INDEX lent_url_token ON public.lent_url USING btree (token);

CREATE INDEX made_up_path_open ON public.made_up_path USING btree (host_id) WHERE (NOT judged);

CREATE INDEX outage_seen ON public.outage USING btree (seen_at);

CREATE INDEX page_fetch_crawl ON public.page_fetch USING btree (crawl_id);

CREATE UNIQUE INDEX page_fetch_digest ON public.page_fetch USING btree (crawl_id, digest);

CREATE INDEX page_history_due ON public.page_history USING btree (crawl_id, class, next_due) WHERE (next_due IS NOT NULL);

CREATE INDEX page_version_body ON public.page_version USING btree (content_hash) WHERE (content_hash IS NOT NULL);

CREATE INDEX quarantine_changes ON public.quarantine USING btree (crawl_id, revision);

CREATE INDEX quarantine_releases ON public.quarantine USING btree (id) WHERE ((verdict = 'released'::text) AND (settled_at IS NULL));

CREATE INDEX quarantine_samples ON public.quarantine USING btree (sample_at) WHERE (verdict = 'held'::text);

CREATE INDEX reading_of_job ON public.reading USING btree (job_id, content_id) WHERE (job_id > 0);

CREATE INDEX reading_print ON public.reading USING btree (job_id, is_printed) WHERE (print IS NOT NULL);

CREATE INDEX reading_text ON public.reading USING btree (crawl_id, text_hash) WHERE (text_hash IS NOT NULL);

CREATE INDEX rendering_due ON public.rendering USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX rendering_lacks_login ON public.rendering USING btree (crawl_id) WHERE lacks_login;

CREATE INDEX rendering_pdf ON public.rendering USING btree (pdf_hash) WHERE (pdf_hash IS NOT NULL);

CREATE INDEX rendering_screenshot ON public.rendering USING btree (screenshot_hash) WHERE (screenshot_hash IS NOT NULL);

CREATE INDEX revisit_segment ON public.revisit USING btree (segment);

CREATE INDEX robots_cut ON public.robots USING btree (host_id) WHERE (cut IS NOT NULL);

CREATE INDEX search_page_words ON public.search_page USING gin (words) WITH (gin_pending_list_limit='512');

CREATE INDEX seed_place_moved ON public.seed_place USING btree (crawl_id) WHERE (moved_from IS NOT NULL);

CREATE INDEX seed_rejected ON public.seed USING btree (crawl_id, line) WHERE (rejected IS NOT NULL);

CREATE INDEX segment_look ON public.segment USING btree (look_at) WHERE (look_at IS NOT NULL);

CREATE INDEX segment_open ON public.segment USING btree (id) WHERE (state <> 'sealed'::segment_state);

CREATE INDEX segment_settle ON public.segment USING btree (settle_at) WHERE (settle_at IS NOT NULL);

CREATE UNIQUE INDEX shard_splitting ON public.shard_split USING btree (from_shard) WHERE (done_at IS NULL);

CREATE INDEX sign_in_actor ON public.sign_in USING btree (actor, expires_at);

CREATE INDEX sign_in_expires ON public.sign_in USING btree (expires_at);

CREATE INDEX text_print_alike ON public.text_print USING btree (crawl_id, original, id) WHERE (original <> id);

CREATE INDEX text_print_bands ON public.text_print USING gin (bands) WITH (fastupdate=off) WHERE (original = id);

CREATE INDEX text_print_unjudged ON public.text_print USING btree (crawl_id, id) WHERE (original IS NULL);

CREATE INDEX trap_watch_crawl ON public.trap_watch USING btree (crawl_id);

CREATE INDEX url_answer ON public.url USING btree (answer_hash) WHERE (answer_hash IS NOT NULL);

CREATE INDEX url_copies ON public.url USING btree (crawl_id, content_id, alias_host, alias_key) WHERE (((alias_host IS NOT NULL) OR (stage > 2)) AND (content_id IS NOT NULL));

CREATE INDEX url_dead ON public.url USING btree (crawl_id, fetched_at) WHERE (state = 'dead'::url_state);

CREATE INDEX url_leased ON public.url USING btree (host_id) WHERE (state = 'leased'::url_state);

CREATE INDEX url_lost_links ON public.url USING btree (crawl_id, host_id, key) WHERE (cut ?| ARRAY['links'::text, 'sitemapEntries'::text, 'sitemapBytes'::text, 'brokenSitemaps'::text, 'sitemaps'::text]);

CREATE INDEX url_needed ON public.url USING btree (crawl_id, host_id, priority DESC, key) WHERE ((kind = 3) AND (state = ANY (ARRAY['queued'::url_state, 'leased'::url_state])));

CREATE INDEX url_opted_out ON public.url USING btree (host_id, crawl_id) WHERE ((state = 'excluded'::url_state) AND (reason = 'opt-out'::text));

CREATE INDEX url_pages ON public.url USING btree (crawl_id, fetched_at, host_id, key) WHERE (fetched_at IS NOT NULL);

CREATE INDEX url_quarantined ON public.url USING btree (host_id, crawl_id, detail, key) WHERE ((state = 'excluded'::url_state) AND (reason = ANY (ARRAY['trap'::text, 'soft-404'::text])));

CREATE INDEX url_queue ON public.url USING btree (host_id, crawl_id, priority DESC, key) WHERE (state = 'queued'::url_state);

CREATE INDEX url_seeds ON public.url USING btree (host_id, crawl_id) WHERE seed;

CREATE INDEX url_sitemap ON public.url USING btree (crawl_id, host_id, key) WHERE (kind = 1);

CREATE INDEX url_stage ON public.url USING btree (host_id, stage) WHERE (stage > 0);

CREATE INDEX url_unread ON public.url USING btree (stage, crawl_id, host_id) WHERE (stage > 0);

CREATE INDEX webhook_attempt_latest ON public.webhook_attempt USING btree (webhook_id, id);

CREATE INDEX webhook_cursor_due ON public.webhook_cursor USING btree (webhook_id, not_before) WHERE (settled < last);

CREATE INDEX webhook_dead_letter_latest ON public.webhook_dead_letter USING btree (webhook_id, created_at);

CREATE INDEX webhook_tenant ON public.webhook USING btree (tenant_id, created_at, id);

CREATE OR REPLACE FUNCTION public.content_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with read as (
    delete from reading r using gone g where r.crawl_id = g.crawl_id and r.content_id = g.id
    returning r.crawl_id, r.content_id, r.job_id, r.text_hash
  )
  insert into text_due (crawl_id, text_hash, content_id)
  select r.crawl_id, r.text_hash, r.content_id from read r join crawl c on c.id = r.crawl_id and c.removed_at is null
   where r.job_id = 0 and r.text_hash is not null;
  with prints as (
    delete from text_print t using gone g where t.crawl_id = g.crawl_id and t.content_id = g.id
    returning t.crawl_id, t.id
  )
  update text_print t set original = null, likeness = null, distance = null
    from prints p
   where t.crawl_id = p.crawl_id and t.original = p.id and t.id not in (select id from prints);
  insert into freed_body (hash) select distinct hash from gone order by hash
  on conflict (hash) do update set since = now();
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.crawl_rested()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.state in ('paused', 'finished', 'cancelled', 'failed') then
    new.rests_since := coalesce(old.rests_since, now());
  elsif old.rests_since is not null then
    -- What it waited before it first began is no part of its time anyway.
    if old.started_at is not null then new.rested := old.rested + (now() - old.rests_since); end if;
    new.rests_since := null;
    new.resumed_at := now();
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.crawl_state_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.state_revision := old.state_revision + 1;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.due_tier(host bigint, crawl bigint)
 RETURNS smallint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((select front_tier(priority)
                     from (select priority, due_at from url
                            where host_id = host and crawl_id = crawl and state = 'queued'
                            order by priority desc, key limit 20) first
                    order by due_at <= now() desc, priority desc limit 1), 2::smallint)
$function$
;

CREATE OR REPLACE FUNCTION public.front_tier(priority real)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when priority >= 0.3::real then 0 when priority >= 0.12::real then 1 else 2 end::smallint
$function$
;

CREATE OR REPLACE FUNCTION public.goes_along(split smallint, origin text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select get_byte(decode(md5(split || ' ' || origin), 'hex'), 0) < 128
$function$
;

CREATE OR REPLACE FUNCTION public.hold_config(held_crawl bigint, judged_by integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  current_version integer;
begin
  select config_version into current_version from crawl where id = held_crawl for key share;
  if current_version <> judged_by then
    raise exception 'crawl % is at version % of its settings, not %', held_crawl, current_version, judged_by
      using errcode = 'OW001';
  end if;
  return current_version;
end $function$
;

CREATE OR REPLACE FUNCTION public.host_queue_begun()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  esteem smallint;
begin
  select h.shard, h.known_at is not null, h.esteem into new.shard, new.known, esteem from host h where h.id = new.host_id;
  new.authority := case esteem when 1 then true when -1 then false else new.authority end;
  new.shard := coalesce(new.shard, 0);
  new.known := coalesce(new.known, false);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.host_settings_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.cut_token := new.lease_token;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.host_turned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  at constant timestamptz := greatest(new.not_before, new.closed_until);
begin
  if new.fed or new.parked_at is not null then
    update host_queue q set turn_at = null
      from (select crawl_id from host_queue where host_id = new.id and has_queued and turn_at is not null
             order by crawl_id for update) held
     where q.host_id = new.id and q.crawl_id = held.crawl_id;
  else
    update host_queue q
       set turn_at = at, known = new.known_at is not null, shard = new.shard, tier = due_tier(q.host_id, q.crawl_id)
      from (select crawl_id from host_queue
             where host_id = new.id
               and (turn_at is null or has_queued and (turn_at > at or known <> (new.known_at is not null)))
             order by crawl_id for update) held
     where q.host_id = new.id and q.crawl_id = held.crawl_id;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.left_out_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into left_out as l (crawl_id, what, name, shard, urls, amount)
  select crawl_id, 'excluded', coalesce(reason, 'unknown'), pg_backend_pid() % 32, count(*), 0
    from new_rows where state = 'excluded'
   group by crawl_id, coalesce(reason, 'unknown') order by 1, 3
  on conflict (crawl_id, what, name, shard) do update set urls = l.urls + excluded.urls;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.left_out_after_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from new_rows) then
    return null;
  end if;
  with change as materialized (
    select 1 as n, crawl_id, kind, state, reason, cut from new_rows
     where state = 'excluded' or cut is not null or reason = 'not-modified'
    union all
    select -1, crawl_id, kind, state, reason, cut from old_rows
     where state = 'excluded' or cut is not null or reason = 'not-modified'
  ), delta as (
    select crawl_id, 'excluded' as what, coalesce(reason, 'unknown') as name, sum(n) as urls, 0 as amount
      from change where state = 'excluded' group by crawl_id, coalesce(reason, 'unknown')
    union all
    select crawl_id, 'cut', each.key, sum(n), sum(n * each.value::bigint)
      from change cross join jsonb_each_text(cut) each where cut is not null group by crawl_id, each.key
    union all
    select crawl_id, 'unchanged', reason, sum(n), 0
      from change where kind = 0 and state = 'done' and reason = 'not-modified' group by crawl_id, reason
  )
  insert into left_out as l (crawl_id, what, name, shard, urls, amount)
  select crawl_id, what, name, pg_backend_pid() % 32, urls, amount
    from delta where urls <> 0 or amount <> 0 order by crawl_id, what, name
  on conflict (crawl_id, what, name, shard) do update
    set urls = l.urls + excluded.urls, amount = l.amount + excluded.amount;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.number_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select greatest(coalesce(max(number), 0) + 1, new.number) into new.number from event where crawl_id = new.crawl_id;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.opt_out_covering(origin text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select o.domain
    from (select substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)') as name) host
   cross join lateral (
     select case when name like '[%' then array[name]
                 else array(select array_to_string(parts[i:], '.')
                              from (select string_to_array(name, '.') as parts) p, generate_subscripts(parts, 1) i) end
            as tails) t
    join opt_out o on o.domain = any (t.tails)
   order by length(o.domain) desc limit 1
$function$
;

CREATE OR REPLACE FUNCTION public.placed_shard(origin text, base smallint)
 RETURNS smallint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  at smallint := base;
  split record;
begin
  for split in select seq, from_shard, to_shard from shard_split order by seq loop
    if split.from_shard = at and goes_along(split.seq, origin) then at := split.to_shard; end if;
  end loop;
  return at;
end $function$
;

CREATE OR REPLACE FUNCTION public.rank_of(origin text)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  name constant text := substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)');
  parts constant text[] := string_to_array(name, '.');
begin
  if not exists (select from domain_rank) then return null; end if;
  return (select r.place from domain_rank r
           where r.domain = any (array(select array_to_string(parts[i:], '.') from generate_subscripts(parts, 1) i))
           order by length(r.domain) desc limit 1);
end $function$
;

CREATE OR REPLACE FUNCTION public.rendering_looks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'DELETE' then
    insert into ledger as l (crawl_id, shard, looks_bytes)
    select crawl_id, pg_backend_pid() % 32, sum(looks_bytes)
      from new_rows where looks_bytes > 0 group by crawl_id order by crawl_id
    on conflict (crawl_id, shard) do update set looks_bytes = l.looks_bytes + excluded.looks_bytes;
  end if;
  if tg_op <> 'INSERT' then
    insert into ledger as l (crawl_id, shard, looks_bytes)
    select crawl_id, pg_backend_pid() % 32, -sum(looks_bytes)
      from old_rows where looks_bytes > 0 group by crawl_id order by crawl_id
    on conflict (crawl_id, shard) do update set looks_bytes = l.looks_bytes + excluded.looks_bytes;
    insert into freed_body (hash)
    select hash from (select screenshot_hash from old_rows union select pdf_hash from old_rows) o (hash)
     where hash is not null order by hash
    on conflict (hash) do update set since = now();
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.reversed_host_name(origin text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select reverse(substring(origin from '^[a-z]+://(\[[^]]*\]|[^:/]*)'))
$function$
;

CREATE OR REPLACE FUNCTION public.seed_counts_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update crawl c set seeds_accepted = c.seeds_accepted + s.accepted, seeds_rejected = c.seeds_rejected + s.rejected
    from (select crawl_id, count(*) filter (where rejected is null) as accepted, count(rejected) as rejected
            from new_rows group by crawl_id) s
   where s.crawl_id = c.id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.tell_webhooks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.url_counts_after_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with queue as (
    insert into host_queue as q (host_id, crawl_id, queued, leased, total, tier, authority)
    select host_id, crawl_id, count(*) filter (where state = 'queued'), count(*) filter (where state = 'leased'), count(*),
           front_tier(max(priority) filter (where state = 'queued')), bool_or(seed)
      from new_rows group by host_id, crawl_id order by host_id, crawl_id
    on conflict (host_id, crawl_id) do update
      set queued = q.queued + excluded.queued, leased = q.leased + excluded.leased, total = q.total + excluded.total,
          tier = case when q.queued > 0 or excluded.queued = 0 then least(q.tier, excluded.tier) else excluded.tier end,
          authority = q.authority or excluded.authority,
          work_at = case when q.queued = 0 and q.leased = 0 then now() else q.work_at end,
          served_at = case when excluded.leased > 0 then now() else q.served_at end
    returning with (old as before, new as after) q.crawl_id, (before.host_id is null)::int as is_new,
              after.has_queued::int - coalesce(before.has_queued, false)::int as waiting,
              (after.leased > 0)::int - (coalesce(before.leased, 0) > 0)::int as working
  )
  insert into ledger as l (crawl_id, shard, discovered, queued, leased, done, excluded, dead, failed, hosts, waiting_hosts,
                           working_hosts)
  select crawl_id, pg_backend_pid() % 32, count(*),
         count(*) filter (where state = 'queued'), count(*) filter (where state = 'leased'),
         count(*) filter (where state = 'done'), count(*) filter (where state = 'excluded'),
         count(*) filter (where state = 'dead'), count(*) filter (where state = 'failed'),
         (select sum(is_new) from queue where queue.crawl_id = new_rows.crawl_id),
         (select sum(waiting) from queue where queue.crawl_id = new_rows.crawl_id),
         (select sum(working) from queue where queue.crawl_id = new_rows.crawl_id)
    from new_rows group by crawl_id order by crawl_id
  on conflict (crawl_id, shard) do update
    set discovered = l.discovered + excluded.discovered, queued = l.queued + excluded.queued,
        leased = l.leased + excluded.leased,
        done = l.done + excluded.done, excluded = l.excluded + excluded.excluded, dead = l.dead + excluded.dead,
        failed = l.failed + excluded.failed, hosts = l.hosts + excluded.hosts,
        waiting_hosts = l.waiting_hosts + excluded.waiting_hosts,
        working_hosts = l.working_hosts + excluded.working_hosts;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.url_counts_after_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from new_rows) then
    return null;
  end if;
  with change as (
    select host_id, crawl_id, 1 as n, state, case when state = 'queued' then priority end as priority from new_rows
    union all
    select host_id, crawl_id, -1, state, null from old_rows
  ), delta as (
    select host_id, crawl_id,
           coalesce(sum(n) filter (where state = 'queued'), 0) as queued,
           coalesce(sum(n) filter (where state = 'leased'), 0) as leased,
           front_tier(max(priority)) as tier
      from change group by host_id, crawl_id order by host_id, crawl_id
  ), locked as materialized (
    select q.host_id, q.crawl_id, d.queued, d.leased, d.tier
      from delta d join host_queue q using (host_id, crawl_id)
     where d.queued <> 0 or d.leased <> 0
     order by q.host_id, q.crawl_id for update of q
  ), queue as (
    update host_queue q
       set queued = q.queued + d.queued, leased = q.leased + d.leased,
           tier = case when d.queued <= 0 then q.tier when q.queued > 0 then least(q.tier, d.tier) else d.tier end,
           work_at = case when q.queued = 0 and q.leased = 0 then now() else q.work_at end,
           served_at = case when d.leased > 0 then now() else q.served_at end
      from locked d where q.host_id = d.host_id and q.crawl_id = d.crawl_id
    returning with (old as before, new as after) q.crawl_id,
              after.has_queued::int - before.has_queued::int as waiting,
              (after.leased > 0)::int - (before.leased > 0)::int as working
  )
  insert into ledger as l (crawl_id, shard, queued, leased, done, excluded, dead, failed, pages, pending,
                           rendering, unread_bytes, fetches, bytes, waiting_hosts, working_hosts)
  select crawl_id, pg_backend_pid() % 32,
         coalesce(sum(n) filter (where state = 'queued'), 0), coalesce(sum(n) filter (where state = 'leased'), 0),
         coalesce(sum(n) filter (where state = 'done'), 0), coalesce(sum(n) filter (where state = 'excluded'), 0),
         coalesce(sum(n) filter (where state = 'dead'), 0), coalesce(sum(n) filter (where state = 'failed'), 0),
         coalesce(sum(n) filter (where state = 'done' and status between 200 and 299 and kind = 0), 0),
         coalesce(sum(n) filter (where stage > 0), 0), coalesce(sum(n) filter (where stage > 2), 0),
         coalesce(sum(n * bytes) filter (where stage in (1, 2)), 0),
         sum(n * fetches), sum(n * bytes),
         coalesce((select sum(waiting) from queue where queue.crawl_id = moved.crawl_id), 0),
         coalesce((select sum(working) from queue where queue.crawl_id = moved.crawl_id), 0)
    from (select crawl_id, 1 as n, state, status, kind, stage, fetches, bytes from new_rows
          union all
          select crawl_id, -1, state, status, kind, stage, fetches, bytes from old_rows) moved
   group by crawl_id order by crawl_id
  on conflict (crawl_id, shard) do update
    set queued = l.queued + excluded.queued, leased = l.leased + excluded.leased, done = l.done + excluded.done,
        excluded = l.excluded + excluded.excluded, dead = l.dead + excluded.dead, failed = l.failed + excluded.failed,
        pages = l.pages + excluded.pages, pending = l.pending + excluded.pending,
        rendering = l.rendering + excluded.rendering,
        unread_bytes = l.unread_bytes + excluded.unread_bytes,
        fetches = l.fetches + excluded.fetches, bytes = l.bytes + excluded.bytes,
        waiting_hosts = l.waiting_hosts + excluded.waiting_hosts,
        working_hosts = l.working_hosts + excluded.working_hosts;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.url_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from attempt t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from dead_letter t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from lent_url t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from revisit t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from link_count t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from sitemap_hint t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from rendering t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  delete from sitemap_report t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key;
  -- The index of a removed crawl goes as a whole, in whatever store it is (storage/search/dropping.ts).
  delete from search_page t using gone g join crawl c on c.id = g.crawl_id and c.removed_at is null
   where t.crawl_id = g.crawl_id and t.key = g.key;
  with histories as (
    delete from page_history t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key
    returning t.crawl_id
  )
  update standing_crawl s set pages = s.pages - h.pages
    from (select crawl_id, count(*) as pages from histories group by crawl_id) h where s.crawl_id = h.crawl_id;
  with versions as (
    delete from page_version t using gone g where t.host_id = g.host_id and t.crawl_id = g.crawl_id and t.key = g.key
    returning t.content_hash
  )
  insert into freed_body (hash)
  select content_hash from gone where content_hash is not null
  union
  select answer_hash from gone where answer_hash is not null
  union
  select content_hash from versions where content_hash is not null
   order by content_hash
  on conflict (hash) do update set since = now();
  return null;
end $function$
;

CREATE TRIGGER content_gone AFTER DELETE ON public.content REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION content_gone();

CREATE TRIGGER crawl_rested BEFORE UPDATE OF state ON public.crawl FOR EACH ROW WHEN ((old.state IS DISTINCT FROM new.state)) EXECUTE FUNCTION crawl_rested();

CREATE TRIGGER crawl_state_changed BEFORE UPDATE OF state ON public.crawl FOR EACH ROW WHEN ((old.state IS DISTINCT FROM new.state)) EXECUTE FUNCTION crawl_state_changed();

CREATE TRIGGER event_numbered BEFORE INSERT ON public.event FOR EACH ROW EXECUTE FUNCTION number_event();

CREATE TRIGGER event_webhooks AFTER INSERT ON public.event FOR EACH ROW EXECUTE FUNCTION tell_webhooks();

CREATE TRIGGER host_queue_begun BEFORE INSERT ON public.host_queue FOR EACH ROW EXECUTE FUNCTION host_queue_begun();

CREATE TRIGGER host_settings_changed BEFORE UPDATE OF settings_revision ON public.host FOR EACH ROW WHEN ((old.settings_revision <> new.settings_revision)) EXECUTE FUNCTION host_settings_changed();

CREATE TRIGGER host_turned AFTER UPDATE ON public.host FOR EACH ROW WHEN (((old.fed <> new.fed) OR ((old.parked_at IS NULL) <> (new.parked_at IS NULL)) OR ((NOT new.fed) AND (new.parked_at IS NULL) AND (((old.known_at IS NULL) <> (new.known_at IS NULL)) OR (GREATEST(new.not_before, new.closed_until) < GREATEST(old.not_before, old.closed_until)))))) EXECUTE FUNCTION host_turned();

CREATE TRIGGER rendering_looks_came AFTER INSERT ON public.rendering REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION rendering_looks();

CREATE TRIGGER rendering_looks_changed AFTER UPDATE ON public.rendering REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION rendering_looks();

CREATE TRIGGER rendering_looks_gone AFTER DELETE ON public.rendering REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION rendering_looks();

CREATE TRIGGER seed_inserted AFTER INSERT ON public.seed REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION seed_counts_after_insert();

CREATE TRIGGER url_gone AFTER DELETE ON public.url REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION url_gone();

CREATE TRIGGER url_inserted AFTER INSERT ON public.url REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION url_counts_after_insert();

CREATE TRIGGER url_inserted_left_out AFTER INSERT ON public.url REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION left_out_after_insert();

CREATE TRIGGER url_updated AFTER UPDATE ON public.url REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION url_counts_after_update();

CREATE TRIGGER url_updated_left_out AFTER UPDATE ON public.url REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION left_out_after_update();
