/**
 * Works through the bodies of a lane that wait for a stage, of many hosts together: what a page costs then does not depend
 * on how slowly the pages of a host come.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadingLane } from '../../contracts/activities.ts';
import { slowedMs } from '../../domain/pressure.ts';
import { readingTurns } from '../../domain/reading-turns.ts';
import { storedStages } from '../../domain/stage.ts';
import { bodiesInStage, hostsInStage, type LaneStage, type StagedBody } from '../../storage/pages/index.ts';
import { isStorageOutage } from '../../storage/postgres/index.ts';
import type { Dependencies } from '../dependencies.ts';

/** Most bodies worked together: a crawl with its first page waits for so many of others. */
const batch = 200;
/** A call ends after this time, so that the lanes of a shard are in turn with others that want their slots. */
const longestMs = 60_000;
/** A call ends if no body has come for this long. */
const lingerMs = 2_000;
/** Milliseconds between two looks that find nothing, unless a bell rings. */
const lookMs = 250;
/** Milliseconds between two looks of one round that find nothing: a round may need many. */
const stepMs = 25;
/** Most milliseconds between two batches while the stages behind are full. */
const longestRestMs = 5_000;
/** Milliseconds for which a host is set aside after an error of its own; doubled with each further error. */
const asideMs = 1_000;
const longestAsideMs = 60_000;

/** Hosts whose bodies could not be worked, and when they are tried again; shared by all lanes of a process. */
class SetAside {
  readonly #hosts = new Map<number, { readonly errors: number; readonly until: number }>();

  has(hostId: number): boolean {
    return (this.#hosts.get(hostId)?.until ?? 0) > performance.now();
  }
  add(hostId: number): void {
    const errors = (this.#hosts.get(hostId)?.errors ?? 0) + 1;
    const waitMs = Math.min(longestAsideMs, asideMs * 2 ** (errors - 1));
    this.#hosts.set(hostId, { errors, until: performance.now() + waitMs });
  }
  clear(hostId: number): void {
    this.#hosts.delete(hostId);
  }
}

/**
 * Where the lanes of a process are in their rounds over the hosts. A lane that begins anew goes on where it was: otherwise
 * the hosts with the highest ids would wait for as long as bodies come at others.
 */
class Rounds {
  readonly #places = new Map<string, Place>();

  of({ shard, lane, lanes }: ReadingLane): Place {
    const name = `${String(shard)} ${String(lane)} ${String(lanes)}`;
    const place = this.#places.get(name) ?? { crawl: 0, hosts: new Map() };
    this.#places.set(name, place);
    return place;
  }
}

interface Place {
  /** The crawl that was served last. */
  crawl: number;
  /** By crawl: the host that was served last; absent: the round over the hosts of the crawl begins. */
  hosts: ReadonlyMap<number, number>;
}

/** What lanes of a process share. */
export class LaneBook {
  readonly aside = new SetAside();
  readonly rounds = new Rounds();
}

/**
 * Calls `work` with bodies until none is left for a moment. Returns how many there were. Tenants, their crawls and the
 * hosts of each crawl take turns. If `work` fails, it is called again for each host alone, and hosts that fail alone are
 * set aside for a while: a page that nobody can read holds up the pages of its own host only. Faults of storage are thrown.
 * @param most bodies worked together
 */
export async function workLane(
  {
    pool,
    folder,
    outage,
    log,
    pressure,
    bells,
  }: Pick<Dependencies, 'pool' | 'folder' | 'outage' | 'log' | 'pressure' | 'bells'>,
  lane: ReadingLane,
  stage: LaneStage,
  { aside, rounds }: LaneBook,
  signal: AbortSignal,
  work: (bodies: readonly StagedBody[]) => Promise<void>,
  most = batch,
): Promise<number> {
  const begunAt = performance.now();
  const place = rounds.of(lane);
  let [bodies, lastAt] = [0, begunAt];
  const ear = bells.listen(
    stage === storedStages.dedup ? ['call'] : ['call', 'judged'],
    (hostId) => hostId % lane.lanes === lane.lane,
  );
  try {
    while (!signal.aborted && performance.now() - begunAt < longestMs) {
      const down = outage();
      if (down !== null) throw down;
      ear.forget();
      const found = await next();
      if (found.length > 0) {
        const from = performance.now();
        const hosts = Map.groupBy(found, ({ host_id: id }) => id);
        bodies += await workHosts(hosts);
        if (stage === storedStages.dedup) bells.ring('judged', [...hosts.keys()]);
        lastAt = performance.now();
        const tookMs = lastAt - from;
        const restMs = Math.min(longestRestMs, slowedMs(tookMs, pressure.reading) - tookMs);
        if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
      } else {
        const wrapped = place.hosts.size === 0;
        if (wrapped && performance.now() - lastAt >= lingerMs) break;
        if (wrapped) await ear.sleep(lookMs, signal);
        else await sleep(stepMs, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    bells.silence(ear);
  }
  return bodies;

  /** The next bodies. If `place.hosts` is empty afterwards, the look has ended a round over all hosts where any wait. */
  async function next(): Promise<readonly StagedBody[]> {
    const rows = await hostsInStage(pool, lane, stage, place.hosts);
    const crawls = rows.map(({ crawl_id: crawlId, tenant_id: tenantId, hosts }) => ({
      crawlId,
      tenantId,
      hosts: hosts.filter((id) => !aside.has(id)),
    }));
    const first = crawls.findIndex(({ crawlId }) => crawlId > place.crawl);
    const turns = readingTurns(
      [...crawls.slice(Math.max(0, first)), ...crawls.slice(0, Math.max(0, first))],
      most,
    );
    const served = new Map<number, number>();
    for (const { crawlId, hostId } of turns) served.set(crawlId, Math.max(hostId, served.get(crawlId) ?? 0));
    place.crawl = turns.at(-1)?.crawlId ?? 0;
    place.hosts = new Map(
      rows.flatMap(({ crawl_id: id, last, hosts }) => {
        const upTo = served.get(id) ?? 0;
        // A crawl that had no turn stays where it was.
        const at = hosts.some((host) => host > upTo && !aside.has(host)) ? upTo || place.hosts.get(id) : last;
        return at === null || at === undefined ? [] : [[id, at] as const];
      }),
    );
    return turns.length === 0 ? [] : bodiesInStage(pool, turns, stage, folder);
  }

  async function workHosts(hosts: ReadonlyMap<number, readonly StagedBody[]>): Promise<number> {
    const all = [...hosts.values()].flat();
    try {
      await work(all);
      for (const hostId of hosts.keys()) aside.clear(hostId);
      return all.length;
    } catch (error) {
      if (isStorageOutage(error) || outage() !== null) throw error;
      if (hosts.size > 1) {
        let worked = 0;
        for (const host of hosts) worked += await workHosts(new Map([host]));
        return worked;
      }
      for (const [hostId, [body]] of hosts) {
        aside.add(hostId);
        log.warn(
          { err: error, host: body?.origin },
          'bodies of a host could not be read; they are tried again',
        );
      }
      return 0;
    }
  }
}
