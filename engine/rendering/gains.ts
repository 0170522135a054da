/**
 * What rendering has gained at hosts (domain/rendering/learned.ts), for the tenant whose pages it were. Noted after the
 * pages are stored: what a crash loses of it is learned from the next pages.
 */
import { LRUCache } from 'lru-cache';
import { isGain, learn, type KnownGains, type Yield } from '../../domain/rendering/learned.ts';
import { shellReasons } from '../../domain/rendering/shell.ts';
import { shapesOf, wholeHost } from '../../domain/traps/shape.ts';
import { canonicalize } from '../../domain/url.ts';
import { count } from '../metrics/counters.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import { inTransaction, type Pool } from '../../storage/postgres/index.ts';
import {
  gainsOfHost,
  lockGains,
  settledRenderings,
  storeGains,
  type GainRow,
} from '../../storage/rendering/index.ts';

/** Shapes that are told apart at one host; a site may make up more. */
const mostShapes = 200;
const longestShape = 500;
/** Hosts whose gains are kept at hand, and milliseconds until they are read again. */
const [mostHosts, freshMs] = [1_000, 30_000];

/** A page as a browser made it, with what was read of that: nothing of its own, if it is the same as another page. */
export interface RenderedPage extends Yield {
  readonly page: Pick<StagedBody, 'host_id' | 'crawl_id' | 'key' | 'url' | 'rendered_without'>;
}

export class Gains {
  readonly #pool: Pool;
  readonly #known = new LRUCache<string, Promise<readonly GainRow[]>>({ max: mostHosts, ttl: freshMs });

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @param url canonical */
  async of(tenantId: number, hostId: number, url: string): Promise<KnownGains> {
    const name = `${String(tenantId)} ${String(hostId)}`;
    let asked = this.#known.get(name);
    if (asked === undefined) {
      asked = gainsOfHost(this.#pool, tenantId, hostId);
      this.#known.set(name, asked);
      asked.catch(() => this.#known.delete(name));
    }
    const rows = await asked;
    const find = (shape: string): GainRow | null => rows.find((row) => row.shape === shape) ?? null;
    return { shape: find(shapeOf(url)), host: find(wholeHost) };
  }

  /** Learns from those that were rendered to their end because the rule or a sample asked for it. */
  async note(bodies: readonly RenderedPage[]): Promise<void> {
    const pages = bodies.filter(({ page }) => page.rendered_without !== null);
    if (pages.length === 0) return;
    const names = pages.map(({ page: { host_id, crawl_id, key } }) => ({ host_id, crawl_id, key }));
    const settled = new Map(
      (await settledRenderings(this.#pool, JSON.stringify(names))).map((row) => [nameOf(row), row]),
    );
    const seen = pages.flatMap(({ page, words, links }) => {
      const before = settled.get(nameOf(page));
      const link = canonicalize(page.url);
      if (before !== undefined) count('render_words_total', {}, Math.max(0, words - before.words));
      if (before === undefined || before.reason === 'asked' || !link.ok) return [];
      const { canonical } = link.value;
      const shown = { isShell: before.reason in shellReasons, gained: isGain(before, { words, links }) };
      return [{ tenantId: before.tenant_id, hostId: page.host_id, shape: shapeOf(canonical), shown }];
    });
    const hosts = Map.groupBy(seen, ({ tenantId, hostId }) => `${String(tenantId)} ${String(hostId)}`);
    for (const [name, [...ofHost]] of hosts) {
      const [first] = ofHost;
      if (first === undefined) continue;
      await this.#learn(first.tenantId, first.hostId, ofHost);
      this.#known.delete(name);
    }
  }

  async #learn(
    tenantId: number,
    hostId: number,
    seen: readonly { readonly shape: string; readonly shown: Parameters<typeof learn>[1] }[],
  ): Promise<void> {
    const now = Math.floor(Date.now() / 1_000);
    await inTransaction(this.#pool, async (db) => {
      const known = new Map((await lockGains(db, tenantId, hostId)).map((row) => [row.shape, row]));
      const changed = new Map<string, GainRow>();
      for (const { shape, shown } of seen) {
        for (const each of new Set([shape, wholeHost])) {
          if (!known.has(each) && known.size >= mostShapes && each !== wholeHost) continue;
          const row = { shape: each, ...learn(known.get(each) ?? null, shown, now) };
          known.set(each, row);
          changed.set(each, row);
        }
      }
      await storeGains(db, tenantId, hostId, JSON.stringify([...changed.values()]));
    });
  }
}

/** The narrowest; of one that is too long, the host's. */
function shapeOf(url: string): string {
  const { pathname, search } = new URL(url);
  const [shape = wholeHost] = shapesOf(pathname + search);
  return shape.length > longestShape ? wholeHost : shape;
}

const nameOf = ({ host_id, crawl_id, key }: Pick<StagedBody, 'host_id' | 'crawl_id' | 'key'>): string =>
  `${String(host_id)} ${String(crawl_id)} ${key}`;
