import type { CapDefaults } from './caps/cap-book.ts';
import type { Capacities } from './pressure/pressure.ts';

/** The settings of a process that visits and admissions use. */
export interface CrawlSettings {
  /** User-Agent of crawls that set none. */
  readonly userAgent: string;
  /** CIDR blocks that every crawl may reach. */
  readonly allowPrivate: readonly string[];
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly sliceMs: number;
  /** How long a visit waits for further URLs once it has fetched all; longer while bodies of the host are unread. */
  readonly lingerMs: number;
  readonly leaseMs: number;
  /** Caps on addresses and domains for which operators have set none. */
  readonly caps: CapDefaults;
  /** How much may wait behind the requests of a process. */
  readonly capacities: Capacities;
  /** Pages of a shape of URLs that are read before it is taken for a trap; absent: as usual. */
  readonly trapPages?: number;
  /** Number of shards that new hosts are spread over. */
  readonly shards: number;
}
