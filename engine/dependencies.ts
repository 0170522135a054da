/** What the work is made of: one of each a process, handed in by workers/. */
import type { Logger } from 'pino';
import type { Fetcher } from '../contracts/fetching.ts';
import type { BlobStore } from '../storage/blobs/blob-store.ts';
import type { FrontierWriter } from '../storage/frontier-writer.ts';
import type { Pool } from '../storage/pool.ts';
import type { SeenCache } from '../storage/seen/seen-cache.ts';
import type { DependencyDown } from './breakers/dependency-down.ts';
import type { Admission } from './admission/admission.ts';
import type { Books } from './books/books.ts';
import type { WakeHosts } from './host-waker.ts';
import type { Gate } from './visit/gates.ts';
import type { CrawlSettings } from './settings.ts';

export interface Dependencies {
  readonly pool: Pool;
  readonly writer: FrontierWriter;
  readonly blobs: BlobStore;
  readonly seen: SeenCache;
  readonly fetcher: Fetcher;
  readonly wakeHosts: WakeHosts;
  /** Has a host's name looked up, before somebody waits for it. Never fails. */
  readonly prefetch: (hostname: string) => void;
  /** What is down on our own side, ready to be thrown; null: nothing is. */
  readonly outage: () => DependencyDown | null;
  /** All that may keep a request from leaving: those of visit/gates.ts. */
  readonly gates: readonly Gate[];
  /** What is known of crawls, hosts and opt-outs; the same for whoever asks. */
  readonly books: Books;
  readonly admission: Admission;
  readonly settings: CrawlSettings;
  readonly log: Logger;
}
