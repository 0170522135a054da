/**
 * Requests that wait until a URL has its outcome, with one look at the database for all of them. A client that leaves
 * ends its wait, and nothing else.
 */
import type { Logger } from 'pino';
import type { VisitPlace } from '../../engine/page-fetch/walk.ts';
import { settledPlaces } from '../../storage/fetches/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';

/** Milliseconds between two looks, while somebody waits. */
const lookMs = 300;
/** Requests that wait for one tenant, and in this process. Others are told at once that the page is not there yet. */
const mostOfTenant = 100;
const mostOfAll = 1_000;

interface Waiting {
  readonly place: VisitPlace;
  readonly go: () => void;
}

export class PageWaits {
  readonly #pool: Pool;
  readonly #log: Logger;
  readonly #waiting = new Set<Waiting>();
  /** The tenant of each request that was let in. */
  readonly #tenants: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Null: too many wait. @returns the function with which the request leaves */
  enter(tenantId: number): (() => void) | null {
    const ofTenant = this.#tenants.filter((each) => each === tenantId).length;
    if (ofTenant >= mostOfTenant || this.#tenants.length >= mostOfAll) return null;
    this.#tenants.push(tenantId);
    return () => {
      const at = this.#tenants.indexOf(tenantId);
      if (at >= 0) this.#tenants.splice(at, 1);
    };
  }

  /** Resolves once the URL has its outcome, or the signal is aborted. */
  async settled(place: VisitPlace, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const go = (): void => {
      resolve(undefined);
    };
    const waiting = { place, go };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', go, { once: true });
    this.#schedule();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', go);
      this.#waiting.delete(waiting);
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = undefined;
        this.#schedule();
      });
    }, lookMs);
  }

  async #look(): Promise<void> {
    const asked = [...this.#waiting];
    const places = asked.map(({ place: { crawlId, origin, key } }, n) => ({
      n,
      crawl_id: crawlId,
      origin,
      key,
    }));
    try {
      for (const { n } of await settledPlaces(this.#pool, JSON.stringify(places))) asked[n]?.go();
    } catch (error) {
      this.#log.warn(
        { err: error },
        'pages that requests wait for could not be looked at; the requests wait on',
      );
    }
  }
}
