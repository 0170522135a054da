/**
 * robots.txt of the hosts that a process works (RFC 9309): parsed copies in bounded memory, in front of those in
 * Postgres. A copy that is no longer fresh is kept, and used while robots.txt cannot be read.
 */
import { LRUCache } from 'lru-cache';
import { cutBy, type Cut } from '../../domain/limits.ts';
import { robotsFreshMs } from '../../domain/robots-freshness.ts';
import { parseRobots, type Robots } from '../../domain/robots.ts';
import { sitemapLimits } from '../../domain/sitemap-limits.ts';
import { canonicalize } from '../../domain/url.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { loadRobots, saveRobots } from '../../storage/hosts/index.ts';

interface Copy {
  readonly robots: Robots;
  /** The address that answered; null: not known. */
  readonly address: string | null;
  /** For how long its answer said that it may be kept, in milliseconds; null: it said nothing. */
  readonly keptMs: number | null;
  /** `performance.now()` when the copy was fetched, computed from its age in Postgres. */
  readonly fetchedAt: number;
  /** About how many bytes of memory the copy takes. */
  readonly weight: number;
}

/** Greatest age of a copy that is used while robots.txt cannot be read; RFC 9309 leaves this to the crawler. */
const staleLimitMs = 30 * 24 * 3_600_000;
const allowAll = parseRobots('');

export class RobotsBook {
  readonly #pool: Pool;
  readonly #copies = new LRUCache<string, Copy>({
    maxSize: 48 * 1024 * 1024,
    sizeCalculation: ({ weight }) => weight,
  });

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * The stored copy, with its age in milliseconds; null: there is none that may be used.
   * @param askedAgoMs milliseconds since somebody asked to read robots.txt again; null: nobody asked
   */
  async find(
    hostId: string,
    askedAgoMs: number | null,
  ): Promise<(Pick<Copy, 'robots' | 'address' | 'keptMs'> & { readonly ageMs: number }) | null> {
    const ageOf = (copy: Copy): number => performance.now() - copy.fetchedAt;
    let copy = this.#copies.get(hostId) ?? null;
    // Another process may have read robots.txt again since.
    if (copy === null || ageOf(copy) >= Math.min(robotsFreshMs(0, copy.keptMs), askedAgoMs ?? Infinity))
      copy = await this.#load(hostId);
    if (copy === null) return null;
    const ageMs = ageOf(copy);
    return ageMs < staleLimitMs ? { ...copy, ageMs } : null;
  }

  /**
   * @param received null: the host has no robots.txt (4xx), so everything is allowed
   * @param from the address that answered, and its place by the GeoIP file; null: not known
   * @param keptMs for how long the answer may be kept (`robotsKeptMs`)
   */
  async save(
    hostId: string,
    status: number,
    received: string | null,
    from: { readonly address: string | null; readonly place: readonly string[] | null },
    keptMs: number | null,
  ): Promise<Robots> {
    const fetchedAt = performance.now();
    // Postgres text cannot hold a NUL. For the parser a line ends at a NUL, so the rest of the line can go.
    const body = received?.replace(/\0[^\r\n]*/g, '') ?? null;
    const robots = body === null ? allowAll : parseRobots(body);
    await saveRobots(this.#pool, {
      hostId,
      status,
      body,
      cut: JSON.stringify(cutOf(robots)),
      ...from,
      keptMs,
    });
    const copy = { robots, address: from.address, keptMs, fetchedAt, weight: weightOf(body) };
    this.#copies.set(hostId, copy);
    return copy.robots;
  }

  async #load(hostId: string): Promise<Copy | null> {
    const [stored] = await loadRobots(this.#pool, hostId);
    if (stored === undefined) return null;
    const robots = stored.body === null ? allowAll : parseRobots(stored.body);
    const copy = {
      robots,
      address: stored.address,
      keptMs: stored.kept_ms,
      fetchedAt: performance.now() - stored.age_ms,
      weight: weightOf(stored.body),
    };
    this.#copies.set(hostId, copy);
    return copy;
  }
}

/** Measured: a plain rule takes 400 bytes once compiled, a rule with wildcards up to 900; 500 KiB may hold 50,000. */
const bytesALine = 500;

const weightOf = (body: string | null): number =>
  500 + (body === null ? 0 : body.length + bytesALine * (body.match(/[\r\n]+/g)?.length ?? 0));

/** Lines past the limit, and those that name no URL: a host's own would only stand before a path. */
function cutOf({ isCut, sitemaps }: Robots): Cut {
  const used = sitemaps
    .slice(0, sitemapLimits.robotsLines)
    .filter((line) => canonicalize(line, 'http://h').ok);
  return cutBy({ robotsText: Number(isCut), robotsSitemaps: sitemaps.length - used.length });
}
