/**
 * Levels 1 and 2 of the seen-set (docs/design.md, "The life of a URL"): which URLs are known to be in the frontier
 * already.
 *
 * Guarantees: a cache is exact about the keys that it calls seen (a key is remembered only after Postgres has committed
 * it); it may forget anything at any time; it fails open (an unreachable cache knows nothing). Level 3, the unique key
 * in Postgres, decides what is new.
 *
 * A crawl is named by its id and its epoch (`OpenCrawl.seenAs`), which changes when Postgres may have lost keys that were
 * committed. So nothing that was known before counts any more, in whichever process or old copy of Redis it is kept.
 */
export interface SeenCache {
  /** Which of a crawl's keys (16 bytes each) are known to be seen, in the order given. */
  known(crawl: string, keys: readonly Uint8Array[]): Promise<readonly boolean[]>;
  /** The caller must pass only keys that are committed. */
  remember(crawl: string, keys: readonly Uint8Array[]): Promise<void>;
}
