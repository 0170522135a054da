/** How workflows call activities: queues, time limits and retries in one place. */
import type { RetryPolicy } from '@temporalio/common';
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type {
  ControlActivities,
  DedupActivities,
  ExtractActivities,
  FetchActivities,
  WebhookActivities,
} from '../contracts/activities.ts';
import { failureTypes } from '../contracts/failures.ts';
import { taskQueues } from '../contracts/workflows.ts';

/**
 * No attempt limit: how often a host is tried is decided by its own count of failures, which survives restarts and is
 * not raised by our own faults; the activity then throws `HostSpent`, which is not retried. Host failures bring their
 * own delay; this backoff is for our own faults.
 */
const retry = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
  nonRetryableErrorTypes: [failureTypes.spent],
} satisfies RetryPolicy;

/** A killed worker is noticed within this. */
const heartbeatTimeout = '8 seconds';

/** Long enough for a slice, a lease to run out and a request of 30 s to end; heartbeats tell a dead worker sooner. */
const longest = '1 hour';

const fetching = {
  startToCloseTimeout: longest,
  heartbeatTimeout,
  retry,
  // A request in flight is finished and its result committed before the slice ends.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;

export const { fetchSlice } = proxyActivities<FetchActivities>({ ...fetching, taskQueue: taskQueues.fetch });

/** The same, of a host that is in trouble: it waits for none of the slots of those that are well. */
export const { fetchSlice: fetchSliceInTrouble, probeHost } = proxyActivities<FetchActivities>({
  ...fetching,
  taskQueue: taskQueues.trouble,
});

export const { dedup } = proxyActivities<DedupActivities>({
  taskQueue: taskQueues.dedup,
  startToCloseTimeout: longest,
  heartbeatTimeout,
  retry,
});

export const { extract } = proxyActivities<ExtractActivities>({
  taskQueue: taskQueues.extract,
  startToCloseTimeout: longest,
  heartbeatTimeout,
  retry,
});

const short = {
  startToCloseTimeout: '10 seconds',
  retry: { ...retry, maximumInterval: '10 seconds' },
} as const;

/** Short ones: a statement or two. */
export const { retireHost, lookAtHost, setHostPause, parkHost, countHost, setHostDelay } =
  proxyActivities<ControlActivities>({
    ...short,
    taskQueue: taskQueues.control,
  });
export const { feed, retryHost, lookAtCrawl, setCrawlState, wakeSchedulers } =
  proxyActivities<ControlActivities>({
    ...short,
    taskQueue: taskQueues.crawl,
  });

const lengthy = {
  ...short,
  startToCloseTimeout: longest,
  heartbeatTimeout,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
} as const;

/** Those that may take long, with heartbeats. */
export const { unparkHost, dropHost } = proxyActivities<ControlActivities>({
  ...lengthy,
  taskQueue: taskQueues.control,
});
export const { watchCrawl, drainCrawl, settleCrawl } = proxyActivities<ControlActivities>({
  ...lengthy,
  taskQueue: taskQueues.crawl,
});

/** As these, and when they are cancelled what they have done by then counts. */
export const { redriveLetters, applyEdit } = proxyActivities<ControlActivities>({
  ...lengthy,
  taskQueue: taskQueues.crawl,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** A queue of their own: receivers that hang hold up other receivers at most. */
export const { deliverEvents } = proxyActivities<WebhookActivities>({
  taskQueue: taskQueues.webhook,
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout,
  retry: { ...retry, maximumInterval: '10 seconds' },
  // The next workflow must not send the same event beside it.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
