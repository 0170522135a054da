/**
 * The metrics for Prometheus (F35): totals of the whole instance, read from Postgres, and the figures of this process.
 * The number of series is fixed, whatever tenants, hosts or URLs there are: all labels come from lists in the code.
 */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { crawlStates, urlStates } from '../../contracts/crawl.ts';
import { deadLetterClasses } from '../../domain/dead-letter.ts';
import { hostStateNames } from '../../domain/host-state.ts';
import { outDependencies } from '../../domain/outage.ts';
import { currentOutages, measureLoads } from '../../storage/instance/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  measureCrawls,
  measureDeadLetters,
  measureHosts,
  measureQueues,
} from '../../storage/reports/index.ts';

/**
 * Milliseconds that a count stays fresh. Counting goes over whole tables, so scrapes within this time share one count.
 */
const freshMs = 10_000;

export interface Metrics {
  readonly contentType: string;
  /** The text of one scrape. */
  read(): Promise<string>;
}

/** Nothing is measured before the first scrape. */
export function createMetrics(pool: Pool, version: string): Metrics {
  const registry = new Registry();
  let measure: (() => Promise<void>) | null = null;
  let looking: Promise<void> | null = null;
  let lookedAt = -Infinity;

  /** Scrapes at the same time share one look, however long that look takes. */
  const look = async (): Promise<void> => {
    if (performance.now() - lookedAt < freshMs) return;
    measure ??= prepare(registry, pool, version);
    looking ??= measure()
      .then(() => {
        lookedAt = performance.now();
      })
      .finally(() => {
        looking = null;
      });
    await looking;
  };
  return {
    contentType: registry.contentType,
    read: async () => {
      await look();
      return registry.metrics();
    },
  };
}

/** Makes the series; returns the function that fills them. */
function prepare(registry: Registry, pool: Pool, version: string): () => Promise<void> {
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name: `orbweaver_${name}`, help, labelNames, registers });
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `orbweaver_${name}_total`, help, registers });

  gauge('build_info', 'Always 1; the label has the version of this process.', 'version').set({ version }, 1);
  const crawls = gauge('crawls', 'Crawls by state.', 'state');
  const urls = gauge('urls', 'URLs of all crawls by state.', 'state');
  const unread = gauge('bodies_pending', 'Fetched bodies that wait for dedup or extraction.');
  const hosts = gauge('hosts', 'Hosts by state.', 'state');
  const letters = gauge('dead_letters', 'URLs that were given up, by class.', 'class');
  const turnAge = gauge(
    'oldest_turn_seconds',
    'Seconds since the last turn of the running crawl that has waited longest for a turn at a host. Parked hosts are not counted.',
  );
  const bodyAge = gauge('oldest_body_seconds', 'Age of the oldest body that waits for dedup or extraction.');
  const leaseAge = gauge(
    'oldest_expired_lease_seconds',
    'Seconds since the oldest lease of a host that was not returned ran out.',
  );
  const used = gauge(
    'stage_used',
    'What waits for a stage behind the fetchers, in the worker where the stage is fullest: pages, rows, milliseconds of a commit, bytes.',
    'stage',
  );
  const capacity = gauge(
    'stage_capacity',
    'How much may wait for the stage; from four fifths of it on, the stages before it slow down.',
    'stage',
  );
  const outages = gauge(
    'outage_seconds',
    'Seconds since a dependency of this installation is out, as the worker that has seen it longest says; 0: it is not out.',
    'dependency',
  );
  const totals = {
    discovered: counter('urls_discovered', 'URLs admitted to crawls.'),
    pages: counter('pages', 'Pages answered with 2xx, sitemaps not counted.'),
    fetches: counter('fetches', 'Requests that were answered.'),
    bytes: counter('bytes', 'Bytes of bodies, as they came over the wire.'),
  };

  return async () => {
    const [[measures], states, dead, [ages], loads, out] = await Promise.all([
      measureCrawls(pool),
      measureHosts(pool),
      measureDeadLetters(pool),
      measureQueues(pool),
      measureLoads(pool),
      currentOutages(pool),
    ]);
    if (measures === undefined || ages === undefined) throw new Error('Postgres returned no measurements');
    for (const state of crawlStates) crawls.set({ state }, measures.crawls[state] ?? 0);
    for (const state of urlStates) urls.set({ state }, measures[state]);
    unread.set(measures.pending);
    const byState = new Map(states.map((row) => [row.state, row.hosts]));
    for (const state of hostStateNames) hosts.set({ state }, byState.get(state) ?? 0);
    for (const letterClass of deadLetterClasses) letters.set({ class: letterClass }, 0);
    for (const row of dead) letters.set({ class: row.class }, row.letters);
    for (const dependency of outDependencies) {
      const since = out.find((each) => each.dependency === dependency)?.since;
      const seconds = since === undefined ? 0 : (Date.now() - Date.parse(since)) / 1_000;
      outages.set({ dependency }, Math.max(0, seconds));
    }
    used.reset();
    capacity.reset();
    for (const load of loads) {
      used.set({ stage: load.stage }, load.used);
      capacity.set({ stage: load.stage }, load.capacity);
    }
    turnAge.set(Math.max(0, ages.turn));
    bodyAge.set(Math.max(0, ages.body));
    leaseAge.set(Math.max(0, ages.lease));
    for (const name of ['discovered', 'pages', 'fetches', 'bytes'] as const) {
      totals[name].reset();
      totals[name].inc(measures[name]);
    }
  };
}
