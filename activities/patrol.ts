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
import type { WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import { inRounds } from '../engine/rounds.ts';
import { type Pool, retrying } from '../storage/postgres/index.ts';
import { countShards, unfeedHosts } from '../storage/feeding/index.ts';
import { heldHostsAfter } from '../storage/hosts/index.ts';
import { noteTemporalNamespace, temporalNamespace } from '../storage/instance/index.ts';
import { openCrawlsAfter } from '../storage/crawls/index.ts';
import { pendingEdits } from '../storage/edits/index.ts';
import { openExports } from '../storage/exports/index.ts';
import { reclaimPaused } from '../storage/frontier/index.ts';
import { lookAtQuality } from '../storage/quality/index.ts';
import { judgeAlike } from '../storage/alike/index.ts';
import { judgeSameTexts } from '../storage/pages/index.ts';
import { openReextractions } from '../storage/reextraction/index.ts';
import { openIndexes } from '../storage/search/index.ts';
import { tendQuarantine, tendSoft404 } from '../storage/traps/index.ts';
import { wholeConfig } from '../contracts/crawl.ts';
import type { JobKind } from '../contracts/jobs.ts';
import { lookSeconds } from '../domain/recrawl/keep-fresh.ts';
import { endStanding, standingCrawlsAfter } from '../storage/recrawl/index.ts';
import { scheduleRecrawl, unscheduleRecrawl, type Schedules } from './schedules.ts';
import { startMissing } from './open-workflows.ts';

const lookMs = 5_000;
/** Most items of each kind in one look: at most ten calls to Temporal a second. */
const crawlsALook = 40;
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

/** Work of one kind, each with a workflow of its own, looked through by id. */
interface Walk {
  readonly what: string;
  /** The next ones, `crawlsALook` at most. */
  readonly find: (after: string) => Promise<readonly { readonly id: string }[]>;
  /** True: it had no workflow, and has one now. */
  readonly start: (id: string) => Promise<boolean>;
  /** The id after which the next look goes on; '0' begins anew. */
  after: string;
}

type Workflows = Pick<WorkflowClient, 'start' | 'workflowService' | 'options'>;

/**
 * Runs until the returned function is called.
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
): () => Promise<void> {
  const round = new Patrol(pool, workflows, schedules, shards, index, log);
  return inRounds(
    lookMs,
    () => round.look(),
    (error) => {
      log.debug(
        { err: error },
        'the search for work without a workflow failed; the next round searches again',
      );
    },
  );
}

export class Patrol {
  readonly #pool: Pool;
  readonly #workflows: Workflows;
  readonly #schedules: Schedules;
  readonly #shards: number;
  readonly #log: Logger;
  /** In their order: schedulers are started before the first crawl is. */
  readonly #walks: readonly Walk[];
  /** Ids after which the next look goes on; '0' begins a new round. */
  #standing = '0';
  readonly #alike = { crawl: 0 };
  #host = '0';
  #looked = 0;
  #inHurry = false;

  constructor(
    pool: Pool,
    workflows: Workflows,
    schedules: Schedules,
    shards: number,
    index: string,
    log: Logger,
  ) {
    this.#pool = pool;
    this.#workflows = workflows;
    this.#schedules = schedules;
    this.#shards = shards;
    this.#log = log;
    const walk = (what: string, find: Walk['find'], start: Walk['start']): Walk => ({
      ...{ what, find, start, after: '0' },
    });
    const jobs = (kind: JobKind, find: Walk['find']): Walk =>
      walk(kind, find, (id) => startMissing.job(workflows, kind, id));
    this.#walks = [
      walk(
        'crawl',
        (after) => openCrawlsAfter(pool, after, crawlsALook),
        (id) => startMissing.crawl(workflows, id),
      ),
      jobs('edit', (after) => pendingEdits(pool, after, crawlsALook)),
      jobs('search', (after) => openIndexes(pool, after, crawlsALook, index)),
      jobs('export', (after) => openExports(pool, after, crawlsALook)),
      jobs('reextraction', (after) => openReextractions(pool, after, crawlsALook)),
    ];
  }

  async look(): Promise<void> {
    await this.#noticeLoss();
    for (const walk of this.#walks) await this.#goOn(walk);
    await this.#lookAtStanding();
    await retrying(() => reclaimPaused(this.#pool, hostsALook));
    this.#looked = await lookAtQuality(this.#pool, this.#looked, qualitiesALook);
    await tendQuarantine(this.#pool, shapesALook, tendMs);
    await tendSoft404(this.#pool, shapesALook);
    await judgeSameTexts(this.#pool, judgeMs);
    await judgeAlike(this.#pool, judgeMs, this.#alike);
    await this.#lookAtHosts(this.#inHurry ? hostsInHurry : hostsALook);
  }

  /** The next items of a walk; a walk that has come to its end begins anew. */
  async #goOn(walk: Walk): Promise<void> {
    const found = await walk.find(walk.after);
    if (walk.what === 'crawl' && (walk.after !== '0' || found.length > 0)) await this.#startSchedulers();
    for (const { id } of found) {
      if (await walk.start(id)) this.#tell(walk.what, id);
      walk.after = id;
    }
    if (found.length < crawlsALook) walk.after = '0';
  }

  async #lookAtStanding(): Promise<void> {
    const standing = await standingCrawlsAfter(this.#pool, this.#standing, crawlsALook);
    for (const { id, config } of standing) {
      const { keepFresh } = wholeConfig(config ?? {});
      if (keepFresh === null) {
        await unscheduleRecrawl(this.#schedules, id);
        await endStanding(this.#pool, id);
      } else if (await scheduleRecrawl(this.#schedules, id, lookSeconds(keepFresh)))
        this.#tell('schedule', id);
      this.#standing = id;
    }
    if (standing.length < crawlsALook) this.#standing = '0';
  }

  async #lookAtHosts(limit: number): Promise<void> {
    const hosts = await heldHostsAfter(this.#pool, this.#host, limit);
    for (const { id, origin } of hosts) {
      if (await startMissing.host(this.#workflows, id, origin)) this.#tell('host', origin);
      this.#host = id;
    }
    if (hosts.length === limit) return;
    this.#host = '0';
    this.#inHurry = false;
  }

  /** Shards stay when the setting is lowered, and splits make more. */
  async #startSchedulers(): Promise<void> {
    const [given] = await countShards(this.#pool, this.#shards);
    for (let shard = 0; shard < (given?.shards ?? 0); shard++)
      if (await startMissing.scheduler(this.#workflows, shard)) this.#tell('scheduler', String(shard));
  }

  /** A new namespace id shows that Temporal has lost its data: then no host has a workflow. */
  async #noticeLoss(): Promise<void> {
    const { namespace } = this.#workflows.options;
    const { namespaceInfo } = await this.#workflows.workflowService.describeNamespace({ namespace });
    const id = namespaceInfo?.id ?? '';
    const [known] = await temporalNamespace(this.#pool);
    if (id === '' || known?.id === id) return;
    let hosts = 0;
    // A batch is short where somebody else holds a host's row.
    for (let given = 1; given > 0; hosts += given)
      given = (await retrying(() => unfeedHosts(this.#pool, batch))).length;
    // Noted last: after a crash before this, the hosts are marked again.
    await noteTemporalNamespace(this.#pool, id);
    this.#host = '0';
    this.#inHurry = true;
    if ((known?.id ?? null) !== null)
      this.#log.warn({ hosts }, 'Temporal has lost its workflows; work goes on from the state in Postgres');
  }

  #tell(what: string, id: string): void {
    this.#log.info({ what, id }, 'a missing workflow was started');
  }
}
