/** The Temporal workers of a process, one for each task queue its roles serve. */
import type { WorkflowClient } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { createCrawlActivities } from '../activities/crawls.ts';
import { createDedupActivities } from '../activities/dedup.ts';
import { countShards } from '../storage/feeding/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { exportJobs, type ExportTools } from '../engine/exports/job.ts';
import { reextractionJobs } from '../engine/reextraction/job.ts';
import { webhookJobs } from '../engine/webhooks/deliver.ts';
import { createExtractActivities } from '../activities/extract.ts';
import { createFeedActivities } from '../activities/feed.ts';
import { createFetchActivities } from '../activities/fetch.ts';
import { createHostActivities } from '../activities/hosts.ts';
import { crawlJobs, createJobActivities } from '../activities/jobs.ts';
import { createRenderActivities } from '../activities/render.ts';
import { createRedriveActivities } from '../activities/redrive.ts';
import { openSearchOf, regionsOf, type ServiceConfig } from '../config/config.ts';
import type { WorkerRole } from '../config/settings/fetching.ts';
import { createExtractor } from '../content/extract.ts';
import type { Job } from '../engine/jobs/job.ts';
import { createTextReader } from '../engine/page-text.ts';
import { searchJobs } from '../engine/search/indexing.ts';
import { openIndex } from '../storage/search/index.ts';
import { lanesOfReader } from '../domain/stage.ts';
import { jobKinds, type JobKind } from '../contracts/jobs.ts';
import type { Renderer } from '../contracts/rendering.ts';
import type { Poster } from '../contracts/posting.ts';
import { regionalQueue, taskQueues, type TaskQueue } from '../contracts/workflows.ts';
import type { Traces } from '../tracing/open.ts';
import { loggingIds } from './activity-ids.ts';
import { backupJobs, hasDataFolder } from './backups.ts';

export interface RoleContext {
  readonly config: ServiceConfig;
  readonly dependencies: Dependencies;
  /** As `dependencies`, with connections of its own: requests about crawls must not wait for other statements. */
  readonly control: Dependencies;
  /** For schedulers. */
  readonly feeding: Pool;
  readonly post: Poster;
  readonly exports: ExportTools;
  /** Null: they are off. */
  readonly traces: Traces | null;
  /** Null: the process has no browser. */
  readonly renderer: Renderer | null;
  readonly worker: NativeConnection;
  readonly workflow: WorkflowClient;
  /** Path of the bundled workflows. */
  readonly bundle: string;
}

/** Bounds the memory of a process: about 1 MB for each workflow. A workflow that is not cached is replayed. */
const cachedWorkflows = 150;
/** One lane of each shard judges all its bodies. */
const dedupSlots = 4;
const controlSlots = 200;
/** An activity that mostly sleeps watches each open crawl; a crawl without a slot could not be paused. */
const crawlSlots = 2_000;
/**
 * The share of slots for hosts in trouble: however many such hosts there are, the other slots stay for hosts that are
 * well.
 */
const shareOfTrouble = 0.25;
/** Visits without a region that a process names a region for at a time: a look at Postgres each. */
const sortingSlots = 20;
/**
 * Tasks of hosts' workflows that a process works at a time, and polls for. One thread works at them: with more, each
 * takes longer, until on a busy machine none ends within the five seconds of its timeout, and all are replayed again and
 * again. With few, the others wait with the server, where no timeout runs. A frozen process swallows as many.
 */
const hostTasks = 4;
/** Workflows of crawls that are kept in memory: they are few, and seldom work. */
const cachedCrawls = 30;
/** Exports that a process makes at a time: each reads many bodies, and holds some of them. */
const exportSlots = 2;
/** Re-extractions that a process works at a time: each takes a good part of a core. */
const reextractSlots = 1;
/** Receivers of webhooks that a process waits for at a time. */
const webhookSlots = 50;
/** Crawls that a process indexes for searches at a time: each takes a good part of a core. */
const searchSlots = 1;

const common = {
  // Drains at once: slices are told to end, finish the request in flight, commit and return their leases.
  shutdownGraceTime: 0,
  shutdownForceTime: '60 seconds',
  stickyQueueScheduleToStartTimeout: '4 seconds',
  maxHeartbeatThrottleInterval: '4 seconds',
  // A frozen process keeps its polls open, and each poll swallows one task until the task's timeout.
  maxConcurrentActivityTaskPolls: 2,
  maxConcurrentWorkflowTaskPolls: 2,
} satisfies Partial<WorkerOptions>;

/**
 * Hosts at the door only wait on sockets, so a process takes twice as many as it fetches from, up to this: a door asks
 * without a pause, and thousands of lookups and connections at once are more than a resolver or a router likes.
 */
const mostDoorPlaces = 400;
export const doorPlaces = (fetchSlots: number): number => Math.min(mostDoorPlaces, 2 * fetchSlots);

/** What a worker of one queue has beside what all have. */
type Served = Partial<WorkerOptions> & Pick<WorkerOptions, 'taskQueue'>;

const served = (taskQueue: TaskQueue, slots: number, ...activities: readonly object[]): Served => ({
  taskQueue,
  maxConcurrentActivityTaskExecutions: slots,
  activities: Object.assign({}, ...activities) as object,
});

const working = (kind: JobKind, slots: number, job: Job): Served =>
  served(jobKinds[kind].queue, slots, createJobActivities({ [kind]: job }));

/** The queues of each role. */
const queues: Readonly<Record<WorkerRole, (context: RoleContext) => Promise<readonly Served[]>>> = {
  control: ({ control, dependencies, feeding, workflow, post, bundle, config }) => {
    const { activeHosts, probeSeconds } = config;
    const workflowBundle = { codePath: bundle };
    return Promise.resolve([
      {
        ...served(
          taskQueues.crawl,
          crawlSlots,
          createFeedActivities({ pool: feeding, prefetch: control.prefetch }, workflow, activeHosts),
          createRedriveActivities(control, workflow),
          createJobActivities(crawlJobs(control, workflow)),
          createCrawlActivities(control, workflow),
        ),
        workflowBundle,
        maxCachedWorkflows: cachedCrawls,
      },
      {
        ...served(
          taskQueues.control,
          controlSlots,
          createHostActivities(dependencies, workflow, probeSeconds * 1_000),
        ),
        workflowBundle,
        maxCachedWorkflows: cachedWorkflows,
        maxConcurrentWorkflowTaskPolls: hostTasks,
        maxConcurrentWorkflowTaskExecutions: hostTasks,
      },
      working('webhook', webhookSlots, webhookJobs(dependencies, post)),
      ...(config.backupTarget !== null && hasDataFolder(config)
        ? [working('backup', 1, backupJobs(config, control.pool))]
        : []),
    ]);
  },
  fetch: ({ dependencies, config }) => {
    const activities = createFetchActivities(dependencies);
    const regions = regionsOf(config)?.own ?? [];
    const slots = Math.ceil(config.fetchSlots / Math.max(1, regions.length));
    const trouble = Math.ceil(slots * shareOfTrouble);
    const well = Math.max(1, slots - trouble);
    if (regions.length === 0)
      return Promise.resolve([
        served(taskQueues.fetch, well, activities),
        served(taskQueues.trouble, trouble, activities),
      ]);
    return Promise.resolve([
      // Who comes here is told where to go.
      served(taskQueues.fetch, sortingSlots, activities),
      served(taskQueues.trouble, sortingSlots, activities),
      ...regions.flatMap((region) => [
        served(regionalQueue(taskQueues.fetch, region), well, activities),
        served(regionalQueue(taskQueues.trouble, region), trouble, activities),
      ]),
    ]);
  },
  extract: async ({ dependencies, control, exports, config }) => {
    const { pool, blobs } = dependencies;
    const index = await openIndex(pool, openSearchOf(config));
    // A shard that is split off later has its lanes in this process too, in turn with the others.
    const [given] = await countShards(control.pool, config.shards);
    // A slot for each lane, and no more: otherwise one process might take all lanes, and the others none.
    const readers = lanesOfReader * (given?.shards ?? config.shards);
    // Each with an extractor of its own: what it learns of a site's languages is of the pages that it reads.
    const rereading = { ...control, extractor: await createExtractor() };
    return [
      served(taskQueues.dedup, dedupSlots, createDedupActivities(dependencies)),
      served(taskQueues.extract, readers, createExtractActivities(dependencies, await createExtractor())),
      working('export', exportSlots, exportJobs(exports)),
      working('search', searchSlots, searchJobs(pool, index, createTextReader(blobs))),
      working('reextraction', reextractSlots, reextractionJobs(rereading)),
    ];
  },
  // A slot for each shard: its lane renders as many pages at a time as the process may.
  render: async ({ dependencies, control, exports: { archive }, renderer, config }) => {
    if (renderer === null) throw new Error('the role render needs a browser, and none was found');
    const [given] = await countShards(control.pool, config.shards);
    const activities = createRenderActivities(dependencies, { archive, renderer }, config.renderSlots);
    return [served(taskQueues.render, given?.shards ?? config.shards, activities)];
  },
};

export async function createWorkers(context: RoleContext): Promise<Worker[]> {
  const { worker: connection, config, traces } = context;
  const activity = [...(traces === null ? [] : [traces.activity]), loggingIds(traces?.tracer)];
  const ofAll = { ...common, connection, namespace: config.temporalNamespace, interceptors: { activity } };
  const workers: Worker[] = [];
  for (const role of config.roles)
    for (const each of await queues[role](context)) workers.push(await Worker.create({ ...ofAll, ...each }));
  return workers;
}
