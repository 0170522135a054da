/**
 * How full the stages behind this process's requests are, and how much slower it should work for that
 * (domain/pressure.ts). What waits in this process is counted as it comes and goes. What waits in Postgres for everybody
 * is asked for once a second while requests are made; pages that this process has stored since then are added.
 */
import { leastPace, type StageLoad } from '../../domain/pressure.ts';
import type { BodyStore } from '../../storage/archive/index.ts';
import type { FrontierWriter } from '../../storage/frontier/index.ts';
import { unreadPages } from '../../storage/crawls/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';

/** How much may wait; see the settings of these names. */
export interface Capacities {
  readonly unreadPages: number;
  readonly waitingRows: number;
  readonly commitMs: number;
  readonly storeBytes: number;
}

export const endless: Capacities = {
  ...{ unreadPages: Infinity, waitingRows: Infinity, commitMs: Infinity, storeBytes: Infinity },
};

const lookMs = 1_000;

export class Pressure {
  readonly #pool: Pool;
  readonly #writer: Pick<FrontierWriter, 'load'>;
  readonly #capacities: Capacities;
  #unread = 0;
  #storedSince = 0;
  #storing = 0;
  #lookedAt = -Infinity;
  #looking = false;

  constructor(pool: Pool, writer: Pick<FrontierWriter, 'load'>, capacities: Capacities) {
    this.#pool = pool;
    this.#writer = writer;
    this.#capacities = capacities;
  }

  /** Share of the usual pace at which requests should be sent, from 1 to 0. */
  get fetching(): number {
    this.#look();
    return leastPace(this.loads);
  }

  /** Share of the usual pace at which pages should be read: only what they lead to counts. */
  get reading(): number {
    return leastPace(this.loads.filter(({ stage }) => stage === 'rows' || stage === 'commit'));
  }

  get loads(): StageLoad[] {
    const { rows, commitMs } = this.#writer.load;
    const most = this.#capacities;
    return [
      { stage: 'unread', used: this.#unread + this.#storedSince, capacity: most.unreadPages },
      { stage: 'rows', used: rows, capacity: most.waitingRows },
      { stage: 'commit', used: commitMs, capacity: most.commitMs },
      { stage: 'store', used: this.#storing, capacity: most.storeBytes },
    ];
  }

  /** A store whose bytes are counted while they wait for the disk. */
  counted(store: BodyStore): BodyStore {
    return {
      get: (hash, at) => store.get(hash, at),
      put: async (capture, patienceMs) => {
        const bytes = capture.body.length;
        this.#storing += bytes;
        try {
          const kept = await store.put(capture, patienceMs);
          this.#storedSince++;
          return kept;
        } finally {
          this.#storing -= bytes;
        }
      },
    };
  }

  /** If Postgres does not answer, the last answer counts: the breaker on Postgres says the rest. */
  #look(): void {
    if (this.#capacities.unreadPages === Infinity) return;
    if (this.#looking || performance.now() - this.#lookedAt < lookMs) return;
    this.#looking = true;
    const before = this.#storedSince;
    unreadPages(this.#pool)
      .then(([row]) => {
        this.#unread = row?.pages ?? 0;
        this.#storedSince -= before;
      })
      .catch(() => undefined)
      .finally(() => {
        this.#lookedAt = performance.now();
        this.#looking = false;
      });
  }
}
