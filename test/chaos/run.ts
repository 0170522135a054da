/** One run: a seeded web is crawled while a seeded plan of faults strikes, and what came of it is judged. */
import { Client, Connection } from '@temporalio/client';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CreatedCrawl, CrawlView } from '../../contracts/http/crawls.ts';
import type { AuditView } from '../../contracts/http/results.ts';
import { ArchiveReader, SegmentFolder } from '../../storage/archive/index.ts';
import { findBrowser } from '../../browser/find.ts';
import { expectedOf, pageKey, shellsOf } from '../web/expected.ts';
import type { RequestRecord } from '../web/log.ts';
import { patientDelay } from '../web/misfits.ts';
import { domainOf } from '../web/names.ts';
import type { WebOptions } from '../web/options.ts';
import { renderPage } from '../web/page.ts';
import type { Plan } from '../web/plan.ts';
import type { Page } from '../web/site.ts';
import { spawnWeb, type SpawnedWeb } from '../web/spawn.ts';
import { tables } from '../support/database/index.ts';
import { startNameServer } from '../support/name-server.ts';
import { addressCap, domainCap, leaseMs, openBed, type Bed } from './bed.ts';
import { Faults } from './faults.ts';
import type { Figure } from './figure.ts';
import { figuresOf, strikeLine, type FinalUrl } from './judge.ts';
import { faultKinds, planFaults, type Fault, type FaultKind } from './plan.ts';
import type { FinalShell } from './shells.ts';
import type { Strike } from './timeline.ts';

export interface RunOptions {
  readonly seed: number;
  /** How long faults strike. */
  readonly seconds: number;
  readonly kinds: readonly FaultKind[];
  readonly web: Partial<WebOptions>;
  /** Of every robots.txt but that of the patient, in seconds. */
  readonly crawlDelay: number;
  /**
   * The crawl stands while faults strike: a page of a well-behaved host is due again after so many seconds. Null: each
   * page is fetched once.
   */
  readonly freshSeconds: number | null;
  /** The crawl has to finish by itself within this, once the last fault is over. */
  readonly finishSeconds: number;
  /** Gives the run up: what it started is ended, and `runChaos` rejects. */
  readonly signal?: AbortSignal;
  /** Told what happens, a line at a time. */
  readonly tell: (line: string) => void;
}

export interface RunResult {
  readonly figures: readonly Figure[];
  readonly strikes: readonly Strike[];
  readonly records: readonly RequestRecord[];
  /** Kinds of faults that this machine cannot have, with the reason. */
  readonly skipped: readonly string[];
  /** From the end of the last fault to the end of the crawl. */
  readonly finishedAfterMs: number;
}

const hasBrowser = 'program' in findBrowser(null, process.env);

/** Where all hosts of the web are, whatever their names. */
const webAddress = '127.0.0.1';
/** One fault in so many milliseconds. */
const paceMs = 3_500;
/** The crawl is well under way before the first. */
const firstRequests = 10;

const closed = (view: CrawlView): boolean => view.endedAt !== null;

async function eventually<T>(what: string, ms: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`not within ${String(ms)} ms: ${what}`, { cause: error });
      await delay(200);
    }
  }
}

/** The crawl's end; null: it did not come in time. */
async function ended(bed: Bed, crawlId: string, ms: number): Promise<CrawlView | null> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) {
    const view = await bed.ask<CrawlView>(`/v1/crawls/${crawlId}`).catch(() => null);
    if (view !== null && closed(view)) return view;
    await delay(250);
  }
  return null;
}

async function finalUrls(
  bed: Bed,
  crawlId: string,
): Promise<(FinalUrl & { readonly hash: string | null })[]> {
  const rows = await tables.url.rows(bed.pool(), { crawl_id: crawlId });
  return rows.map(({ url, state, reason, content_hash: hash }) => ({
    ...{ url, state, reason, hash: hash?.toString('hex') ?? null },
  }));
}

const archiveOf = (bed: Bed): ArchiveReader =>
  new ArchiveReader(bed.pool(), new SegmentFolder(bed.blobDir), 64 * 1024 * 1024);

async function lostBodies(bed: Bed, hashes: readonly string[]): Promise<string[]> {
  const store = archiveOf(bed);
  const lost: string[] = [];
  for (const hash of hashes) if ((await store.get(Buffer.from(hash, 'hex'))) === null) lost.push(hash);
  return lost;
}

async function finalShells(
  bed: Bed,
  crawlId: string,
  shells: ReadonlyMap<string, Page>,
  plan: Plan,
): Promise<FinalShell[]> {
  const store = archiveOf(bed);
  const made = new Map<string, number>();
  for (const { hash } of await tables.body.rows(bed.pool())) {
    const fields = (await store.answer(hash))?.fields;
    if (fields?.get('warc-type') !== 'conversion') continue;
    const key = pageKey(fields.get('warc-target-uri') ?? '');
    made.set(key, (made.get(key) ?? 0) + 1);
  }
  const stories = await tables.rendering.rows(bed.pool(), { crawl_id: crawlId });
  const rows = new Map(
    (await tables.url.rows(bed.pool(), { crawl_id: crawlId })).map((row) => [pageKey(row.url), row]),
  );
  const final: FinalShell[] = [];
  for (const [url, page] of shells) {
    const row = rows.get(url);
    const hash = row?.content_hash ?? null;
    const body = hash === null ? null : await store.get(hash);
    const text = body === null ? '' : Buffer.from(body).toString();
    const [heading = ''] = /<h1>.*?<\/h1>/.exec(renderPage(plan, page).toString()) ?? [];
    const rendering = stories.find(({ host_id: id, key }) => id === row?.host_id && row.key.equals(key));
    const { outcome, rounds, crashes, reason } = rendering ?? {};
    const story = JSON.stringify({ state: row?.state, stage: row?.stage, reason, outcome, rounds, crashes });
    const isWhole = text.includes(heading) && text.includes('</footer>');
    final.push({ url, isWhole, bodies: made.get(url) ?? 0, story });
  }
  return final;
}

async function keptBack(bed: Bed): Promise<string[]> {
  const origins = new Map((await tables.host.rows(bed.pool())).map(({ id, origin }) => [id, origin]));
  return (await tables.quarantine.rows(bed.pool())).map(
    ({ host_id: id, shape, rule, verdict }) => `${verdict}: ${shape} of ${origins.get(id) ?? ''} (${rule})`,
  );
}

async function failedWorkflows(bed: Bed): Promise<string[]> {
  const connection = await Connection.connect({ address: bed.temporalAddress() });
  try {
    const found: string[] = [];
    const { workflow } = new Client({ connection });
    const query = "ExecutionStatus in ('Failed', 'TimedOut', 'Terminated')";
    for await (const { workflowId, status } of workflow.list({ query })) {
      found.push(`${workflowId} ${status.name}`);
    }
    return found;
  } finally {
    await connection.close();
  }
}

/** Who still waits for what, where a crawl does not end. */
async function whatIsLeft(bed: Bed, crawlId: string): Promise<string[]> {
  const counts: Record<string, number> = {};
  for (const { host_id: id, state, stage } of await tables.url.rows(bed.pool(), { crawl_id: crawlId })) {
    if (state !== 'queued' && state !== 'leased' && stage === 0) continue;
    const key = `${String(id)} ${state}, stage ${String(stage)}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const hosts = new Map((await tables.host.rows(bed.pool())).map((host) => [String(host.id), host]));
  return Object.entries(counts).map(([key, count]) => {
    const { origin, lease_token, lease_until, not_before, fed, parked_at, last_error } =
      hosts.get(key.split(' ')[0] ?? '') ?? {};
    const row = JSON.stringify({ lease_token, lease_until, not_before, fed, parked_at, last_error });
    return `${origin ?? ''}: ${String(count)} of ${key}; ${row}`;
  });
}

function planFor(bed: Bed, { seed, seconds, kinds }: RunOptions): { plan: Fault[]; skipped: string[] } {
  const missing = new Map<FaultKind, string>();
  if (bed.disk === null) missing.set('disk', 'mounting is refused here');
  if (!hasBrowser) missing.set('render', 'no browser is installed');
  if (bed.clocks === null) missing.set('clock', 'libfaketime is not installed');
  const possible = kinds.filter((kind) => !missing.has(kind));
  const plan = planFaults({
    seed,
    count: Math.max(1, Math.round((seconds * 1_000) / paceMs)),
    withinMs: seconds * 1_000,
    kinds: possible,
  });
  const skipped = faultKinds
    .filter((kind) => kinds.includes(kind) && missing.has(kind))
    .map((kind) => `${kind}: ${missing.get(kind) ?? ''}`);
  return { plan, skipped };
}

const keptFresh = (web: SpawnedWeb, seconds: number): object => {
  const interval = { floorSeconds: seconds, ceilingSeconds: 2 * seconds };
  return {
    requestsPerDay: 1_000_000,
    only: web.plan.sites.filter(({ misfit }) => misfit === null).map(({ origin }) => `${origin}/*`),
    intervals: { news: interval, generic: interval, dormant: interval },
  };
};

/** Pages that are queued again after the last fault before the crawl is told to end. */
const leastAgain = 2;

/** How many pages were queued again by the time the crawl stands no more. */
async function endOfStanding(bed: Bed, crawlId: string): Promise<number> {
  const queued = async (): Promise<number> =>
    (await tables.standing.row(bed.pool(), { crawl_id: crawlId })).queued;
  const before = await eventually('the crawl stands', 60_000, queued);
  await eventually('pages are fetched again after the faults', 300_000, async () => {
    if ((await queued()) < before + leastAgain) throw new Error('too few were queued again');
  });
  const at = `/v1/crawls/${crawlId}`;
  // A crawl that is paused queues none, so the count is the last one.
  await eventually('the crawl is paused', 60_000, () => bed.ask(`${at}/pause`, {}));
  const all = await queued();
  await eventually('the crawl stands no more', 60_000, () => bed.ask(at, { keepFresh: null }, 'PATCH'));
  await eventually('the crawl goes on', 60_000, () => bed.ask(`${at}/resume`, {}));
  return all;
}

async function runOn(bed: Bed, web: SpawnedWeb, options: RunOptions): Promise<RunResult> {
  const { tell, crawlDelay, freshSeconds } = options;
  const { plan, skipped } = planFor(bed, options);
  const created = await bed.ask<CreatedCrawl>('/v1/crawls', {
    seeds: web.seeds,
    scope: 'any',
    // No host but the endless calendar has as many. A trap is held once it has eaten a tenth of the limit.
    maxPagesPerHost: 400,
    ...(freshSeconds !== null && { keepFresh: keptFresh(web, freshSeconds) }),
  });
  await eventually('the crawl is under way', 60_000, async () => {
    if ((await web.count()) < firstRequests) throw new Error('too few requests');
  });
  const strikes: Strike[] = [];
  const patient = web.plan.sites.filter(({ misfit }) => misfit === 'patient').map(({ origin }) => origin);
  const faults = new Faults(bed, web.now, patient, (strike) => {
    strikes.push(strike);
    tell(strikeLine(strike));
  });
  options.signal?.addEventListener('abort', () => void faults.stop());
  try {
    await faults.rain(plan);
  } finally {
    await faults.stop();
  }
  await bed.ready();
  const over = performance.now();
  tell(
    `the last fault is over after ${String(await web.count())} requests; now the crawl has to finish by itself`,
  );
  const queued = freshSeconds === null ? 0 : await endOfStanding(bed, created.id);
  const end = await ended(bed, created.id, options.finishSeconds * 1_000);
  const finishedAfterMs = performance.now() - over;

  const urls = await finalUrls(bed, created.id);
  const audit = await eventually('an audit', 30_000, () =>
    bed.ask<AuditView>(`/v1/crawls/${created.id}/audit`),
  );
  const hashes = [...new Set(urls.flatMap(({ hash }) => (hash === null ? [] : [hash])))];
  if (end === null) {
    for (const line of await whatIsLeft(bed, created.id)) tell(line);
    const logs = mkdtempSync(path.join(tmpdir(), 'orbweaver-chaos-logs-'));
    bed.keepLogs(logs);
    tell(`the logs of workers and API are kept in ${logs}`);
  }
  const records = await web.log();
  const patientHosts = new Set(patient.map((origin) => new URL(origin).host));
  const expected = expectedOf(web.plan);
  const figures = figuresOf({
    records,
    strikes,
    expected,
    delayMs: (host) => 1_000 * (patientHosts.has(host) ? patientDelay : crawlDelay),
    leaseMs,
    crowds: [
      { name: 'addresses', groupOf: () => webAddress, cap: addressCap },
      { name: 'domains', groupOf: domainOf, cap: domainCap },
    ],
    again: freshSeconds === null ? null : { floorMs: freshSeconds * 1_000, queued },
    urls,
    shells: await finalShells(bed, created.id, shellsOf(web.plan, expected), web.plan),
    ending: end === null ? null : `${end.state}, ${end.reason ?? ''}`,
    keptBack: await keptBack(bed),
    auditDifferences: audit.differences.map(
      ({ check, expected, actual, detail }) =>
        `${check}: ${String(actual)} for ${String(expected)} (${detail})`,
    ),
    bodiesLost: await lostBodies(bed, hashes),
    workflowsFailed: await failedWorkflows(bed),
  });
  return { figures, strikes, records, skipped, finishedAfterMs };
}

const abortion = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const giveUp = (): void => {
      reject(new Error('the run was interrupted'));
    };
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener('abort', giveUp);
  });

/** Everything it starts has ended when it resolves or rejects. */
export async function runChaos(options: RunOptions): Promise<RunResult> {
  const { seed, crawlDelay } = options;
  const web = await spawnWeb({
    seed,
    crawlDelay,
    spread: 'names',
    ...options.web,
    ...(!hasBrowser && { shells: 0 }),
  });
  try {
    const names = await startNameServer(webAddress);
    try {
      const bed = await openBed(names.address);
      try {
        return await Promise.race([runOn(bed, web, options), abortion(options.signal)]);
      } finally {
        await bed.close();
      }
    } finally {
      await names.close();
    }
  } finally {
    await web.stop();
  }
}
