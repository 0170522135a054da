/** Judges the frontier of a crawl by edited settings (G6): in batches, each from where the last one ended. */
import { wholeConfig } from '../../contracts/crawl.ts';
import { counted } from '../../domain/counted.ts';
import { whyNoMore } from '../../domain/crawl-life.ts';
import { limitReached } from '../../domain/finish.ts';
import {
  applyBatch,
  changesScores,
  endEdit,
  findConfig,
  noteReread,
  readPlace,
  type EditPlace,
  type JudgedBatch,
  limitedUrls,
  hostsAtLimit,
  pagesToReread,
  pendingConfig,
  type ConfigRow,
  type PendingConfig,
  urlsToJudge,
} from '../../storage/edits/index.ts';
import { loadCrawls } from '../../storage/crawls/index.ts';
import { withSession } from '../../storage/sessions/index.ts';
import { candidate } from '../admission/candidates.ts';
import { crawlOutlookOf } from '../crawls/life.ts';
import type { Dependencies } from '../dependencies.ts';
import { done, more, type Job } from '../jobs/job.ts';
import {
  admitsLimited,
  judgeAgain,
  judgeEach,
  queuedAgain,
  reached,
  roomAt,
  rulesOf,
  type Rules,
} from './judgement.ts';
import { rescore } from './rescore.ts';
import { storedBatches } from './stored-links.ts';

/** URLs in one transaction: locks are held for some dozen milliseconds. */
const urlBatch = 1_000;
/** Pages read again in one step, with up to ten thousand links each; links admitted in one statement. */
const pageBatch = 20;
const linkBatch = 2_000;
/** Hosts looked at in one step. */
const hostBatch = 100;

interface Step {
  readonly crawlId: string;
  readonly pending: PendingConfig;
  readonly place: EditPlace;
  readonly rules: Rules;
  /** Other weights hold, so that URLs that wait get new scores. */
  readonly rescores: boolean;
}

/** How far a version of a crawl's settings has been applied to its frontier. */
export type EditProgress = Pick<
  ConfigRow,
  'version' | 'state' | 'judged' | 'excluded' | 'readmitted' | 'reread' | 'admitted'
>;

/** @param reopen makes sure that a crawl that had ended is watched again */
export function editJobs(dependencies: Dependencies, reopen: (crawlId: string) => Promise<void>): Job {
  const { pool, writer, books, admission } = dependencies;
  const { crawls } = books;

  const applyAndWake = async (crawlId: string, batch: JudgedBatch): Promise<void> => {
    const done = await applyBatch(pool, crawlId, batch);
    if (done !== null) dependencies.wakeHosts(done.hosts);
  };

  const judgeUrls = async ({ crawlId, pending, place, rules, rescores }: Step): Promise<void> => {
    const rows = await urlsToJudge(pool, crawlId, place.hostId, place.key, rules.movable, urlBatch);
    const last = rows.at(-1);
    // Before the place is noted: after a crash the batch is scored again, to the same scores.
    if (rescores) await rescore(dependencies, crawlId, wholeConfig(pending.config), rows);
    await applyAndWake(crawlId, {
      version: pending.version,
      seedsRevision: pending.seeds_revision,
      from: pending.place,
      to:
        last === undefined
          ? { of: 'hosts', hostId: 0, key: '' }
          : { of: 'urls', hostId: last.host_id, key: last.key },
      judged: rows.length,
      moved: (await judgeEach(await reached(rows, rules), (each) => judgeAgain(each, rules))).filter(
        (moved) => moved !== null,
      ),
    });
  };

  /** Fills new room at hosts with the best URLs that the rules admit. URLs that they do not admit stay as they are. */
  const fillHosts = async ({ crawlId, pending, place, rules }: Step): Promise<void> => {
    const { maxPagesPerHost } = wholeConfig(pending.config);
    const after = place.key === '' ? place.hostId : place.hostId - 1;
    const hosts = await hostsAtLimit(pool, crawlId, after, hostBatch);
    let to: EditPlace = { of: hosts.length === 0 ? 'pages' : 'hosts', hostId: 0, key: '' };
    const moved: JudgedBatch['moved'][number][] = [];
    let left = urlBatch;
    for (const host of hosts) {
      if (left === 0) break;
      const { host_id: hostId } = host;
      const room = roomAt(host, maxPagesPerHost);
      const key = hostId === place.hostId ? place.key : '';
      const rows = room === 0 ? [] : await limitedUrls(pool, crawlId, hostId, key, left);
      const admits = await judgeEach(await reached(rows, rules), (each) => admitsLimited(each, rules));
      const admitted = rows.filter((_, at) => admits[at] === true).slice(0, room);
      moved.push(...admitted.map((row) => queuedAgain(row)));
      const goesOn = rows.length === left && admitted.length < room;
      left -= rows.length;
      to = { of: 'hosts', hostId, key: goesOn ? (rows.at(-1)?.key ?? '') : '' };
    }
    await applyAndWake(crawlId, {
      version: pending.version,
      seedsRevision: pending.seeds_revision,
      from: pending.place,
      to,
      judged: 0,
      moved,
    });
  };

  const readPagesAgain = async ({ crawlId, pending, place }: Step): Promise<void> => {
    const { version } = pending;
    const pages = pending.rereads
      ? await pagesToReread(pool, crawlId, place.hostId, place.key, pageBatch)
      : [];
    const last = pages.at(-1);
    if (last === undefined) return endEdit(pool, crawlId, pending, 'applied');
    const crawl = await crawls.open(Number(crawlId));
    let queued = 0;
    for (const stored of storedBatches(pages, linkBatch)) {
      const found = stored.map(({ link, page }) => candidate(crawl, link, { in: 'page', page }));
      const written = await admission.store(writer, found);
      queued += written.queued;
    }
    const to: EditPlace = { of: 'pages', hostId: last.host_id, key: last.key };
    await noteReread(pool, crawlId, { version, from: pending.place, to }, pages.length, queued);
  };

  const steps = { urls: judgeUrls, hosts: fillHosts, pages: readPagesAgain };

  const work: Job['work'] = async ({ id: crawlId, goOn }) => {
    let version: number | null = null;
    /** Rules of the pending version. */
    let rules: Rules | null = null;
    let rescores = false;
    for (;;) {
      const [pending] = await pendingConfig(pool, crawlId);
      if (pending === undefined) break;
      if (whyNoMore(pending) !== null) {
        await endEdit(pool, crawlId, pending, 'stopped');
        continue;
      }
      if (rules === null || version !== pending.version) {
        const config = wholeConfig(pending.config);
        const outlook = await crawlOutlookOf(pool, crawlId);
        const reached = limitReached({ ...outlook, runningMs: outlook.running_ms ?? 0 }, config);
        rules = rulesOf(pool, crawlId, await withSession(pool, crawlId, config), reached !== null);
        rescores = (await changesScores(pool, crawlId, pending.version))[0]?.changed === true;
      }
      ({ version } = pending);
      const place = readPlace(pending.place);
      await steps[place.of]({ crawlId, pending, place, rules, rescores });
      if (!goOn()) {
        const progress = await progressOf(crawlId, version);
        return more(progress, progressSentence(progress));
      }
    }
    // In every call, since an earlier call may have been cut off before this.
    const [crawl] = await loadCrawls(pool, [Number(crawlId)]);
    if (crawl?.state === 'running') await reopen(crawlId);
    const progress = await progressOf(crawlId, version ?? crawl?.config_version ?? 1);
    return done(progressSentence(progress), progress);
  };

  const progressOf = async (crawlId: string, version: number): Promise<EditProgress> => {
    const row = await findConfig(pool, crawlId, version);
    const { judged = 0, excluded = 0, readmitted = 0, reread = 0, admitted = 0 } = row ?? {};
    return { version, state: row?.state ?? 'stopped', judged, excluded, readmitted, reread, admitted };
  };

  return { work };
}

function progressSentence({ version, state, ...counts }: EditProgress): string {
  const { judged, excluded, readmitted, reread, admitted } = counts;
  const urls = `${counted(judged, 'URL')} looked at, ${String(excluded)} excluded, ${String(readmitted)} queued again`;
  const pages =
    reread === 0 ? '' : `; ${counted(reread, 'page')} read again, ${counted(admitted, 'URL')} found`;
  return `Version ${String(version)} is ${state}: ${urls}${pages}`;
}
