/** The boards, as values. A graph is what it is called, its unit, and what it asks. */
import { graph, type Board } from './board.ts';
import { perSecond, quantile, rate, share, total } from './queries.ts';

const requests = perSecond('orbweaver_requests_total');

const overview: Board = {
  name: 'overview',
  title: 'Orbweaver',
  text: 'Is it alive, polite and complete? The first row says so; what is red has a section in docs/operations.md, “By alert”.',
  graphs: [
    graph(
      'Requests too soon',
      'short',
      { requests: 'sum(increase(orbweaver_requests_early_total[1d]))' },
      { redFrom: 1, help: 'Requests of the last day that left before the delay of their host was over.' },
    ),
    graph(
      'URLs that counters miss',
      'short',
      { URLs: 'max(max_over_time(orbweaver_ledger_imbalance_urls[1h]))' },
      { redFrom: 1 },
    ),
    graph(
      'Processes that do not answer',
      'short',
      { processes: 'count(up{job=~"orbweaver.*"} == 0) or vector(0)' },
      { redFrom: 1 },
    ),
    graph('Requests', 'reqps', { '{{class}}': perSecond('orbweaver_requests_total', 'class') }),
    graph('Pages read', 'ops', { '{{as}}': perSecond('orbweaver_bodies_total', 'as') }),
    graph('Crawls', 'short', { '{{state}}': total('orbweaver_crawls', 'state') }),
    graph('Workers by role', 'short', { '{{role}}': total('orbweaver_workers', 'role') }),
    graph('Oldest due URL, by shard', 's', {
      'shard {{shard}}': total('orbweaver_oldest_turn_seconds', 'shard'),
    }),
    graph('Frontier, by shard', 'short', {
      'queued in {{shard}}': total('orbweaver_shard_queued_urls', 'shard'),
      'leased in {{shard}}': total('orbweaver_shard_leased_urls', 'shard'),
    }),
    graph('What is out', 's', { '{{dependency}}': total('orbweaver_outage_seconds', 'dependency') }),
    graph('Breakers that are open', 'short', {
      '{{dependency}}': 'sum by (dependency) (orbweaver_breaker_open)',
    }),
    graph('Room on disks', 'bytes', { '{{process}}': 'min by (process) (orbweaver_disk_free_bytes)' }),
    graph('Event-loop lag', 's', {
      'p99 of {{process}}': 'max by (process) (nodejs_eventloop_lag_p99_seconds)',
    }),
    graph('Memory', 'bytes', {
      'heap of {{process}}': 'max by (process) (nodejs_heap_size_used_bytes)',
      'all of {{process}}': 'max by (process) (process_resident_memory_bytes)',
    }),
    graph('Quotas by which crawls pause', 'percentunit', {
      '{{quota}}': total('orbweaver_quota_used_ratio', 'quota'),
    }),
  ],
};

const crawl: Board = {
  name: 'crawl',
  title: 'Orbweaver: crawls',
  text: 'What the crawls that run do together: no series has the number of a crawl, since crawls come without end. While one runs alone, this is it. For one among many, `orbweaver status ID`, `report ID` and `explain ID` (`GET /v1/crawls/ID/outlook`, `…/report`, `…/time`) have the same figures.',
  graphs: [
    graph('URLs', 'short', { '{{state}}': total('orbweaver_urls', 'state') }),
    graph(
      'Where the time of hosts goes',
      's',
      { '{{cause}}': perSecond('orbweaver_host_time_seconds_total', 'cause') },
      {
        help: 'Seconds a second, over all hosts with work. What they mean: docs/frontier.md, “Where the time goes”.',
      },
    ),
    graph('Links', 'ops', { '{{as}}': perSecond('orbweaver_links_total', 'as') }),
    graph('Links of a page', 'short', {
      p50: quantile(0.5, 'orbweaver_page_links'),
      p99: quantile(0.99, 'orbweaver_page_links'),
    }),
    graph('Dead letters', 'short', {
      '{{class}}': `${total('orbweaver_dead_letters', 'class')} > 0 or vector(0)`,
    }),
    graph('Hosts', 'short', { '{{state}}': total('orbweaver_hosts', 'state') }),
    graph('How full stages are', 'percentunit', {
      '{{stage}}': `${total('orbweaver_stage_used', 'stage')} / ${total('orbweaver_stage_capacity', 'stage')}`,
    }),
    graph('What waits to be read', 'short', { bodies: total('orbweaver_bodies_pending') }),
    graph('What lags behind', 's', {
      'oldest body': total('orbweaver_oldest_body_seconds'),
      recrawl: total('orbweaver_recrawl_lag_seconds'),
      changes: total('orbweaver_changes_lag_seconds'),
      webhooks: total('orbweaver_webhook_lag_seconds'),
    }),
  ],
};

const politeness: Board = {
  name: 'politeness',
  title: 'Orbweaver: politeness',
  text: 'What hosts see of us, and what they say of it.',
  graphs: [
    graph(
      'Requests too soon',
      'short',
      { requests: 'sum(increase(orbweaver_requests_early_total[1d]))' },
      { redFrom: 1 },
    ),
    graph(
      'Smallest gap',
      's',
      { '{{process}}': 'min by (process) (orbweaver_smallest_gap_seconds < Inf)' },
      { help: 'Between two requests to one host that has a delay, since the process started.' },
    ),
    graph('Share of 429 and 503', 'percentunit', {
      share: share(perSecond('orbweaver_overload_answers_total'), requests),
    }),
    graph('Answers', 'reqps', {
      '{{class}}': perSecond('orbweaver_requests_total', 'class'),
      '{{status}}': perSecond('orbweaver_overload_answers_total', 'status'),
    }),
    graph('Share that robots.txt disallows', 'percentunit', {
      share: share(
        perSecond('orbweaver_robots_refusals_total'),
        `${perSecond('orbweaver_robots_refusals_total')} + ${requests}`,
      ),
    }),
    graph('Complaints and opt-outs', 'short', {
      complaints: total('orbweaver_complaints_total'),
      'domains opted out': total('orbweaver_opt_outs'),
    }),
    graph('How long an opt-out takes', 's', {
      'p99 of a day': quantile(0.99, 'orbweaver_opt_out_duration_seconds').replace('$__rate_interval', '1d'),
    }),
    graph('Leases lost', 'ops', {
      leases: perSecond('orbweaver_leases_lost_total'),
      'visits given up': perSecond('orbweaver_visits_given_up_total'),
    }),
    graph('Look-ups of names', 'ops', { '{{answer}}': perSecond('orbweaver_dns_lookups_total', 'answer') }),
  ],
};

const content: Board = {
  name: 'content',
  title: 'Orbweaver: content and rendering',
  text: 'What is made of the bodies.',
  graphs: [
    graph('Share of bodies that are copies', 'percentunit', {
      share: share(perSecond('orbweaver_bodies_total{as="copy"}'), perSecond('orbweaver_bodies_total')),
    }),
    graph('Share of links that are known', 'percentunit', {
      share: share(perSecond('orbweaver_links_total{as="known"}'), perSecond('orbweaver_links_total')),
    }),
    graph('Oldest body that waits', 's', { age: total('orbweaver_oldest_body_seconds') }),
    graph('Rounds of browsers', 'ops', { '{{as}}': perSecond('orbweaver_render_rounds_total', 'as') }),
    graph('Pages that browsers are done with', 'ops', {
      '{{as}}': perSecond('orbweaver_render_pages_total', 'as'),
    }),
    graph('Pages that wait for browsers', 'short', { pages: total('orbweaver_pages_rendering') }),
    graph('What rendering gains and loses', 'ops', {
      words: perSecond('orbweaver_render_words_total'),
      'files cut': perSecond('orbweaver_render_files_cut_total'),
    }),
    graph('Archive', 'bytes', { 'closed segments': total('orbweaver_segment_bytes') }),
    graph('Bytes of bodies', 'bytes', { 'over the wire': total('orbweaver_bytes_total') }),
  ],
};

const temporal: Board = {
  name: 'temporal',
  title: 'Orbweaver: Temporal',
  text: 'What the workers measure of Temporal. Workflows themselves are in Temporal Web.',
  graphs: [
    graph(
      'Workflow tasks that failed',
      'short',
      { tasks: 'sum(temporal_workflow_task_execution_failed_total) or vector(0)' },
      { redFrom: 1 },
    ),
    graph('Workflow tasks', 's', {
      'p99 of {{workflow_type}}': quantile(
        0.99,
        'temporal_workflow_task_execution_latency_seconds',
        'workflow_type',
      ),
    }),
    graph(
      'Workflow tasks, until they start',
      's',
      {
        p99: quantile(0.99, 'temporal_workflow_task_schedule_to_start_latency_seconds'),
      },
      { help: 'Grows: Temporal, or too few control workers, keep tasks waiting.' },
    ),
    graph('Activities', 's', {
      'p99 of {{activity_type}}': quantile(
        0.99,
        'temporal_activity_execution_latency_seconds',
        'activity_type',
      ),
    }),
    graph('Activities, until they start', 's', {
      'p99 in {{task_queue}}': quantile(
        0.99,
        'temporal_activity_schedule_to_start_latency_seconds',
        'task_queue',
      ),
    }),
    graph('Slots in use', 'short', {
      '{{worker_type}}': 'sum by (worker_type) (temporal_worker_task_slots_used)',
    }),
    graph('Requests to Temporal', 'reqps', {
      '{{operation}}': perSecond('temporal_request_total', 'operation'),
    }),
    graph('Requests to Temporal that failed', 'reqps', {
      failed: `${perSecond('temporal_request_failure_total')} or vector(0)`,
    }),
    graph('Workflows kept in memory', 'short', { workflows: 'sum(temporal_sticky_cache_size)' }),
  ],
};

const postgres: Board = {
  name: 'postgres',
  title: 'Orbweaver: Postgres',
  text: 'What Postgres counts of the database, and what processes wait for.',
  graphs: [
    graph('A commit to the frontier', 's', {
      p50: quantile(0.5, 'orbweaver_commit_duration_seconds'),
      p99: quantile(0.99, 'orbweaver_commit_duration_seconds'),
    }),
    graph('Rows of a commit', 'short', {
      mean: `sum(${rate('orbweaver_commit_rows_sum')}) / sum(${rate('orbweaver_commit_rows_count')})`,
      p99: quantile(0.99, 'orbweaver_commit_rows'),
    }),
    graph('Rows committed', 'ops', { rows: perSecond('orbweaver_commit_rows_sum') }),
    graph('Connections of processes', 'short', {
      '{{state}} in {{process}}': 'max by (process, state) (orbweaver_postgres_connections)',
    }),
    graph('Who waits for a connection', 'short', {
      '{{process}}': 'max by (process) (orbweaver_postgres_waiting)',
    }),
    graph('Connections of the server', 'short', { '{{as}}': total('orbweaver_database_connections', 'as') }),
    graph('Transactions', 'ops', {
      '{{end}}': `max by (end) (${rate('orbweaver_database_transactions_total')})`,
    }),
    graph('Share of blocks from the disk', 'percentunit', {
      share: share(
        `max(${rate('orbweaver_database_blocks_total{from="disk"}')})`,
        `max(sum by (instance) (${rate('orbweaver_database_blocks_total')}))`,
      ),
    }),
    graph('Deadlocks', 'ops', { deadlocks: `max(${rate('orbweaver_database_deadlocks_total')})` }),
    graph('Size', 'bytes', { database: total('orbweaver_database_bytes') }),
  ],
};

export const boards = [overview, crawl, politeness, content, temporal, postgres] as const;
