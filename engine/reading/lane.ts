/**
 * Works through the bodies of a lane that wait for a stage, of many hosts together: what a page costs then does not depend
 * on how slowly the pages of a host come.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadingLane } from '../../contracts/activities.ts';
import { slowedMs } from '../../domain/pressure.ts';
import type { storedStages, StoredStage } from '../../domain/stage.ts';
import { bodiesInStage, type StagedBody } from '../../storage/pages/index.ts';
import { isStorageOutage } from '../../storage/postgres/index.ts';
import type { Dependencies } from '../dependencies.ts';

/** Most bodies looked up together. */
const batch = 400;
/** A call ends after this time, so that a scheduler that goes on as a new run need not wait long. */
const longestMs = 60_000;
/** A call ends if no body has come for this long. */
const lingerMs = 2_000;
const lookMs = 250;
/** Most milliseconds between two batches while the stages behind are full. */
const longestRestMs = 5_000;
/** Milliseconds for which a host is set aside after an error of its own; doubled with each further error. */
const asideMs = 1_000;
const longestAsideMs = 60_000;

type Stage = Exclude<StoredStage, typeof storedStages.none>;

/** Hosts whose bodies could not be worked, and when they are tried again; shared by all lanes of a process. */
export class SetAside {
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
 * Calls `work` with bodies until none is left for a moment. Returns how many there were. If `work` fails, it is called
 * again for each host alone, and hosts that fail alone are set aside for a while: a page that nobody can read holds up
 * the pages of its own host only. Faults of storage are thrown.
 */
export async function workLane(
  {
    pool,
    folder,
    outage,
    log,
    pressure,
  }: Pick<Dependencies, 'pool' | 'folder' | 'outage' | 'log' | 'pressure'>,
  lane: ReadingLane,
  stage: Stage,
  aside: SetAside,
  signal: AbortSignal,
  work: (bodies: readonly StagedBody[]) => Promise<void>,
): Promise<number> {
  const begunAt = performance.now();
  let [after, bodies, lastAt] = [0, 0, begunAt];
  while (!signal.aborted && performance.now() - begunAt < longestMs) {
    const down = outage();
    if (down !== null) throw down;
    const found = await bodiesInStage(pool, lane, stage, after, batch, folder);
    const wrapped = after > 0 && found.length < batch;
    after = found.length < batch ? 0 : (found.at(-1)?.host_id ?? 0);
    const hosts = Map.groupBy(
      found.filter(({ host_id: id }) => !aside.has(id)),
      ({ host_id: id }) => id,
    );
    if (hosts.size > 0) {
      const from = performance.now();
      bodies += await workHosts(hosts);
      lastAt = performance.now();
      const tookMs = lastAt - from;
      const restMs = Math.min(longestRestMs, slowedMs(tookMs, pressure.reading) - tookMs);
      if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
    } else if (!wrapped && after === 0) {
      if (performance.now() - lastAt >= lingerMs) break;
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return bodies;

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
