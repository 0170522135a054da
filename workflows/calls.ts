/** How workflows call activities: queues, time limits and retries in one place. */
import type { RetryPolicy } from '@temporalio/common';
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type {
  ControlActivities,
  DedupActivities,
  ExtractActivities,
  FetchActivities,
  VisitRegion,
  RenderActivities,
} from '../contracts/activities.ts';
import { jobKinds, type JobKind } from '../contracts/jobs.ts';
import { failureTypes } from '../contracts/failures.ts';
import { regionalQueue, taskQueues } from '../contracts/workflows.ts';

/**
 * There is no attempt limit. The host's own count of failures decides how often it is tried: this count survives
 * restarts, and faults of ours do not raise it. When retries are spent the activity throws `HostSpent`, which is not
 * retried. Host failures bring their own delay; this backoff is for our own faults.
 */
const retry = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
  nonRetryableErrorTypes: [failureTypes.spent],
} satisfies RetryPolicy;

/** A killed worker is noticed within this time. */
const heartbeatTimeout = '8 seconds';
/**
 * Visits beat seldom, since thousands may be under way. The scheduler tells the workflow sooner that a worker is gone
 * (signal `lost`), and the activity `cutVisit` ends a visit: both go by the host's lease.
 */
const seldomHeartbeat = '20 minutes';

/** Heartbeats show a dead worker sooner. */
const longest = '1 hour';
/** The longest visit (domain/slice.ts), the wait for a lease before it, and an outage of Postgres in it. */
const longestVisit = '2 hours';

const fetching = {
  startToCloseTimeout: longestVisit,
  heartbeatTimeout: seldomHeartbeat,
  retry,
  // A request in flight is finished and its result committed before the slice ends.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;

/** How a host is asked by the workers of a region; without one, by any that fetches. */
export function fetchersOf(region?: VisitRegion) {
  const on = (queue: 'fetch' | 'trouble') =>
    region === undefined
      ? { ...fetching, taskQueue: taskQueues[queue] }
      : {
          ...fetching,
          taskQueue: regionalQueue(queue, region.name),
          scheduleToStartTimeout: region.patienceMs,
        };
  const { fetchSlice } = proxyActivities<FetchActivities>(on('fetch'));
  /** For hosts in trouble, on a queue of their own: they do not use the slots of healthy hosts. */
  const { fetchSlice: fetchSliceInTrouble } = proxyActivities<FetchActivities>(on('trouble'));
  /** One request: it is soon over. */
  const { probeHost } = proxyActivities<FetchActivities>({ ...on('trouble'), heartbeatTimeout });
  return { fetchSlice, fetchSliceInTrouble, probeHost };
}

const reading = {
  startToCloseTimeout: longest,
  heartbeatTimeout,
  retry,
  // The lane of the next run must not read the same bodies at the same time.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;
export const { dedup } = proxyActivities<DedupActivities>({ ...reading, taskQueue: taskQueues.dedup });
export const { extract } = proxyActivities<ExtractActivities>({ ...reading, taskQueue: taskQueues.extract });
export const { render } = proxyActivities<RenderActivities>({ ...reading, taskQueue: taskQueues.render });

const short = {
  startToCloseTimeout: '10 seconds',
  retry: { ...retry, maximumInterval: '10 seconds' },
} as const;

/** Short activities: a statement or two. */
export const { retireHost, lookAtHost, cutVisit, setHostPause, parkHost, countHost, setHostDelay } =
  proxyActivities<ControlActivities>({
    ...short,
    taskQueue: taskQueues.control,
  });
export const { feed, lookAtCrawl, setCrawlState, wakeSchedulers } = proxyActivities<ControlActivities>({
  ...short,
  taskQueue: taskQueues.crawl,
});

const local = proxyLocalActivities<Pick<ControlActivities, 'lookAtCrawl' | 'setCrawlState'>>({
  startToCloseTimeout: short.startToCloseTimeout,
  retry: { maximumAttempts: 1 },
});
/**
 * Looks a crawl up, or changes its state, within the present workflow task: each further task takes some 0.3 s where
 * thousands of hosts keep Temporal busy, and seconds while they all start or end their visits; and whoever asked waits. An
 * ordinary activity follows a local try that failed: its retries add nothing to the history, however long Postgres is away.
 * Temporal may lose the task after Postgres has the new state, and tells the next task what was asked. If it loses that too,
 * the watch of a running crawl finds it moved; whoever asked for a paused crawl to be resumed gets an error, and asks again.
 */
export const lookAtOnce: ControlActivities['lookAtCrawl'] = (crawl) =>
  local.lookAtCrawl(crawl).catch(() => lookAtCrawl(crawl));
export const changeAtOnce: ControlActivities['setCrawlState'] = (next) =>
  local.setCrawlState(next).catch(() => setCrawlState(next));

const lengthy = {
  ...short,
  startToCloseTimeout: longest,
  heartbeatTimeout,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
} as const;

/** Activities that may take long, with heartbeats. */
export const { unparkHost, dropHost } = proxyActivities<ControlActivities>({
  ...lengthy,
  taskQueue: taskQueues.control,
});
export const { closeAccounts, watchCrawl, drainCrawl, settleCrawl } = proxyActivities<ControlActivities>({
  ...lengthy,
  taskQueue: taskQueues.crawl,
});

/** The result counts even if it is cancelled: the workflow waits for it. */
export const { redriveLetters } = proxyActivities<ControlActivities>({
  ...lengthy,
  taskQueue: taskQueues.crawl,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** For the activities of jobs. */
export const optionsOfJob = (kind: JobKind) =>
  ({
    taskQueue: jobKinds[kind].queue,
    // A stint takes seconds, but for the end of a large export, which sorts its index and uploads the file.
    startToCloseTimeout: '24 hours',
    heartbeatTimeout,
    retry: {
      ...retry,
      initialInterval: jobKinds[kind].firstPause,
      maximumInterval: jobKinds[kind].longestPause,
    },
    // No other stint of the job may begin while this one still works.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  }) as const;
