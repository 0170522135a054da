/**
 * robots.txt of the hosts a process works (RFC 9309): parsed copies in fixed memory, in front of the one in Postgres.
 * A copy is fresh for 24 hours (§2.4); an older one is kept and used while the host's robots.txt cannot be read.
 */
import { LRUCache } from 'lru-cache';
import { parseRobots, type Robots } from '../../domain/robots.ts';
import type { Pool } from '../../storage/pool.ts';
import { loadRobots } from '../../storage/statements/load-robots.ts';
import { saveRobots } from '../../storage/statements/save-robots.ts';

interface Copy {
  readonly robots: Robots;
  /** `performance.now()` when it was fetched, as far as is known. */
  readonly fetchedAt: number;
  /** Length of the text it was read from. */
  readonly octets: number;
}

const freshMs = 24 * 3_600_000;
/** How long a copy is used after its time while a new one cannot be had; RFC 9309 leaves it to the crawler. */
const staleLimitMs = 30 * 24 * 3_600_000;
const allowAll = parseRobots('');

export class RobotsBook {
  readonly #pool: Pool;
  /** Bounded by the text they were read from; parsed and compiled they take a few times that. */
  readonly #copies = new LRUCache<string, Copy>({
    maxSize: 8 * 1024 * 1024,
    maxEntrySize: 1024 * 1024,
    sizeCalculation: ({ octets }) => octets + 500,
  });

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** A copy that is fresh, an older one that may serve, or none. */
  async find(hostId: string): Promise<{ readonly fresh: Robots | null; readonly older: Robots | null }> {
    const copy = this.#copies.get(hostId) ?? (await this.#load(hostId));
    if (copy === null) return { fresh: null, older: null };
    const age = performance.now() - copy.fetchedAt;
    return {
      fresh: age < freshMs ? copy.robots : null,
      older: age < staleLimitMs ? copy.robots : null,
    };
  }

  /** @param body null: there is none (4xx), everything is allowed. */
  async save(hostId: string, status: number, body: string | null): Promise<Robots> {
    const fetchedAt = performance.now();
    // Postgres text holds no NUL; robots.txt rules cannot contain one either.
    await saveRobots(this.#pool, hostId, status, body?.replaceAll('\0', '\ufffd') ?? null);
    const copy = {
      robots: body === null ? allowAll : parseRobots(body),
      fetchedAt,
      octets: body?.length ?? 0,
    };
    this.#copies.set(hostId, copy);
    return copy.robots;
  }

  async #load(hostId: string): Promise<Copy | null> {
    const [stored] = await loadRobots(this.#pool, hostId);
    if (stored === undefined) return null;
    const robots = stored.body === null ? allowAll : parseRobots(stored.body);
    const copy = { robots, fetchedAt: performance.now() - stored.age_ms, octets: stored.body?.length ?? 0 };
    this.#copies.set(hostId, copy);
    return copy;
  }
}
