/**
 * The door: a host that is not known to answer is asked for its robots.txt before a workflow is started for it. Most
 * dead hosts are found here, at the cost of a statement or two each time and without Temporal.
 *
 *   unknown   The host is asked in the turn of a crawl that wants it (storage/feeding/fair-turns.ts), under its lease. Meanwhile
 *             it takes one of the door's places, but no fetch slot and no place among the active hosts.
 *   known     The host answers, whatever the answer is. The scheduler feeds it when its turn has come.
 *   failing   The host does not answer (its name, its port, TLS, or only silence). It is asked again after the backoff
 *             in its row, and takes no place meanwhile.
 *   spent     The host's retries are spent. It gets a workflow, which parks it: people find it there, and it is probed
 *             and retried like any parked host.
 *
 * All states are in Postgres. Hosts that a process was asking when it died are asked again when their leases run out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSpent } from '../../domain/trouble.ts';
import { retrying } from '../../storage/postgres/index.ts';
import {
  type HostAtDoor,
  markKnown,
  markSpent,
  noteUnanswered,
  type Unanswered,
  takeTurnsAtDoor,
} from '../../storage/feeding/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { FetchRoom } from '../visit/fetch-room.ts';
import type { HostTrouble } from '../visit/host-rules.ts';
import { knock } from './knock.ts';

/** Milliseconds between two looks: `lookMs` after a look that found hosts, `idleMs` after one that found none. */
const lookMs = 250;
const idleMs = 500;
/** Most hosts that one look begins to ask: bounds what dead hosts cost, about a millisecond of Postgres each. */
const mostAtOnce = 40;
/** Largest share of the door's places for one crawl. */
const mostOfCrawl = 0.75;
/** Milliseconds between parking two hosts: each costs Temporal a workflow, and there may be thousands. */
const parkMs = 50;
/** Milliseconds for which failures are gathered, to be written in one statement. */
const gatherMs = 100;
/** Milliseconds that `close` waits for requests under way. After that, their leases run out by themselves. */
const leaveMs = 2_000;

/** Starts a workflow that parks the host. @param why the host's retries are spent */
export type StartSpent = (hostId: string, origin: string, why: string) => Promise<void>;

export class Door {
  readonly #dependencies: Dependencies;
  readonly #startSpent: StartSpent;
  readonly #places: number;
  readonly #room: FetchRoom;
  readonly #ended = new AbortController();
  /** Number of hosts being asked, by the crawl whose turn they use. */
  readonly #taken = new Map<number, number>();
  readonly #asking = new Set<Promise<void>>();
  #unanswered: Unanswered[] = [];
  #noting: Promise<void> | null = null;
  /** The last parking: hosts are parked one after another. */
  #parking: Promise<void> = Promise.resolve();
  readonly #looking: Promise<void>;

  /** @param places most hosts asked at a time */
  constructor(dependencies: Dependencies, startSpent: StartSpent, places: number) {
    this.#dependencies = dependencies;
    this.#startSpent = startSpent;
    this.#places = places;
    this.#room = new FetchRoom(dependencies);
    this.#looking = this.#lookOn();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#looking;
    await Promise.race([Promise.allSettled(this.#asking), sleep(leaveMs)]);
  }

  async #lookOn(): Promise<void> {
    const { log } = this.#dependencies;
    while (!this.#ended.signal.aborted) {
      let begun = 0;
      try {
        begun = await this.#look();
      } catch (error) {
        log.debug({ err: error }, 'hosts at the door could not be checked; the next round checks them');
      }
      await sleep(begun > 0 ? lookMs : idleMs, undefined, { signal: this.#ended.signal }).catch(
        () => undefined,
      );
    }
  }

  /** Returns how many hosts it began to ask. */
  async #look(): Promise<number> {
    const { pool, settings, outage } = this.#dependencies;
    const free = Math.min(this.#places - this.#asking.size, mostAtOnce);
    if (free <= 0 || outage() !== null) return 0;
    const most = Math.ceil(this.#places * mostOfCrawl);
    const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: settings.leaseMs };
    const hosts = await takeTurnsAtDoor(pool, this.#taken, free, most, settings.leaseMs);
    for (const host of hosts) {
      const lease = this.#room.keeper.adopt(String(host.id), host, held);
      const asking = this.#count(host.crawls[0], async () => {
        try {
          const answer = await knock(this.#room, lease, host.origin, host.crawls, this.#ended.signal);
          if (answer.kind === 'known') await retrying(() => markKnown(pool, host.id));
          if (answer.kind === 'trouble') await this.#note(host, answer.trouble);
        } catch (error) {
          this.#room.keeper.abandon(lease);
          const { log } = this.#dependencies;
          log.debug(
            { err: error, host: host.origin },
            'a host at the door could not be asked; it will be asked again',
          );
        }
      }).finally(() => this.#asking.delete(asking));
      this.#asking.add(asking);
    }
    return hosts.length;
  }

  async #count(crawlId: number, work: () => Promise<void>): Promise<void> {
    const taken = (change: number): void => {
      const hosts = (this.#taken.get(crawlId) ?? 0) + change;
      if (hosts === 0) this.#taken.delete(crawlId);
      else this.#taken.set(crawlId, hosts);
    };
    taken(1);
    try {
      await work();
    } finally {
      taken(-1);
    }
  }

  /** Counts a failure, against the URL that was wanted most. A host with too many failures parks. */
  async #note(host: HostAtDoor, trouble: HostTrouble): Promise<void> {
    this.#unanswered.push({ host_id: host.id, class: trouble.class, message: trouble.message });
    await (this.#noting ??= this.#noteAll());
    if (!isSpent(trouble.class, host.failures + 1)) return;
    const parking = this.#parking.then(() => this.#park(host, `${trouble.class}: ${trouble.message}`));
    this.#parking = parking.catch(() => undefined);
    await parking;
  }

  async #noteAll(): Promise<void> {
    await sleep(gatherMs);
    const rows = this.#unanswered;
    this.#unanswered = [];
    this.#noting = null;
    await retrying(() => noteUnanswered(this.#dependencies.pool, JSON.stringify(rows)));
  }

  /** Marks the host, then starts its workflow; after a crash in between, `refeedHosts` finds the lost host. */
  async #park({ id, origin, crawls }: HostAtDoor, spent: string): Promise<void> {
    const [marked] = await retrying(() => markSpent(this.#dependencies.pool, id, crawls[0]));
    if (marked === undefined) return;
    await this.#startSpent(String(id), origin, spent);
    await sleep(parkMs, undefined, { signal: this.#ended.signal }).catch(() => undefined);
  }
}
