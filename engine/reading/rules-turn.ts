/**
 * Pages that one call reads by the rules of their crawls. Each may take as long as its budget allows, and they share a
 * thread with those of other lanes.
 */
import type { RuledPage } from '../../contracts/extraction.ts';
import { needTree } from '../../contracts/page-rules.ts';
import { applyRules } from '../../content/rules.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

/**
 * Milliseconds that the rules of one crawl, and those of all, may take of a call. Further pages are left to a later call:
 * neither pages without rules nor those of other crawls should wait for rules that are slow.
 */
const usual = { ofCrawlMs: 10_000, ofAllMs: 20_000 };

export class RulesTurn {
  readonly #most: typeof usual;
  readonly #spentMs = new Map<number, number>();
  #allMs = 0;

  constructor(most = usual) {
    this.#most = most;
  }

  isLater({ id, config: { rules } }: OpenCrawl): boolean {
    if (!needTree(rules)) return false;
    return this.#allMs >= this.#most.ofAllMs || (this.#spentMs.get(id) ?? 0) >= this.#most.ofCrawlMs;
  }

  /** Null: the crawl has no rules that need a tree, or the body is no markup. */
  async read(
    { id, config: { rules } }: OpenCrawl,
    { content_type, url }: StagedBody,
    body: Uint8Array,
  ): Promise<RuledPage | null> {
    if (!needTree(rules)) return null;
    const from = performance.now();
    const read = await applyRules(body, content_type, url, rules);
    const tookMs = performance.now() - from;
    this.#allMs += tookMs;
    this.#spentMs.set(id, (this.#spentMs.get(id) ?? 0) + tookMs);
    return read;
  }
}
