/**
 * The door: a host that is not known to answer is asked for its robots.txt before a workflow is started for it. Most
 * dead hosts are found here, at the cost of a statement or two each time and without Temporal.
 *
 *   unknown   The host is asked in the turn of a crawl that wants it (domain/front-queue/), under its lease. Meanwhile
 *             it takes one of the door's places, but no fetch slot and no place among the active hosts.
 *   known     The host answers, whatever the answer is. Where many hosts are met, and few URLs are queued at this one, it
 *             is visited at once, under the same lease (ask-host.ts). The scheduler feeds it when its turn has come, if URLs
 *             are left then; if the visit left dead letters, it gets a workflow that shows them.
 *   failing   The host does not answer (its name, its port, TLS, or only silence). It is asked again after the backoff
 *             in its row, and takes no place meanwhile.
 *   spent     The host's retries are spent. It gets a workflow, which parks it: people find it there, and it is probed
 *             and retried like any parked host.
 *
 * All states are in Postgres. Hosts that a process was asking when it died are asked again when their leases run out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { newFront } from '../../domain/front-queue/front-state.ts';
import { firstVisitMs } from '../../domain/slice.ts';
import { isSpent } from '../../domain/trouble.ts';
import { retrying } from '../../storage/postgres/index.ts';
import { silentTimes } from '../../storage/instance/index.ts';
import {
  type DoorRegions,
  type HostAtDoor,
  markKnown,
  markSpent,
  noteUnanswered,
  type Unanswered,
  takeTurnsAtDoor,
} from '../../storage/feeding/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { Census } from '../visit/census.ts';
import { FetchContext } from '../visit/fetch-context.ts';
import type { HostTrouble } from '../visit/host-rules.ts';
import { HostVisit } from '../visit/host-visit.ts';
import { Slice } from '../visit/slice.ts';
import { askHost } from './ask-host.ts';

/** Milliseconds between two looks: `lookMs` after a look that found hosts, `idleMs` after one that found none, unless seeds come. */
const lookMs = 250;
const idleMs = 500;
/** Most first visits under way: they take no places, since they mostly wait for their hosts' pace. */
const mostVisits = 1_500;
/** Most hosts that one look begins to ask: bounds what dead hosts cost, about a millisecond of Postgres each. */
const mostAtOnce = 40;
/** Largest share of the door's places for one crawl. */
const mostOfCrawl = 0.75;
/** Milliseconds between two workflows that the door starts: each costs Temporal something, and there may be thousands. */
const startMs = 50;
/** Milliseconds for which failures are gathered, to be written in one statement. */
const gatherMs = 100;
/** A process meets many hosts if it has met many in so many milliseconds. */
const metMs = 300_000;
/** Milliseconds that `close` waits for requests under way. After that, their leases run out by themselves. */
const leaveMs = 2_000;

/** Starts a host's workflow. @param spent why the host's retries are spent, so that it parks; absent: it is visited */
export type StartHost = (hostId: string, origin: string, spent?: string) => Promise<void>;

export class Door {
  readonly #dependencies: Dependencies;
  readonly #startHost: StartHost;
  readonly #places: number;
  readonly #context: FetchContext;
  readonly #census: Census;
  readonly #ended = new AbortController();
  /** Number of hosts being asked, by the crawl whose turn they use. */
  readonly #taken = new Map<number, number>();
  readonly #asking = new Set<Promise<void>>();
  readonly #visiting = new Set<Promise<void>>();
  /** The turns of front queues here. They need not outlive the process. */
  #front = newFront(Date.now());
  #queues: DoorRegions | null = null;
  #unanswered: Unanswered[] = [];
  #noting: Promise<void> | null = null;
  /** The last start of a workflow: they are started one after another. */
  #starting: Promise<void> = Promise.resolve();
  readonly #looking: Promise<void>;

  /** @param places most hosts asked at a time @param census hosts met at the door */
  constructor(dependencies: Dependencies, startHost: StartHost, places: number, census = new Census(metMs)) {
    this.#dependencies = dependencies;
    this.#startHost = startHost;
    this.#places = places;
    this.#census = census;
    this.#context = new FetchContext(dependencies);
    this.#looking = this.#lookOn();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#looking;
    await Promise.race([
      Promise.allSettled([...this.#asking, ...this.#visiting]),
      sleep(leaveMs, null, { ref: false }),
    ]);
  }

  async #lookOn(): Promise<void> {
    const { log, bells } = this.#dependencies;
    const { signal } = this.#ended;
    const ear = bells.listen(['seeds'], () => true);
    while (!signal.aborted) {
      let begun = 0;
      ear.forget();
      try {
        begun = await this.#look();
      } catch (error) {
        log.debug({ err: error }, 'hosts at the door could not be checked; the next round checks them');
      }
      if (begun === 0) await ear.sleep(idleMs, signal);
      else await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
    bells.silence(ear);
  }

  /** Returns how many hosts it began to ask. */
  async #look(): Promise<number> {
    const { pool, settings, outage } = this.#dependencies;
    const free = Math.min(this.#places - this.#asking.size, mostVisits - this.#visiting.size, mostAtOnce);
    if (free <= 0 || outage() !== null) return 0;
    const most = Math.ceil(this.#places * mostOfCrawl);
    const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: settings.leaseMs };
    const turns = await takeTurnsAtDoor(
      ...([pool, this.#taken, free, most, settings.leaseMs, this.#front] as const),
      await this.#regions(),
    );
    const { hosts } = turns;
    this.#front = turns.front;
    for (const host of hosts) {
      const lease = this.#context.keeper.adopt(String(host.id), host, held);
      const visit = new HostVisit(this.#dependencies, lease, host.origin, this.#ended.signal);
      const asking = this.#ask(host, visit).finally(() => this.#asking.delete(asking));
      this.#asking.add(asking);
    }
    return hosts.length;
  }

  /** An instance that has no regions any more looks in all queues that it had. */
  async #regions(): Promise<DoorRegions> {
    const { pool, regions } = this.#dependencies;
    return regions === undefined
      ? (this.#queues ??= { queues: ['', ...(await silentTimes(pool)).keys()] })
      : regions.atDoor();
  }

  async #ask(host: HostAtDoor, visit: HostVisit): Promise<void> {
    const [crawlId] = host.crawls;
    const met = this.#census.visited(visit.lease.hostId);
    this.#take(crawlId, 1);
    try {
      const answer = await askHost(this.#context, visit, host.crawls, met, this.#ended.signal);
      if (answer.kind === 'known') await retrying(() => markKnown(this.#dependencies.pool, host.id));
      if (answer.kind === 'trouble') await this.#note(host, answer.trouble);
      if (answer.kind !== 'visit') return;
      const visiting = this.#visit(host, visit, answer.mostQueued).finally(() =>
        this.#visiting.delete(visiting),
      );
      this.#visiting.add(visiting);
    } catch (error) {
      this.#abandon(visit, error);
    } finally {
      this.#take(crawlId, -1);
    }
  }

  /** What the visit leaves is up to the host's workflow: URLs, and dead letters, since people look for them there. */
  async #visit(host: HostAtDoor, visit: HostVisit, mostQueued: number): Promise<void> {
    const { pool } = this.#dependencies;
    try {
      const slice = new Slice(this.#context, visit, firstVisitMs, this.#ended.signal);
      const { letters } = await slice.goOn(mostQueued);
      await retrying(() => markKnown(pool, host.id));
      if (letters > 0) await this.#startInTurn(host);
    } catch (error) {
      this.#abandon(visit, error);
    }
  }

  #abandon({ lease, origin }: HostVisit, error: unknown): void {
    lease.end();
    const { log } = this.#dependencies;
    log.debug({ err: error, host: origin }, 'a host at the door could not be asked; it will be asked again');
  }

  #take(crawlId: number, change: 1 | -1): void {
    const hosts = (this.#taken.get(crawlId) ?? 0) + change;
    if (hosts === 0) this.#taken.delete(crawlId);
    else this.#taken.set(crawlId, hosts);
  }

  /** Counts a failure, against the URL that was wanted most. A host with too many failures parks. */
  async #note(host: HostAtDoor, trouble: HostTrouble): Promise<void> {
    this.#unanswered.push({ host_id: host.id, class: trouble.class, message: trouble.message });
    await (this.#noting ??= this.#noteAll());
    if (!isSpent(trouble.class, host.failures + 1)) return;
    await this.#startInTurn(host, `${trouble.class}: ${trouble.message}`);
  }

  async #noteAll(): Promise<void> {
    await sleep(gatherMs);
    const rows = this.#unanswered;
    this.#unanswered = [];
    this.#noting = null;
    await retrying(() => noteUnanswered(this.#dependencies.pool, JSON.stringify(rows)));
  }

  async #startInTurn(host: HostAtDoor, spent?: string): Promise<void> {
    const starting = this.#starting.then(() => this.#start(host, spent));
    this.#starting = starting.catch(() => undefined);
    await starting;
  }

  /**
   * A host whose retries are spent is marked as worked before its workflow starts; after a crash in between `refeedHosts`
   * finds the lost host. Another host takes no place: its workflow finds nothing due, shows the dead letters, and ends.
   */
  async #start({ id, origin, crawls }: HostAtDoor, spent?: string): Promise<void> {
    if (spent !== undefined) {
      const [marked] = await retrying(() => markSpent(this.#dependencies.pool, id, crawls[0]));
      if (marked === undefined) return;
    }
    await this.#startHost(String(id), origin, spent);
    await sleep(startMs, undefined, { signal: this.#ended.signal }).catch(() => undefined);
  }
}
