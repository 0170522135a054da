/** Every metric, by who keeps it (metric.ts has the form of an entry). */
import { outDependencies, type OutDependency } from '../../domain/outage.ts';
import { growing } from '../../domain/quotas.ts';
import { timeCauseNames } from '../../domain/time-lost.ts';
import type { DnsStats } from '../../net/dns-cache.ts';
import { each, instanceGroups, none, seconds, type Metrics } from './metric.ts';
import { ofInstance } from './of-instance.ts';

export interface ProcessNow {
  readonly version: string;
  /** Its pools of connections to Postgres. */
  readonly pools: readonly {
    readonly totalCount: number;
    readonly idleCount: number;
    readonly waitingCount: number;
  }[];
  /** On the disk of the bodies. */
  readonly freeBytes: number;
}
interface WorkerNow extends ProcessNow {
  readonly dns: Pick<DnsStats, 'hits' | 'misses' | 'stale' | 'failures'>;
  /** What breakers of this process hold back. */
  readonly outages: readonly { readonly dependency: OutDependency }[];
}

/** That workers are gone, none of them can tell. */
const withBreaker = outDependencies.filter((name) => name !== 'workers');
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Of every process, beside what prom-client tells of it: `process_…` and `nodejs_…`. */
const ofProcess = {
  build_info: {
    type: 'gauge',
    help: 'Always 1; the label has the version of this process.',
    // The one value is not in a list of the code.
    labels: { version: [] },
    from: ({ version }) => ({ [version]: 1 }),
  },
  postgres_connections: {
    type: 'gauge',
    help: 'Connections of this process to Postgres.',
    labels: { state: ['busy', 'idle'] },
    from: ({ pools }) => ({
      busy: sum(pools.map(({ totalCount, idleCount }) => totalCount - idleCount)),
      idle: sum(pools.map(({ idleCount }) => idleCount)),
    }),
  },
  postgres_waiting: {
    type: 'gauge',
    help: 'Statements and transactions of this process that wait for a connection to Postgres.',
    labels: none,
    from: ({ pools }) => sum(pools.map(({ waitingCount }) => waitingCount)),
  },
  disk_free_bytes: {
    type: 'gauge',
    help: 'Bytes left on the disk of the bodies of this process. Below 64 MB nothing is fetched.',
    labels: none,
    from: ({ freeBytes }) => freeBytes,
  },
  metrics_failures_total: {
    type: 'counter',
    help: 'Scrapes that lack a group of figures, since this process could not read it; the log says why.',
    labels: { group: [...instanceGroups, 'freeBytes', 'temporal'] },
    from: 'counted',
  },
} as const satisfies Metrics<ProcessNow>;

const ofWorker = {
  requests_total: {
    type: 'counter',
    help: 'Requests to hosts, robots.txt included, by class of the status; no_answer: the request failed.',
    labels: { class: ['2xx', '3xx', '4xx', '5xx', 'other', 'no_answer'] },
    from: 'counted',
  },
  overload_answers_total: {
    type: 'counter',
    help: 'Answers by which hosts ask for fewer requests, by status.',
    labels: { status: ['429', '503'] },
    from: 'counted',
  },
  smallest_gap_seconds: {
    type: 'gauge',
    help: 'Least time between an answer and the next request to its host, of hosts with a delay, since this process started.',
    labels: none,
    from: 'counted',
  },
  requests_early_total: {
    type: 'counter',
    help: 'Requests that left before the delay of their host was over. More than 0 is a fault of Orbweaver.',
    labels: none,
    from: 'counted',
  },
  host_time_seconds_total: {
    type: 'counter',
    help: 'Seconds at hosts of crawls with work there, by what they went on; each host and crawl counts by itself.',
    labels: { cause: timeCauseNames },
    from: 'counted',
  },
  robots_refusals_total: {
    type: 'counter',
    help: 'URLs that were not requested because robots.txt disallows them.',
    labels: none,
    from: 'counted',
  },
  bodies_total: {
    type: 'counter',
    help: 'Bodies of pages that were read (page), or not read since another page has the same (copy).',
    labels: { as: ['page', 'copy'] },
    from: 'counted',
  },
  page_links: {
    type: 'histogram',
    help: 'Links that were found on a page, each URL once.',
    buckets: [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000],
    labels: none,
    from: 'counted',
  },
  links_total: {
    type: 'counter',
    help: 'Links that were found on pages: new to their crawl, or known to it or left out by it.',
    labels: { as: ['new', 'known'] },
    from: 'counted',
  },
  render_rounds_total: {
    type: 'counter',
    help: 'Rounds of a browser: the page ran to its end (settled), was out of its budget (cut), or its browser was lost (crashed).',
    labels: { as: ['settled', 'cut', 'crashed'] },
    from: 'counted',
  },
  render_pages_total: {
    type: 'counter',
    help: 'Pages with which browsers are done: their body is what the browser made (rendered), or they are as the server sent them (kept), but for those whose crawl ended.',
    labels: { as: ['rendered', 'kept'] },
    from: 'counted',
  },
  render_words_total: {
    type: 'counter',
    help: 'Words that pages rendered to their end have beyond those that the server sent.',
    labels: none,
    from: 'counted',
  },
  render_files_cut_total: {
    type: 'counter',
    help: 'Files that limits have kept from rendered pages.',
    labels: none,
    from: 'counted',
  },
  commit_rows: {
    type: 'histogram',
    help: 'URLs, results and pages in one commit to the frontier.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000],
    labels: none,
    from: 'counted',
  },
  commit_duration_seconds: {
    type: 'histogram',
    help: 'Seconds that a commit to the frontier took, failed ones included.',
    buckets: seconds,
    labels: none,
    from: 'counted',
  },
  leases_lost_total: {
    type: 'counter',
    help: 'Leases of hosts that ran out, or went to somebody else, while this process visited the host.',
    labels: none,
    from: 'counted',
  },
  visits_given_up_total: {
    type: 'counter',
    help: 'Visits that had not come to their end long after their time, so that their hosts were left to others.',
    labels: none,
    from: 'counted',
  },
  dns_lookups_total: {
    type: 'counter',
    help: 'Lookups of names: answered from memory (hit), after a question (miss), with an expired answer (stale), or not.',
    labels: { answer: ['hit', 'miss', 'stale', 'failure'] },
    from: ({ dns: { hits, misses, stale, failures } }) => ({
      hit: hits,
      miss: misses,
      stale,
      failure: failures,
    }),
  },
  breaker_open: {
    type: 'gauge',
    help: '1: this process starts nothing that needs the dependency, since it is out.',
    labels: { dependency: withBreaker },
    from: ({ outages }) =>
      each(withBreaker, (name) => (outages.some(({ dependency }) => dependency === name) ? 1 : 0)),
  },
} as const satisfies Metrics<WorkerNow>;

const ofApi = {
  quota_used_ratio: {
    type: 'gauge',
    help: 'Share that is used of a quota by which crawls pause, of the tenant that has used most of it; 1: it is spent.',
    labels: { quota: growing },
    from: 'counted',
  },
  opt_out_duration_seconds: {
    type: 'histogram',
    help: 'Seconds from the request to opt a domain out to the answer, after which nothing is sent there.',
    buckets: [...seconds, 20, 30, 60],
    labels: none,
    from: 'counted',
  },
} as const satisfies Metrics<never>;

/** By who keeps them. No name is in two of the lists. */
export const metrics = { ofProcess, ofWorker, ofApi, ofInstance } as const;
