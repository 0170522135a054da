-- Standing crawls, whose pages are fetched again as they become due (domain/recrawl/). Crawls that do not keep fresh
-- have no row in any of these tables.

-- One row for each crawl that keeps fresh. Whoever works on its pages holds the row: one run at a time.
create table standing_crawl (
  crawl_id       bigint primary key,
  -- All answers up to this place of the pages feed (url_pages) are in page_history. Microseconds since 1970.
  noted_micros   bigint not null default 0,
  noted_host     bigint not null default 0,
  noted_key      bytea not null default '',
  -- Pages in page_history.
  pages          bigint not null default 0,
  -- The plan: what a visit must be worth, days between visits to pages that are not worth it, changes a day to expect
  -- of a page of which nothing is known; what was expected of it. Null: there is no plan yet.
  price          double precision,
  left_out_days  double precision,
  typical_rate   double precision,
  share          double precision,
  left_out       bigint not null default 0,
  -- Pages that there were when the plan was made, how many had been queued by then, and when that was.
  planned_pages  bigint not null default 0,
  planned_queued bigint not null default 0,
  planned_at     timestamptz,
  -- For how many times the budget plans are made, so that the budget is spent (paceAfter).
  pace           double precision not null default 1,
  -- Requests that may be queued now, and since when more have come.
  allowance      double precision not null default 0,
  allowed_at     timestamptz not null default now(),
  -- Pages queued again, ever.
  queued         bigint not null default 0,
  -- The settings by which known pages were last dated (`datedBy`), and the page up to which they were; null: all were.
  dated_by       text,
  dated_key      bytea default '',
  dated_host     bigint not null default 0,
  -- When the copies of the crawl were last ranked by all that is known, as at the end of a crawl, and how many pages it
  -- had then. Null: they never were.
  ranked_at      timestamptz,
  ranked_pages   bigint not null default 0,
  -- A plan made before the rates of pages are known rests on a guess: it is made anew as rates become known. Pages whose
  -- rates were known when the plan was made, and how many have been visited often enough since.
  planned_rates  bigint not null default 0,
  rates_learnt   bigint not null default 0
);

-- What the visits to a page have shown. It is led by crawl and key: keys are hashes, so the first rows of a crawl are a
-- fair sample of its pages.
create table page_history (
  crawl_id          bigint not null,
  key               bytea not null,
  host_id           bigint not null,
  -- Place in the list of classes (domain/recrawl/page-class.ts): those before go first.
  class             smallint not null,
  importance        real not null,
  -- Estimated changes a day.
  rate              real not null,
  visits            integer not null,
  unchanged_in_row  integer not null,
  dead_visits       smallint not null,
  -- Days: the sum of the intervals without a change, and the last intervals that ended with one, sixteen at most.
  unchanged_days    real not null,
  changed_after     real[] not null,
  seen_at           timestamptz not null,
  changed_at        timestamptz,
  -- The first bytes of the hashes of body and text at the last visit.
  body_sign         bytea not null,
  text_sign         bytea,
  -- SimHash of the text that last counted as new; null: there is none.
  simhash           bigint,
  -- Null: the page is queued, or is not visited again.
  next_due          timestamptz,
  primary key (crawl_id, key, host_id)
) with (fillfactor = 80);
create index page_history_due on page_history (crawl_id, class, next_due) where next_due is not null;
-- Pages with the same body: one of them takes over when the page that was read for all has changed.
create index page_history_body on page_history (crawl_id, body_sign);

-- What sitemaps say of pages of standing crawls.
create table sitemap_hint (
  crawl_id    bigint not null,
  key         bytea not null,
  host_id     bigint not null,
  changefreq  text,
  lastmod     timestamptz,
  primary key (crawl_id, key, host_id)
);

-- How often the dates in the sitemaps of a host were right that a page had changed, and how often wrong.
create table sitemap_record (
  crawl_id  bigint not null,
  host_id   bigint not null,
  correct   integer not null,
  wrong     integer not null,
  primary key (crawl_id, host_id)
);

-- How fresh a standing crawl was, hour by hour; the last ninety days are kept.
create table freshness_sample (
  crawl_id  bigint not null,
  at        timestamptz not null,
  pages     bigint not null,
  -- Shares by importance: expected to be fresh, and visited within the time that the goal names (null: it names none).
  fresh     real not null,
  checked   real,
  left_out  bigint not null,
  -- Pages queued again, ever.
  queued    bigint not null,
  primary key (crawl_id, at)
);
