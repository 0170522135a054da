/** Redrives dead letters (G7) in batches, and tells the crawls, hosts and workflows concerned. */
import { WorkflowNotFoundError, WorkflowUpdateStage, type WorkflowClient } from '@temporalio/client';
import type { ControlActivities, RedriveInput } from '../contracts/activities.ts';
import { hostWorkflowId, retryHostUpdate } from '../contracts/workflows.ts';
import { addRedriven, hostCausedClasses, noneRedriven } from '../domain/dead-letter.ts';
import { canonicalize } from '../domain/url.ts';
import { urlKey } from '../contracts/url-key.ts';
import { bringBack, answerAsks, hostIds, isHostParked } from '../storage/hosts/index.ts';
import { type Pool, retrying } from '../storage/postgres/index.ts';
import {
  decodeCursor,
  encodeCursor,
  redriveBatch,
  type LetterCursor,
  type LetterFilter,
  type RedrivenBatch,
} from '../storage/letters/index.ts';
import { loadCrawls, reopenCrawls } from '../storage/crawls/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { reopenCrawl } from './open-workflows.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

/** One call ends after this many milliseconds, so that people see figures now and then. */
const callMs = 10_000;

export function createRedriveActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
): Pick<ControlActivities, 'redriveLetters' | 'retryHost'> {
  const { pool } = dependencies;
  return {
    redriveLetters: (input) =>
      withOwnFaults(() =>
        withHeartbeat(async (signal) => {
          const filter = await filterOf(pool, input);
          if (filter === null) return { ...noneRedriven, next: null };
          const end = performance.now() + callMs;
          let counts = noneRedriven;
          let after = input.after === null ? null : decodeCursor(input.after);
          do {
            const batch = await redriveBatch(pool, filter, after);
            dependencies.wakeHosts(batch.hosts);
            counts = addRedriven(counts, batch);
            after = batch.next;
          } while (after !== null && performance.now() < end && !signal.aborted);
          await tellCrawls(pool, workflows, filter);
          return { ...counts, next: after === null ? null : encodeCursor(after) };
        }),
      ),

    retryHost: ({ origin }) =>
      withOwnFaults(async () => {
        const [host] = await isHostParked(pool, origin);
        if (host?.parked !== true) return { unparked: false };
        try {
          await workflows
            .getHandle(hostWorkflowId(origin))
            .startUpdate(retryHostUpdate, { waitForStage: WorkflowUpdateStage.ACCEPTED });
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
          // Somebody terminated the workflow: unparked, the host is found by the search for lost hosts.
          await unpark(dependencies, workflows, host.id);
        }
        return { unparked: true };
      }),
  };
}

/**
 * Forgets a host's trouble and parking, redrives the dead letters that it caused, and wakes crawls that had ended.
 * @param until by `performance.now()`: letters left by then are for a later call
 */
export async function unpark(
  { pool, wakeHosts }: Pick<Dependencies, 'pool' | 'wakeHosts'>,
  workflows: WorkflowClient,
  hostId: string,
  until = Infinity,
): Promise<void> {
  await retrying(() => bringBack(pool, hostId));
  for (const letterClass of hostCausedClasses) {
    const filter = { crawlId: null, hostId, class: letterClass, key: null };
    let after: LetterCursor | null = null;
    do {
      const batch: RedrivenBatch = await redriveBatch(pool, filter, after);
      wakeHosts(batch.hosts);
      after = batch.next;
    } while (after !== null && performance.now() < until);
  }
  await tellCrawls(pool, workflows, { crawlId: null, hostId });
  // Only now: a crawl that waits for the host must stay open until it is told of its URLs.
  await retrying(() => answerAsks(pool, hostId));
}

/**
 * Reopens crawls that had ended and have queued URLs again. Done in every call, not only for what this call has moved:
 * an earlier call may have been cut off between moving and telling.
 */
async function tellCrawls(
  pool: Pool,
  workflows: WorkflowClient,
  { crawlId, hostId }: Pick<LetterFilter, 'crawlId' | 'hostId'>,
): Promise<void> {
  const crawls =
    crawlId !== null
      ? (await loadCrawls(pool, [Number(crawlId)])).filter(({ state }) => state === 'running')
      : await reopenCrawls(pool, hostId ?? '0');
  for (const { id } of crawls) await reopenCrawl(workflows, String(id));
}

/** Null: there is no such host or URL, so no letter matches. */
async function filterOf(pool: Pool, input: RedriveInput): Promise<LetterFilter | null> {
  const link = input.url === null ? null : canonicalize(input.url);
  if (link?.ok === false) return null;
  const origin = link?.value.host ?? input.origin;
  if (link !== null && input.origin !== null && input.origin !== origin) return null;
  const [host] = origin === null ? [] : await hostIds(pool, [origin]);
  if (host === undefined && (origin !== null || input.crawlId === null)) return null;
  const hostId = host === undefined ? null : String(host.id);
  const key = link === null ? null : urlKey(link.value.canonical).toString('hex');
  const choice = { class: input.class, key };
  if (input.crawlId !== null) return { crawlId: input.crawlId, hostId, ...choice };
  return hostId === null ? null : { crawlId: null, hostId, ...choice };
}
