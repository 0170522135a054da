/** Metrics of the whole instance, read from Postgres at a scrape. */
import { crawlStates, urlStates } from '../../contracts/crawl.ts';
import { deadLetterClasses } from '../../domain/dead-letter.ts';
import { hostStateNames } from '../../domain/host-state.ts';
import { outDependencies } from '../../domain/outage.ts';
import { stageNames } from '../../domain/pressure.ts';
import type { InstanceNow } from './instance.ts';
import { each, none, type Metrics } from './metric.ts';

/** Those that there are show; a split makes new ones, up to this number. */
const shards = Array.from({ length: 64 }, (_, shard) => String(shard));
/** As the setting ORBWEAVER_ROLES has them. */
const workerRoles = ['control', 'fetch', 'extract', 'render'] as const;

export const ofInstance = {
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
  backup_age_seconds: {
    type: 'gauge',
    help: 'Seconds since the latest whole backup began; not a number: there is none.',
    labels: none,
    from: ({ backup }) => backup?.age_seconds ?? NaN,
  },
  backup_bytes: {
    type: 'gauge',
    help: 'Bytes that a restore of the latest whole backup reads; not a number: there is none.',
    labels: none,
    from: ({ backup }) => backup?.bytes ?? NaN,
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
  shard_queued_urls: {
    type: 'gauge',
    help: 'URLs that wait in the frontier, by the shard of their host; estimated by a sample of large tables.',
    labels: { shard: shards },
    from: ({ queues }) => Object.fromEntries(queues.map(({ shard, queued }) => [shard, queued])),
  },
  shard_leased_urls: {
    type: 'gauge',
    help: 'URLs that are being fetched, by the shard of their host; estimated as well.',
    labels: { shard: shards },
    from: ({ queues }) => Object.fromEntries(queues.map(({ shard, leased }) => [shard, leased])),
  },
  shard_silent_seconds: {
    type: 'gauge',
    help: 'Seconds since the scheduler of the shard should have looked for hosts; 0: it rests, or no crawl is at work.',
    labels: { shard: shards },
    from: (now) => Object.fromEntries(now.shards.map(({ id, silent }) => [id, silent])),
  },
  oldest_turn_seconds: {
    type: 'gauge',
    help: 'Seconds since the oldest due URL of a running crawl could have been fetched, by the shard of its host. Parked and unknown hosts are not counted.',
    labels: { shard: shards },
    from: (now) => Object.fromEntries(now.shards.map(({ id, turn }) => [id, turn])),
  },
  oldest_body_seconds: {
    type: 'gauge',
    help: 'Age of the oldest body that waits for dedup or extraction.',
    labels: none,
    from: ({ lags }) => lags.body,
  },
  oldest_expired_lease_seconds: {
    type: 'gauge',
    help: 'Seconds since the oldest lease of a host that was not returned ran out.',
    labels: none,
    from: ({ lags }) => lags.lease,
  },
  recrawl_lag_seconds: {
    type: 'gauge',
    help: 'Seconds since the page was due that a running standing crawl is to fetch again and that is overdue longest.',
    labels: none,
    from: ({ lags }) => lags.recrawl,
  },
  changes_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest answer that is not yet compared, in crawls that tell changes.',
    labels: none,
    from: ({ lags }) => lags.changes,
  },
  webhook_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that an enabled webhook has not yet sent.',
    labels: none,
    from: ({ lags }) => lags.webhook,
  },
  api_key_expiry_seconds: {
    type: 'gauge',
    help: 'Seconds until the API key that expires next does; infinite: none will.',
    labels: none,
    from: ({ lags }) => lags.key_expires ?? Infinity,
  },
  workers: {
    type: 'gauge',
    help: 'Worker processes at work, by role; one with several roles counts for each.',
    labels: { role: workerRoles },
    from: ({ workers }) =>
      each(workerRoles, (name) => workers.find(({ role }) => role === name)?.workers ?? 0),
  },
  ledger_imbalance_urls: {
    type: 'gauge',
    help: 'URLs by which counters differ: ledgers from their own sums, and queues of a sample from their URLs. More than 0 is a fault of Orbweaver.',
    labels: none,
    from: ({ measures, recount }) =>
      recount.wrong +
      Math.abs(measures.discovered - urlStates.reduce((urls, state) => urls + measures[state], 0)),
  },
  recounted_urls: {
    type: 'gauge',
    help: 'URLs of the sample that was counted anew for this scrape.',
    labels: none,
    from: ({ recount }) => recount.urls,
  },
  week_smallest_gap_seconds: {
    type: 'gauge',
    help: 'Least time between an answer and the next request to its host, of hosts with a delay, within seven days; not a number: none was measured.',
    labels: none,
    from: ({ politeness }) => politeness.week_gap ?? NaN,
  },
  requests_too_soon_total: {
    type: 'counter',
    help: 'Requests of all workers that left before the delay of their host was over. More than 0 is a fault of Orbweaver.',
    labels: none,
    from: ({ politeness }) => politeness.too_soon,
  },
  complaints_total: {
    type: 'counter',
    help: 'Complaints about the crawler that were stored.',
    labels: none,
    from: ({ database }) => database.complaints,
  },
  opt_outs: {
    type: 'gauge',
    help: 'Domains that have opted out.',
    labels: none,
    from: ({ database }) => database.opt_outs,
  },
  segment_bytes: {
    type: 'gauge',
    help: 'Bytes of closed archive segments.',
    labels: none,
    from: ({ database }) => database.segment_bytes,
  },
  database_bytes: {
    type: 'gauge',
    help: 'Size of the database.',
    labels: none,
    from: ({ database }) => database.bytes,
  },
  database_connections: {
    type: 'gauge',
    help: 'Connections to the server of the database, by whomever, and how many it takes.',
    labels: { as: ['open', 'limit'] },
    from: ({ database }) => ({ open: database.connections, limit: database.most_connections }),
  },
  database_transactions_total: {
    type: 'counter',
    help: 'Transactions of the database, by their end.',
    labels: { end: ['commit', 'rollback'] },
    from: ({ database }) => ({ commit: database.commits, rollback: database.rollbacks }),
  },
  database_deadlocks_total: {
    type: 'counter',
    help: 'Deadlocks that Postgres has ended. Transactions are tried again.',
    labels: none,
    from: ({ database }) => database.deadlocks,
  },
  database_blocks_total: {
    type: 'counter',
    help: 'Blocks of the database that were looked at: found in its memory (cache), or not (disk).',
    labels: { from: ['cache', 'disk'] },
    from: ({ database }) => ({ cache: database.blocks_cached, disk: database.blocks_read }),
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
