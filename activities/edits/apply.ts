/** The frontier of a crawl is judged by settings that were changed (G6): in batches, from wherever the last one ended. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities, EditProgress } from '../../contracts/activities.ts';
import { wholeConfig } from '../../contracts/crawl.ts';
import { crawlWorkflowId, reopenCrawlSignal, taskQueues } from '../../contracts/workflows.ts';
import {
  applyBatch,
  endEdit,
  findConfig,
  noteReread,
  readPlace,
  takesEdits,
  type EditPlace,
  type JudgedBatch,
} from '../../storage/crawl-edits.ts';
import { hostsAtLimit } from '../../storage/statements/hosts-at-limit.ts';
import { loadCrawls } from '../../storage/statements/load-crawls.ts';
import { pagesToReread } from '../../storage/statements/pages-to-reread.ts';
import { pendingConfig, type PendingConfig } from '../../storage/statements/pending-config.ts';
import { urlsToJudge } from '../../storage/statements/urls-to-judge.ts';
import { Admission } from '../admission.ts';
import { CrawlBook } from '../crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { withOwnFaults } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { HostBook } from '../host-book.ts';
import { OptOutBook } from '../opt-out-book.ts';
import { judgeAgain, movableReasons, roomAt, rulesOf, type Rules } from './judgement.ts';
import { storedCandidates } from './stored-links.ts';

/** How long one call goes on, so that whoever looks sees figures now and then. */
const callMs = 10_000;
/** URLs in one transaction: some dozen milliseconds of locks. */
const urlBatch = 1_000;
/** Pages read again in one go, of some dozens of links each. */
const pageBatch = 100;
/** Hosts looked at in one go. */
const hostBatch = 100;

interface Step {
  readonly crawlId: string;
  readonly pending: PendingConfig;
  readonly place: EditPlace;
  readonly rules: Rules;
}

export function createEditActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
): Pick<ControlActivities, 'applyEdit'> {
  const { pool, writer, settings } = dependencies;
  const crawls = new CrawlBook(pool, settings);
  const hosts = new HostBook(pool, settings.shards);
  const admission = new Admission(dependencies, hosts, new OptOutBook(pool), crawls);

  const applyAndWake = async (crawlId: string, batch: JudgedBatch): Promise<void> => {
    const done = await applyBatch(pool, crawlId, batch);
    if (done !== null) dependencies.wakeHosts(done.hosts);
  };

  const judgeUrls = async ({ crawlId, pending, place, rules }: Step): Promise<void> => {
    const rows = await urlsToJudge(pool, crawlId, place.hostId, place.key, movableReasons, urlBatch);
    const last = rows.at(-1);
    await applyAndWake(crawlId, {
      version: pending.version,
      from: pending.place,
      to:
        last === undefined
          ? { of: 'hosts', hostId: 0, key: '' }
          : { of: 'urls', hostId: last.host_id, key: last.key },
      judged: rows.length,
      moved: rows.flatMap((row) => judgeAgain(row, rules) ?? []),
      readmit: null,
    });
  };

  const fillHosts = async ({ crawlId, pending, place }: Step): Promise<void> => {
    const { maxPagesPerHost } = wholeConfig(pending.config);
    const hosts = await hostsAtLimit(pool, crawlId, place.hostId, hostBatch);
    const roomy = hosts.find((host) => roomAt(host, maxPagesPerHost) > 0);
    const limit = roomy === undefined ? 0 : Math.min(urlBatch, roomAt(roomy, maxPagesPerHost));
    // A host with more room than one batch takes is come to again.
    const last = roomy === undefined ? hosts.at(-1)?.host_id : roomy.host_id - (limit < urlBatch ? 0 : 1);
    await applyAndWake(crawlId, {
      version: pending.version,
      from: pending.place,
      to: { of: last === undefined ? 'pages' : 'hosts', hostId: last ?? 0, key: '' },
      judged: 0,
      moved: [],
      readmit: roomy === undefined ? null : { hostId: roomy.host_id, limit },
    });
  };

  const readPagesAgain = async ({ crawlId, pending, place }: Step): Promise<void> => {
    const { version } = pending;
    const pages = pending.rereads
      ? await pagesToReread(pool, crawlId, place.hostId, place.key, pageBatch)
      : [];
    const last = pages.at(-1);
    if (last === undefined) return endEdit(pool, crawlId, version, 'applied');
    const crawl = await crawls.open(Number(crawlId));
    const found = pages.flatMap((page) => storedCandidates(page, crawl));
    const { admitted } = await admission.admit(found, (admissions) => writer.write({ admissions }));
    const to: EditPlace = { of: 'pages', hostId: last.host_id, key: last.key };
    await noteReread(pool, crawlId, { version, from: pending.place, to }, pages.length, admitted);
  };

  const steps = { urls: judgeUrls, hosts: fillHosts, pages: readPagesAgain };

  const apply = async (crawlId: string, signal: AbortSignal): Promise<EditProgress> => {
    const end = performance.now() + callMs;
    let version: number | null = null;
    /** Of the version that is pending. */
    let rules: Rules | null = null;
    for (;;) {
      const [pending] = await pendingConfig(pool, crawlId);
      if (pending === undefined) break;
      if (!takesEdits(pending.state, pending.reason)) {
        await endEdit(pool, crawlId, pending.version, 'stopped');
        continue;
      }
      if (rules === null || version !== pending.version)
        rules = await rulesOf(pool, crawlId, wholeConfig(pending.config));
      ({ version } = pending);
      const place = readPlace(pending.place);
      await steps[place.of]({ crawlId, pending, place, rules });
      if (performance.now() >= end || signal.aborted) return progressOf(crawlId, version, true);
    }
    await tellCrawl(workflows, crawlId, await loadCrawls(pool, [Number(crawlId)]));
    return progressOf(crawlId, version ?? (await currentVersion(crawlId)), false);
  };

  const currentVersion = async (crawlId: string): Promise<number> =>
    (await loadCrawls(pool, [Number(crawlId)]))[0]?.config_version ?? 1;

  const progressOf = async (crawlId: string, version: number, more: boolean): Promise<EditProgress> => {
    const row = await findConfig(pool, crawlId, version);
    const { judged = 0, excluded = 0, readmitted = 0, reread = 0, admitted = 0 } = row ?? {};
    return { version, state: row?.state ?? 'stopped', judged, excluded, readmitted, reread, admitted, more };
  };

  return {
    applyEdit: ({ crawlId }) => withOwnFaults(() => withHeartbeat((signal) => apply(crawlId, signal))),
  };
}

/** A crawl that had ended may run again, for what was queued; each time, since an earlier call may have been cut off. */
async function tellCrawl(
  workflows: WorkflowClient,
  crawlId: string,
  [crawl]: readonly { readonly state: string }[],
): Promise<void> {
  if (crawl?.state !== 'running') return;
  await workflows.signalWithStart('crawl', {
    workflowId: crawlWorkflowId(crawlId),
    taskQueue: taskQueues.control,
    args: [{ crawlId, reopened: true }],
    signal: reopenCrawlSignal,
    workflowTaskTimeout: '5 seconds',
  });
}
