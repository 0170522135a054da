/**
 * Finds work whose workflow is gone: terminated by hand, never started by an API that was killed, or lost with all of
 * Temporal's data. Postgres holds the truth, so each is started where it is missing and goes on from there. It pages
 * through what should have a workflow, some at a look, and asks to start each: one that runs is not touched by that.
 * What a worker that was killed left leased at a host that is paused since goes back to its queue, since nobody visits it.
 * Hosts that have work to do are the scheduler's to find (refeed-hosts.ts), webhooks those of webhook-waker.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Pool } from '../storage/pool.ts';
import { countShards } from '../storage/statements/count-shards.ts';
import { heldHostsAfter } from '../storage/statements/held-hosts-after.ts';
import { noteTemporalNamespace } from '../storage/statements/note-temporal-namespace.ts';
import { openCrawlsAfter } from '../storage/statements/open-crawls-after.ts';
import { pendingEdits } from '../storage/statements/pending-edits.ts';
import { reclaimPaused } from '../storage/statements/reclaim-paused.ts';
import { temporalNamespace } from '../storage/statements/temporal-namespace.ts';
import { unfeedHosts } from '../storage/statements/unfeed-hosts.ts';
import { startMissing } from './open-workflows.ts';

const lookMs = 5_000;
/** Looked at in one look of each kind: ten calls to Temporal a second at most. */
const crawlsALook = 40;
const hostsALook = 10;
/** After a loss of everything, until all hosts were looked at once. */
const hostsInHurry = 100;
/** Hosts marked in one statement. */
const batch = 1_000;

type Workflows = Pick<WorkflowClient, 'start' | 'workflowService' | 'options'>;

/** Goes on until the function it answers is called. @param shards of new hosts */
export function patrol(pool: Pool, workflows: Workflows, shards: number, log: Logger): () => Promise<void> {
  const ended = new AbortController();
  const round = new Patrol(pool, workflows, shards, log);
  const walking = (async () => {
    while (!ended.signal.aborted) {
      try {
        await round.look();
      } catch (error) {
        log.debug({ err: error }, 'work without a workflow could not be looked for; the next look will');
      }
      await sleep(lookMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return () => {
    ended.abort();
    return walking;
  };
}

export class Patrol {
  readonly #pool: Pool;
  readonly #workflows: Workflows;
  readonly #shards: number;
  readonly #log: Logger;
  /** After which ids to go on; '0' begins a new round. */
  #crawl = '0';
  #edit = '0';
  #host = '0';
  #inHurry = false;

  constructor(pool: Pool, workflows: Workflows, shards: number, log: Logger) {
    this.#pool = pool;
    this.#workflows = workflows;
    this.#shards = shards;
    this.#log = log;
  }

  async look(): Promise<void> {
    await this.#noticeLoss();
    const crawls = await openCrawlsAfter(this.#pool, this.#crawl, crawlsALook);
    if (this.#crawl !== '0' || crawls.length > 0) await this.#startSchedulers();
    for (const { id } of crawls) {
      if (await startMissing.crawl(this.#workflows, id)) this.#tell('crawl', id);
      this.#crawl = id;
    }
    if (crawls.length < crawlsALook) this.#crawl = '0';
    const edits = await pendingEdits(this.#pool, this.#edit, crawlsALook);
    for (const { id } of edits) {
      if (await startMissing.edit(this.#workflows, id)) this.#tell('edit', id);
      this.#edit = id;
    }
    if (edits.length < crawlsALook) this.#edit = '0';
    await reclaimPaused(this.#pool, hostsALook);
    await this.#lookAtHosts(this.#inHurry ? hostsInHurry : hostsALook);
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

  /** Hosts keep their shard where the setting has become a lower one. */
  async #startSchedulers(): Promise<void> {
    const [given] = await countShards(this.#pool);
    for (let shard = 0; shard < Math.max(this.#shards, given?.shards ?? 0); shard++)
      if (await startMissing.scheduler(this.#workflows, shard)) this.#tell('scheduler', String(shard));
  }

  /** Another namespace than the one that was told of the work knows nothing of it: no host has a workflow. */
  async #noticeLoss(): Promise<void> {
    const { namespace } = this.#workflows.options;
    const { namespaceInfo } = await this.#workflows.workflowService.describeNamespace({ namespace });
    const id = namespaceInfo?.id ?? '';
    const [known] = await temporalNamespace(this.#pool);
    if (id === '' || known?.id === id) return;
    let hosts = 0;
    for (let given = batch; given === batch; hosts += given)
      given = (await unfeedHosts(this.#pool, batch)).length;
    // Last: cut off before, it is done again.
    await noteTemporalNamespace(this.#pool, id);
    this.#host = '0';
    this.#inHurry = true;
    if ((known?.id ?? null) !== null)
      this.#log.warn({ hosts }, 'Temporal has forgotten everything; work goes on from what Postgres holds');
  }

  #tell(what: string, id: string): void {
    this.#log.info({ what, id }, 'a workflow was missing and is started');
  }
}
