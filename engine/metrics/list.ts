/**
 * Every metric, in one form: its name after `orbweaver_`, its type, a sentence for people, the values of its label, and
 * where its figures come from. `counted`: a room of this process counts where the thing happens (counters.ts). A
 * function: the figures are read at a scrape; it gives one number, or one for each value of the label.
 *
 * Names and units are those that Prometheus asks for: base units, `_total` for counters. Values of labels come from
 * lists in the code: no host, URL or tenant makes a series.
 */
import { crawlStates, urlStates } from '../../contracts/crawl.ts';
import { deadLetterClasses } from '../../domain/dead-letter.ts';
import { hostStateNames } from '../../domain/host-state.ts';
import { outDependencies, type OutDependency } from '../../domain/outage.ts';
import { stageNames } from '../../domain/pressure.ts';
import { timeCauseNames } from '../../domain/time-lost.ts';
import type { DnsStats } from '../../net/dns-cache.ts';
import type { InstanceNow } from './instance.ts';

export interface Metric<Now> {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** The name of its label, if it has one, and the values. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly from: 'counted' | ((now: Now) => number | Readonly<Record<string, number>>);
}
export type Metrics<Now> = Readonly<Record<string, Metric<Now>>>;

interface ProcessNow {
  readonly version: string;
}
interface WorkerNow extends ProcessNow {
  readonly dns: Pick<DnsStats, 'hits' | 'misses' | 'stale' | 'failures'>;
  /** What breakers of this process hold back. */
  readonly outages: readonly { readonly dependency: OutDependency }[];
}

const none = {} as const;
/** That workers are gone, none of them can tell. */
const withBreaker = outDependencies.filter((name) => name !== 'workers');
const each = <Name extends string>(names: readonly Name[], figure: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, figure(name)]));

/** Of every process, beside what prom-client tells of it: `process_…` and `nodejs_…`. */
const ofProcess = {
  build_info: {
    type: 'gauge',
    help: 'Always 1; the label has the version of this process.',
    // The one value is not in a list of the code.
    labels: { version: [] },
    from: ({ version }) => ({ [version]: 1 }),
  },
} as const satisfies Metrics<ProcessNow>;

const ofWorker = {
  requests_total: {
    type: 'counter',
    help: 'Requests to hosts, robots.txt included, by class of the status; no_answer: the request failed.',
    labels: { class: ['2xx', '3xx', '4xx', '5xx', 'other', 'no_answer'] },
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
  commit_rows_total: {
    type: 'counter',
    help: 'URLs, results and pages in commits to the frontier.',
    labels: none,
    from: 'counted',
  },
  commit_duration_seconds: {
    type: 'histogram',
    help: 'Seconds that a commit to the frontier took, failed ones included.',
    labels: none,
    from: 'counted',
  },
  leases_lost_total: {
    type: 'counter',
    help: 'Leases of hosts that ran out, or went to somebody else, while this process visited the host.',
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

/** Totals of the whole instance, read from Postgres. */
const ofInstance = {
  crawls: {
    type: 'gauge',
    help: 'Crawls by state.',
    labels: { state: crawlStates },
    from: ({ measures }) => each(crawlStates, (state) => measures.crawls[state] ?? 0),
  },
  urls: {
    type: 'gauge',
    help: 'URLs of all crawls by state.',
    labels: { state: urlStates },
    from: ({ measures }) => each(urlStates, (state) => measures[state]),
  },
  bodies_pending: {
    type: 'gauge',
    help: 'Fetched bodies that wait for dedup or extraction, and pages that are rendered.',
    labels: none,
    from: ({ measures }) => measures.pending,
  },
  pages_rendering: {
    type: 'gauge',
    help: 'Pages that wait for a browser, or for files that their scripts asked for; part of bodies_pending.',
    labels: none,
    from: ({ measures }) => measures.rendering,
  },
  hosts: {
    type: 'gauge',
    help: 'Hosts by state.',
    labels: { state: hostStateNames },
    from: ({ hosts }) =>
      each(hostStateNames, (name) => hosts.find(({ state }) => state === name)?.hosts ?? 0),
  },
  dead_letters: {
    type: 'gauge',
    help: 'URLs that were given up, by class.',
    labels: { class: deadLetterClasses },
    from: ({ letters }) =>
      each(deadLetterClasses, (name) => letters.find((row) => row.class === name)?.letters ?? 0),
  },
  oldest_turn_seconds: {
    type: 'gauge',
    help: 'Seconds since the last turn of the running crawl that has waited longest for a turn at a host. Parked hosts are not counted.',
    labels: none,
    from: ({ ages }) => Math.max(0, ages.turn),
  },
  oldest_body_seconds: {
    type: 'gauge',
    help: 'Age of the oldest body that waits for dedup or extraction.',
    labels: none,
    from: ({ ages }) => Math.max(0, ages.body),
  },
  oldest_expired_lease_seconds: {
    type: 'gauge',
    help: 'Seconds since the oldest lease of a host that was not returned ran out.',
    labels: none,
    from: ({ ages }) => Math.max(0, ages.lease),
  },
  stage_used: {
    type: 'gauge',
    help: 'What waits for a stage behind the fetchers, in the worker where the stage is fullest: pages, rows, milliseconds of a commit, bytes.',
    labels: { stage: stageNames },
    from: ({ loads }) => Object.fromEntries(loads.map(({ stage, used }) => [stage, used])),
  },
  stage_capacity: {
    type: 'gauge',
    help: 'How much may wait for the stage; from four fifths of it on, the stages before it slow down.',
    labels: { stage: stageNames },
    from: ({ loads }) => Object.fromEntries(loads.map(({ stage, capacity }) => [stage, capacity])),
  },
  outage_seconds: {
    type: 'gauge',
    help: 'Seconds since a dependency of this installation is out, as the worker that has seen it longest says; 0: it is not out.',
    labels: { dependency: outDependencies },
    from: ({ outages }) =>
      each(outDependencies, (name) => {
        const since = outages.find(({ dependency }) => dependency === name)?.since;
        return since === undefined ? 0 : Math.max(0, (Date.now() - Date.parse(since)) / 1_000);
      }),
  },
  urls_discovered_total: {
    type: 'counter',
    help: 'URLs admitted to crawls.',
    labels: none,
    from: ({ measures }) => measures.discovered,
  },
  pages_total: {
    type: 'counter',
    help: 'Pages answered with 2xx, sitemaps not counted.',
    labels: none,
    from: ({ measures }) => measures.pages,
  },
  fetches_total: {
    type: 'counter',
    help: 'Requests that were answered.',
    labels: none,
    from: ({ measures }) => measures.fetches,
  },
  bytes_total: {
    type: 'counter',
    help: 'Bytes of bodies, as they came over the wire.',
    labels: none,
    from: ({ measures }) => measures.bytes,
  },
} as const satisfies Metrics<InstanceNow>;

/** By who keeps them. No name is in two of the lists. */
export const metrics = { ofProcess, ofWorker, ofInstance } as const;
