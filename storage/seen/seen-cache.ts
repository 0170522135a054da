/**
 * Levels 1 and 2 of the seen-set (docs/design.md, "The life of a URL"): which URLs are known to be in the frontier
 * already.
 *
 * Guarantees: a cache is exact about the keys that it calls seen (a key is remembered only after Postgres has committed
 * it); it may forget anything at any time; it fails open (an unreachable cache knows nothing). Level 3, the unique key
 * in Postgres, decides what is new.
 */
export interface SeenCache {
  /** Which of a crawl's keys (16 bytes each) are known to be seen, in the order given. */
  known(crawlId: number, keys: readonly Uint8Array[]): Promise<readonly boolean[]>;
  /** The caller must pass only keys that are committed. */
  remember(crawlId: number, keys: readonly Uint8Array[]): Promise<void>;
}
