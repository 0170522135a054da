/**
 * How full the stages behind this process's requests are, and how much slower it should work for that
 * (domain/pressure.ts). What waits in this process is counted as it comes and goes. What waits in Postgres for everybody
 * is asked for once a second while requests are made; pages that this process has stored since then are added.
 *
 * Pages in the folder of a machine that is gone wait for that machine alone. They fill no stage: nobody else can read
 * them, however slowly everybody fetches.
 */
import { leastPace, type StageLoad } from '../../domain/pressure.ts';
import { bytesToSettle, type BodyStore } from '../../storage/archive/index.ts';
import type { FrontierWriter } from '../../storage/frontier/index.ts';
import { unreadPages, type UnreadPages } from '../../storage/crawls/index.ts';
import { outOfReach } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';

/** How much may wait; see the settings of these names. */
export interface Capacities {
  readonly unreadPages: number;
  readonly unreadBytes: number;
  readonly waitingRows: number;
  readonly commitMs: number;
  readonly storeBytes: number;
  readonly uploadBytes: number;
}

export const endless: Capacities = {
  unreadPages: Infinity,
  unreadBytes: Infinity,
  waitingRows: Infinity,
  commitMs: Infinity,
  storeBytes: Infinity,
  uploadBytes: Infinity,
};

const lookMs = 1_000;
/** Between two looks for pages that nobody can read. */
const lookForLostMs = 15_000;
const none: UnreadPages = { pages: 0, bytes: 0 };
const minus = (a: UnreadPages, b: UnreadPages): UnreadPages => ({
  pages: Math.max(0, a.pages - b.pages),
  bytes: Math.max(0, a.bytes - b.bytes),
});

export class Pressure {
  readonly #pool: Pool;
  readonly #writer: Pick<FrontierWriter, 'load'>;
  readonly #capacities: Capacities;
  readonly #folder: string | null;
  #unread = none;
  #outOfReach = none;
  /** Pages that were stored since the look, with the bytes of their bodies. */
  #storedSince = none;
  #storing = 0;
  #toUpload = 0;
  #lookedAt = -Infinity;
  #lookedForLostAt = -Infinity;
  #looking = false;

  /** @param folder as in `Dependencies` */
  constructor(
    pool: Pool,
    writer: Pick<FrontierWriter, 'load'>,
    capacities: Capacities,
    folder: string | null = null,
  ) {
    this.#pool = pool;
    this.#writer = writer;
    this.#capacities = capacities;
    this.#folder = folder;
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
    const unread = minus(this.#unread, this.#outOfReach);
    const { pages, bytes } = this.#storedSince;
    return [
      { stage: 'unread', used: unread.pages + pages, capacity: most.unreadPages },
      { stage: 'unread_bytes', used: unread.bytes + bytes, capacity: most.unreadBytes },
      { stage: 'rows', used: rows, capacity: most.waitingRows },
      { stage: 'commit', used: commitMs, capacity: most.commitMs },
      { stage: 'store', used: this.#storing, capacity: most.storeBytes },
      ...(this.#folder === null
        ? []
        : [{ stage: 'upload' as const, used: this.#toUpload, capacity: most.uploadBytes }]),
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
          const { pages, bytes: before } = this.#storedSince;
          this.#storedSince = { pages: pages + 1, bytes: before + bytes };
          return kept;
        } finally {
          this.#storing -= bytes;
        }
      },
    };
  }

  /** If Postgres does not answer, the last answer counts: the breaker on Postgres says the rest. */
  #look(): void {
    const { unreadPages: pages, unreadBytes, uploadBytes } = this.#capacities;
    if (pages === Infinity && unreadBytes === Infinity && uploadBytes === Infinity) return;
    if (this.#looking || performance.now() - this.#lookedAt < lookMs) return;
    this.#looking = true;
    this.#ask()
      .catch(() => undefined)
      .finally(() => {
        this.#lookedAt = performance.now();
        this.#looking = false;
      });
  }

  async #ask(): Promise<void> {
    const before = this.#storedSince;
    const [unread = none] = await unreadPages(this.#pool);
    this.#unread = unread;
    this.#storedSince = minus(this.#storedSince, before);
    if (this.#folder === null) return;
    const [waiting] = await bytesToSettle(this.#pool, this.#folder);
    this.#toUpload = waiting?.bytes ?? 0;
    if (performance.now() - this.#lookedForLostAt < lookForLostMs) return;
    const [lost = none] = await outOfReach(this.#pool);
    this.#outOfReach = lost;
    this.#lookedForLostAt = performance.now();
  }
}
