/**
 * Finds work whose workflow is gone: terminated by hand, never started because the API was killed, or lost with all of
 * Temporal's data. Postgres holds the truth, so a missing workflow is started and goes on from there. The patrol pages
 * through everything that should have a workflow, a few at a look, and tries to start each; a running workflow is not
 * touched by that. Standing crawls have a schedule as well, which the patrol makes and removes. It also gives back URLs
 * that a killed worker left leased at a host that was paused meanwhile, since nobody visits such a host, and queues URLs
 * again that a quarantine has released, or lets through as samples. It judges which pages have the same text, or nearly
 * so, and looks at the quality of hosts, each once a day. The scheduler finds hosts that have work (`refeedHosts`), and
 * webhook-waker.ts finds webhooks that have events to send.
 */
import {
  type WorkflowClient,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleClient,
} from '@temporalio/client';
import type { Logger } from 'pino';
import type { Chore, Look } from '../engine/chores.ts';
import { type Pool, retrying } from '../storage/postgres/index.ts';
import { countShards, unfeedHosts } from '../storage/feeding/index.ts';
import { heldHostsAfter } from '../storage/hosts/index.ts';
import { noteTemporalNamespace, temporalNamespace } from '../storage/instance/index.ts';
import { openCrawlsAfter } from '../storage/crawls/index.ts';
import { pendingEdits } from '../storage/edits/index.ts';
import { exportRows } from '../storage/exports/index.ts';
import { reclaimPaused } from '../storage/frontier/index.ts';
import { lookAtQuality } from '../storage/quality/index.ts';
import { judgeAlike } from '../storage/alike/index.ts';
import { judgeCopies } from '../storage/pages/index.ts';
import { reextractionRows } from '../storage/reextraction/index.ts';
import { openIndexes } from '../storage/search/index.ts';
import { tendQuarantine, tendSoft404 } from '../storage/traps/index.ts';
import { wholeConfig, type CrawlConfig } from '../contracts/crawl.ts';
import { type JobKind, jobWorkflowId } from '../contracts/jobs.ts';
import { lookSeconds } from '../domain/recrawl/keep-fresh.ts';
import { endStanding, standingCrawlsAfter } from '../storage/recrawl/index.ts';
import { startMissing, jobWorkflow } from './open-workflows.ts';

/** Most items of each kind in one look: at most ten calls to Temporal a second. */
const usualALook = 40;
const hostsALook = 10;
/** Most hosts in one look after Temporal has lost all its data, until every host was looked at once. */
const hostsInHurry = 100;
/** Hosts whose quality is looked at in one look, if a day has passed: 43,000 an hour. */
const qualitiesALook = 60;
/** Shapes in quarantine that are tended in one look, and the milliseconds after which it stops. */
const shapesALook = 20;
const tendMs = 2_000;
/** Milliseconds after which a look stops judging fingerprints of texts. */
const judgeMs = 3_000;
/** Hosts marked in one statement. */
const batch = 1_000;

type Workflows = Pick<WorkflowClient, 'start' | 'workflowService' | 'options'>;

interface Found {
  readonly id: string;
  readonly origin?: string;
  /** Of a job with an id of its own. */
  readonly crawl?: string;
}

/**
 * Goes through all there is of one kind by id, some at a look, and begins anew at its end.
 * @param start true: it had no workflow, and has one now
 * @param usual of each look; `beginAnew` may ask for more, until the end is reached
 */
function walk<T extends Found>(
  log: Logger,
  what: string,
  find: (after: string, most: number) => Promise<readonly T[]>,
  start: (found: T) => Promise<boolean>,
  usual = usualALook,
): Look & { beginAnew(atMost: number): void } {
  let [after, most] = ['0', usual];
  const beginAnew = (atMost: number): void => {
    [after, most] = ['0', atMost];
  };
  const run = async (): Promise<void> => {
    const some = await find(after, most);
    for (const found of some) {
      if (await start(found)) tell(log, what, found.origin ?? found.id);
      after = found.id;
    }
    if (some.length < most) beginAnew(usual);
  };
  return { run, beginAnew, fault: `the search for each ${what} without a workflow failed` };
}

const tell = (log: Logger, what: string, id: string): void => {
  log.info({ what, workflowId: `${what}/${id}` }, 'a missing workflow was started');
};

/**
 * @param shards number of shards that new hosts are spread over
 * @param index name of the index for searches
 */
export function patrol(
  pool: Pool,
  workflows: Workflows,
  schedules: Schedules,
  shards: number,
  index: string,
  log: Logger,
): Chore {
  const job = (kind: JobKind, find: (after: string, most: number) => Promise<readonly Found[]>): Look =>
    walk(log, kind, find, ({ id, crawl }) => startMissing.job(workflows, kind, id, crawl));
  /** Schedulers are started before the first crawl is. */
  const findCrawls = async (after: string, most: number): Promise<readonly Found[]> => {
    const found = await openCrawlsAfter(pool, after, most);
    if (after !== '0' || found.length > 0) await startSchedulers(pool, workflows, shards, log);
    return found;
  };
  const hosts = walk(
    log,
    'host',
    (after, most) => heldHostsAfter(pool, after, most),
    ({ id, origin }) => startMissing.host(workflows, id, origin),
    hostsALook,
  );
  let looked = 0;
  const alike = { crawl: 0 };
  return {
    everyMs: 5_000,
    looks: [
      {
        run: () => noticeLoss(pool, workflows, hosts, log),
        fault: 'whether Temporal has its data is not known',
      },
      walk(log, 'crawl', findCrawls, ({ id }) => startMissing.crawl(workflows, id)),
      job('edit', (after, most) => pendingEdits(pool, after, most)),
      job('search', (after, most) => openIndexes(pool, after, most, index)),
      job('export', (after, most) => exportRows.open(pool, after, most)),
      job('reextraction', (after, most) => reextractionRows.open(pool, after, most)),
      walk(
        log,
        'recrawl',
        (after, most) => standingCrawlsAfter(pool, after, most),
        (crawl) => keepSchedule(pool, schedules, crawl),
      ),
      {
        run: () => retrying(() => reclaimPaused(pool, hostsALook)),
        fault: 'URLs at paused hosts stay leased',
      },
      {
        run: async () => {
          looked = await lookAtQuality(pool, looked, qualitiesALook);
        },
        fault: 'the quality of hosts could not be looked at',
      },
      { run: () => tendQuarantine(pool, shapesALook, tendMs), fault: 'quarantine could not be tended' },
      { run: () => tendSoft404(pool, shapesALook), fault: 'soft 404s could not be tended' },
      { run: () => judgeCopies(pool, judgeMs), fault: 'pages of the same text could not be judged' },
      { run: () => judgeAlike(pool, judgeMs, alike), fault: 'near-duplicates could not be judged' },
      hosts,
    ],
  };
}

/** True: the crawl had no schedule, and has one now. */
async function keepSchedule(
  pool: Pool,
  schedules: Schedules,
  { id, config }: Found & { readonly config: Partial<CrawlConfig> | null },
): Promise<boolean> {
  const { keepFresh } = wholeConfig(config ?? {});
  if (keepFresh !== null) return scheduleRecrawl(schedules, id, lookSeconds(keepFresh));
  await unscheduleRecrawl(schedules, id);
  await endStanding(pool, id);
  return false;
}

/** Shards stay when the setting is lowered, and splits make more. */
async function startSchedulers(pool: Pool, workflows: Workflows, shards: number, log: Logger): Promise<void> {
  const [given] = await countShards(pool, shards);
  for (let shard = 0; shard < (given?.shards ?? 0); shard++)
    if (await startMissing.scheduler(workflows, shard)) tell(log, 'scheduler', String(shard));
}

/** A new namespace id shows that Temporal has lost its data: then no host has a workflow. */
async function noticeLoss(
  pool: Pool,
  workflows: Workflows,
  hosts: Pick<ReturnType<typeof walk>, 'beginAnew'>,
  log: Logger,
): Promise<void> {
  const { namespace } = workflows.options;
  const { namespaceInfo } = await workflows.workflowService.describeNamespace({ namespace });
  const id = namespaceInfo?.id ?? '';
  const [known] = await temporalNamespace(pool);
  if (id === '' || known?.id === id) return;
  let count = 0;
  // A batch is short where somebody else holds a host's row.
  for (let given = 1; given > 0; count += given)
    given = (await retrying(() => unfeedHosts(pool, batch))).length;
  // Noted last: after a crash before this, the hosts are marked again.
  await noteTemporalNamespace(pool, id);
  hosts.beginAnew(hostsInHurry);
  if ((known?.id ?? null) !== null)
    log.warn({ hosts: count }, 'Temporal has lost its workflows; work goes on from the state in Postgres');
}

/**
 * The schedules of standing crawls. A schedule holds nothing that it alone knows: if somebody deletes it, or Temporal
 * loses its data, it is made anew; whether it is paused is for operators to say, and stays.
 */
type Schedules = Pick<ScheduleClient, 'create' | 'getHandle'>;

/** Makes the schedule of a crawl. False: there is one already, which is not touched. */
async function scheduleRecrawl(
  schedules: Schedules,
  crawlId: string,
  everySeconds: number,
): Promise<boolean> {
  try {
    await schedules.create({
      scheduleId: jobWorkflowId('recrawl', crawlId),
      spec: { intervals: [{ every: everySeconds * 1_000 }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'job',
        ...jobWorkflow({ kind: 'recrawl', id: crawlId }),
      },
      // What a run misses the next one finds due: nothing has to be made up for.
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      state: { note: `fetches the pages of crawl ${crawlId} again as they become due` },
    });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

async function unscheduleRecrawl(schedules: Schedules, crawlId: string): Promise<void> {
  try {
    await schedules.getHandle(jobWorkflowId('recrawl', crawlId)).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
