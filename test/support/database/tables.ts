/** The tables that tests look into or change, with the columns that they name. */
import type { JobKind } from '../../../contracts/jobs.ts';
import type { CrawlConfig, CrawlState } from '../../../contracts/crawl.ts';
import type { HostSettings } from '../../../contracts/hosts.ts';
import type { GroupBooks } from '../../../domain/caps.ts';
import type { UrlState } from '../../../domain/ledger.ts';
import type { TimeCause } from '../../../domain/time-lost.ts';
import { table, type Columns } from './table.ts';

/** A time that may be infinitely long ago. */
type Time = Date | number;
type Id = number;

export interface HostRow {
  readonly id: Id;
  readonly origin: string;
  readonly shard: number;
  readonly settings: HostSettings;
  readonly known_at: Date | null;
  readonly fed: boolean;
  readonly fed_at: Date | null;
  readonly fed_for: Id | null;
  readonly fed_tier: number;
  readonly yield_at: Date | null;
  readonly idle: boolean;
  readonly eased: boolean;
  readonly parked_at: Date | null;
  readonly paused_at: Date | null;
  readonly paused_reason: string | null;
  readonly not_before: Time;
  readonly paced_until: Time;
  readonly asked_at: Date | null;
  readonly base_delay_ms: number | null;
  readonly slowdown: number;
  readonly clean: number;
  readonly since_complaint: number;
  readonly complained_at: Date | null;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly last_error: string | null;
  readonly outages: number;
  readonly blamed_tenant: Id | null;
  readonly others_from: Date | null;
  readonly took_ms: number | null;
  readonly lease_token: number | null;
  readonly lease_until: Date | null;
  readonly suspect_at: Date | null;
  readonly guest_until: Date | null;
  readonly lent: boolean;
  readonly lend_until: Date | null;
  readonly lend_turns: number;
  readonly lend_wanted_until: Date | null;
  readonly lend_began: Date | null;
  readonly ours_until: Date | null;
  readonly requests_day: string | null;
  readonly requests_used: number;
  readonly requests_reserved: number;
  readonly closed_until: Time;
  readonly recent_asked: number;
  readonly recent_failed: number;
  readonly budget: number | null;
  readonly esteem: number;
}

export interface UrlRow {
  readonly host_id: Id;
  readonly crawl_id: Id;
  readonly key: Buffer;
  readonly url: string;
  readonly state: UrlState;
  readonly kind: number;
  readonly stage: number;
  readonly seed: boolean;
  readonly depth: number;
  readonly hops: number;
  readonly chain: string | null;
  readonly priority: number;
  readonly due_at: Date;
  readonly parent_host: Id | null;
  readonly parent_key: Buffer | null;
  readonly lease_token: number | null;
  readonly attempts: number;
  readonly tries: number;
  readonly reclaims: number;
  readonly fetches: number;
  readonly bytes: number;
  readonly fetched_at: Date | null;
  readonly took_ms: number | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly content_hash: Buffer | null;
  readonly answer_hash: Buffer | null;
  readonly content_id: Id | null;
  readonly reported_hash: Buffer | null;
  readonly content_type: string | null;
  readonly etag: string | null;
  readonly redirect_to: string | null;
  readonly alias_host: Id | null;
  readonly alias_key: Buffer | null;
  readonly cut: object | null;
}

interface CrawlRow {
  readonly id: Id;
  readonly tenant_id: Id;
  readonly state: CrawlState;
  readonly cause: string | null;
  readonly reason: string | null;
  readonly config: CrawlConfig;
  readonly config_version: number;
  readonly label: string | null;
  readonly job_id: string;
  readonly user_id: number | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly removed_at: Date | null;
  readonly quarantine_revision: number;
  readonly session_revision: number;
  readonly rests_since: Date | null;
  readonly rested: unknown;
  readonly seeded_line: number;
  readonly seeds_accepted: number;
  readonly seeds_taken: number;
  readonly renders_since: Time | null;
}

/** Seconds by cause. */
interface TimeRow extends Record<TimeCause, number> {
  readonly crawl_id: Id;
  readonly host_id: Id;
  readonly until: Date;
}

/** What a crawl has at a host. */
interface QueueRow {
  readonly work_at: Date;
  readonly host_id: Id;
  readonly crawl_id: Id;
  readonly shard: number;
  readonly known: boolean;
  readonly region: string;
  readonly queued: number;
  readonly leased: number;
  readonly turn_at: Date | null;
  readonly tier: number;
  readonly authority: boolean;
  readonly own_turn_at: Time;
  readonly held_times: number;
  readonly turn_version: number;
  readonly asked_at: Date | null;
  readonly held_until: Time;
  readonly asking: Time | null;
  readonly ask_answered_at: Date | null;
  readonly logged_out_at: Date | null;
  readonly logged_out: string | null;
  readonly session_sign: string | null;
  readonly reached: boolean;
}

interface LetterRow {
  readonly host_id: Id;
  readonly crawl_id: Id;
  readonly key: Buffer;
  readonly class: string;
  readonly status: number | null;
  readonly message: string;
  readonly attempts: number;
  readonly headers: object | null;
  readonly created_at: Date;
}

interface AttemptRow {
  readonly host_id: Id;
  readonly crawl_id: Id;
  readonly key: Buffer;
  readonly at: Date;
  readonly class: string;
  readonly status: number | null;
  readonly message: string;
}

export interface ReadingRow {
  readonly crawl_id: Id;
  readonly content_id: Id;
  readonly job_id: Id;
  readonly host_id: Id;
  readonly key: Buffer;
  readonly title: string | null;
  readonly language: string | null;
  readonly charset: string | null;
  readonly words: number;
  readonly links: number;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  readonly text_hash: Buffer | null;
  readonly outlinks: unknown;
  readonly canonical: string | null;
  readonly meta: object | null;
  readonly extracted_at: Date;
  readonly is_printed: boolean;
}

interface CrawlChangesRow {
  readonly crawl_id: Id;
  readonly is_over: boolean;
  readonly claimed_until: Date;
  readonly at_micros: number;
  readonly at_host: Id;
  readonly at_key: Buffer;
  readonly compared: number;
  readonly changed: number;
  readonly dropped: number;
  readonly lost: number;
  readonly forgotten: number;
}

interface SegmentRow {
  readonly id: Id;
  readonly name: string;
  readonly owner: string;
  readonly state: 'open' | 'closing' | 'sealed';
  readonly length: number | null;
  readonly opened_at: Date;
  readonly released_at: Date | null;
  readonly look_at: Date | null;
  readonly folder: string | null;
  readonly settle_at: Date | null;
}

interface BodyRow {
  readonly hash: Buffer;
  readonly segment: Id;
  readonly at: number;
  readonly length: number;
  readonly tenant_id: Id | null;
}

interface RevisitRow {
  readonly host_id: Id;
  readonly crawl_id: Id;
  readonly key: Buffer;
  readonly segment: Id;
  readonly at: number;
  readonly length: number;
}

interface SeedRow {
  readonly crawl_id: Id;
  readonly line: number;
  readonly url: string;
  readonly rejected: string | null;
}

interface ConfigRow {
  readonly crawl_id: Id;
  readonly version: number;
  readonly config: object;
  readonly state: 'pending' | 'applied' | 'superseded' | 'stopped';
  readonly rereads: boolean;
  readonly judged: number;
  readonly excluded: number;
  readonly created_at: Date;
}

/** The shapes of the JSON are the kind's own. */
interface JobRow {
  readonly kind: JobKind;
  readonly id: Id;
  readonly crawl_id: Id;
  readonly state: string;
  readonly owner: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly place: Readonly<Record<string, unknown>> | null;
  readonly progress: Readonly<Record<string, unknown>>;
}

interface BackupRow {
  readonly id: string;
  readonly bytes: number | null;
  readonly error: string | null;
}

interface RobotsRow {
  readonly host_id: Id;
  readonly status: number;
  readonly body: string | null;
  readonly kept_ms: number | null;
  readonly fetched_at: Date;
}

interface LentBatchRow {
  readonly id: string;
  readonly tenant_id: Id;
  readonly until: Date;
}

interface LentUrlRow {
  readonly batch_id: string;
  readonly crawl_id: Id;
  readonly url: string;
  readonly lent_at: Date;
  readonly settled_at: Date | null;
}

interface TenantRow {
  readonly id: Id;
  readonly name: string;
  readonly default_crawl_id: Id | null;
}

interface SignInRow {
  readonly actor: string;
}

interface ApiKeyRow {
  readonly id: string;
  readonly tenant_id: Id;
  readonly prefix: string;
  readonly revoked_at: Date | null;
}

interface AnswerRow {
  readonly key: string;
  readonly created_at: Date;
  readonly status: number | null;
  readonly body: string | null;
}

interface AuditRow {
  readonly number: number;
  readonly tenant_id: Id;
  readonly at: Date;
  readonly target: string;
  readonly status: number | null;
  readonly detail: string | null;
  readonly hour: Date | null;
}

interface CursorRow {
  readonly webhook_id: string;
  readonly crawl_id: Id;
  readonly settled: number;
  readonly last: number;
}

interface WorkerRow {
  readonly id: string;
  readonly roles: readonly string[];
  readonly started_at: Date;
  readonly seen_at: Date;
}

interface RenderingRow {
  readonly host_id: Id;
  readonly crawl_id: Id;
  readonly key: Buffer;
  readonly answer_hash: Buffer;
  readonly reason: string;
  readonly rounds: number;
  readonly unended: number;
  readonly crashes: number;
  readonly outcome: string | null;
  readonly due_at: Time | null;
  readonly until: Time | null;
  readonly lacks: number;
  readonly words_before: number | null;
  readonly links_before: number | null;
  readonly resources: readonly { readonly url: string; readonly type: string; readonly outcome: string }[];
  readonly refused: Readonly<Record<string, number>>;
  readonly console: readonly string[];
  readonly lacks_login: boolean;
  readonly screenshot_hash: Buffer | null;
  readonly screenshot_bytes: number | null;
  readonly pdf_hash: Buffer | null;
  readonly pdf_bytes: number | null;
}

interface PrintRow {
  readonly id: Id;
  readonly crawl_id: Id;
  readonly content_id: Id;
  readonly words: number;
  readonly simhash: Id;
  readonly numbers: Buffer;
  readonly original: Id | null;
  readonly likeness: number | null;
  readonly distance: number | null;
  readonly bands: readonly string[] | string;
  readonly sketch: Buffer | string;
  readonly crowded: number;
}

interface QuarantineRow {
  readonly id: Id;
  readonly crawl_id: Id;
  readonly host_id: Id;
  readonly shape: string;
  readonly rule: string;
  readonly verdict: string;
  readonly judged_by: string | null;
  readonly let_through: number;
  readonly sampled: number;
  readonly novel: number;
  readonly sample_at: Date | null;
  readonly settled_at: Date | null;
}

export type HostColumns = Columns<HostRow>;
export type UrlColumns = Columns<UrlRow>;
export type CrawlColumns = Columns<CrawlRow>;

interface StandingRow {
  readonly crawl_id: Id;
  readonly pages: number;
  readonly price: number | null;
  readonly planned_at: Date | null;
  readonly planned_pages: number;
  readonly planned_rates: number;
  readonly rates_learnt: number;
  readonly ranked_at: Date | null;
  readonly allowance: number;
  readonly allowed_at: Date;
  readonly queued: number;
}

/** What visits to a page of a standing crawl have shown. */
interface HistoryRow {
  readonly crawl_id: Id;
  readonly host_id: Id;
  readonly key: Buffer;
  readonly class: number;
  readonly importance: number;
  readonly rate: number;
  readonly visits: number;
  readonly unchanged_in_row: number;
  readonly dead_visits: number;
  readonly unchanged_days: number;
  readonly changed_after: readonly number[];
  readonly body_sign: Buffer;
  readonly seen_at: Date;
  readonly changed_at: Date | null;
  readonly next_due: Date | null;
}

export const tables = {
  host: table<HostRow>('host', 'id'),
  migration: table<{ name: string; run_on: Date }>('migration', 'id'),
  backup: table<BackupRow>('backup', 'began_at'),
  searchPage: table<{ crawl_id: Id }>('search_page', 'crawl_id'),
  robots: table<RobotsRow>('robots', 'host_id'),
  url: table<UrlRow>('url', 'crawl_id, url collate "C"'),
  queue: table<QueueRow>('host_queue', 'host_id, crawl_id'),
  time: table<TimeRow>('host_time', 'host_id, crawl_id'),
  reading: table<ReadingRow>('reading', 'crawl_id, host_id, key, job_id'),
  letter: table<LetterRow>('dead_letter', 'created_at, crawl_id, host_id, key'),
  attempt: table<AttemptRow>('attempt', 'at'),
  crawl: table<CrawlRow>('crawl', 'id'),
  event: table<{ crawl_id: Id; number: number; kind: string; data: object }>('event', 'crawl_id, number'),
  config: table<ConfigRow>('crawl_config', 'crawl_id, version'),
  seed: table<SeedRow>('seed', 'crawl_id, line'),
  seedPlace: table<{ crawl_id: Id; place: Buffer; moved_from: string | null; moved_to: string | null }>(
    'seed_place',
    'crawl_id, place',
  ),
  ledger: table<{
    crawl_id: Id;
    shard: number;
    pages: number;
    pending: number;
    done: number;
    dead: number;
    bytes: number;
  }>('ledger', 'crawl_id, shard'),
  counter: table<{ crawl_id: Id; counter: string; pages: number }>('page_counter', 'counter'),
  lentBatch: table<LentBatchRow>('lent_batch', 'created_at'),
  lentUrl: table<LentUrlRow>('lent_url', 'lent_at'),
  optOut: table<{ domain: string }>('opt_out', 'domain'),
  rendering: table<RenderingRow>('rendering', 'host_id, crawl_id, key'),
  pageFetch: table<{ id: string; crawl_id: Id; url: string; since: Date }>('page_fetch', 'asked_at'),
  fetchCrawl: table<{ crawl_id: Id; asked_bytes: number }>('fetch_crawl', 'crawl_id'),
  contentDue: table<{ crawl_id: Id; content_id: Id }>('content_due', 'id'),
  content: table<{
    id: number;
    crawl_id: Id;
    tenant_id: Id;
    hash: Buffer;
    host_id: Id;
    key: Buffer;
    shell: string | null;
  }>('content', 'crawl_id, hash'),
  segment: table<SegmentRow>('segment', 'id'),
  body: table<BodyRow>('body', 'hash'),
  hostBlocks: table<{ crawl_id: Id; host_id: Id; pages: number }>('host_blocks', 'crawl_id, host_id'),
  forgetting: table<{ crawl_id: Id; times: number; begun_at: Time }>('forgetting', 'crawl_id'),
  linkCount: table<{ host_id: Id; crawl_id: Id; key: Buffer; hosts: number; pages: number }>(
    'link_count',
    'host_id, crawl_id, key',
  ),
  job: table<JobRow>('job', 'kind, id'),
  readingInUse: table<{ crawl_id: Id; job_id: Id }>('reading_in_use', 'crawl_id'),
  revisit: table<RevisitRow>('revisit', 'crawl_id, host_id, key'),
  freedBody: table<{ hash: Buffer }>('freed_body', 'since'),
  tenantDay: table<{ tenant_id: Id; day: unknown; urls_before: number }>('tenant_day', 'day'),
  tenant: table<TenantRow>('tenant', 'id'),
  apiKey: table<ApiKeyRow>('api_key', 'created_at, id'),
  session: table<{ crawl_id: Id; place: string }>('crawl_session', 'crawl_id, place, kind'),
  signIn: table<SignInRow>('sign_in', 'expires_at'),
  /** Answers that are kept for clients that send a request twice. */
  answer: table<AnswerRow>('idempotency_key', 'created_at'),
  audit: table<AuditRow>('audit_log', 'number'),
  cursor: table<CursorRow>('webhook_cursor', 'webhook_id, crawl_id'),
  webhook: table<{ id: string; tended_at: Date | null }>('webhook', 'created_at'),
  worker: table<WorkerRow>('worker_process', 'started_at'),
  shard: table<{ id: number; looked_at: Time | null }>('shard', 'id'),
  region: table<{ name: string; named_at: Time; seen_at: Time }>('region', 'name'),
  outage: table<{ worker: string; dependency: string; since: Date; seen_at: Date; over: boolean }>(
    'outage',
    'since',
  ),
  print: table<PrintRow>('text_print', 'id'),
  quarantine: table<QuarantineRow>('quarantine', 'id'),
  madeUpPath: table<{
    host_id: Id;
    crawl_id: Id;
    key: Buffer;
    asked_at: Date;
    judged: boolean;
    sibling: object;
  }>('made_up_path', 'host_id, crawl_id'),
  trapWatch: table<{ host_id: Id; crawl_id: Id; state: object }>('trap_watch', 'host_id, crawl_id'),
  standing: table<StandingRow>('standing_crawl', 'crawl_id'),
  history: table<HistoryRow>('page_history', 'crawl_id, key, host_id'),
  textDue: table<{ crawl_id: Id; host_id: Id; key: Buffer; text_hash: Buffer }>('text_due', 'id'),
  crawlChanges: table<CrawlChangesRow>('crawl_changes', 'crawl_id'),
  pageVersion: table<{ crawl_id: Id; number: number; content_hash: Buffer | null }>(
    'page_version',
    'host_id, key, number',
  ),
  sitemapRecord: table<{ crawl_id: Id; host_id: Id; correct: number; wrong: number }>(
    'sitemap_record',
    'crawl_id, host_id',
  ),
  freshness: table<{ crawl_id: Id; pages: number; fresh: number; left_out: number }>(
    'freshness_sample',
    'crawl_id, at',
  ),
  cap: table<{ name: string; rate: number | null; in_flight: number | null }>('cap', 'name'),
  permitGroup: table<{ name: string; books: GroupBooks }>('permit_group', 'name'),
};
