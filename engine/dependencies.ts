/** What all work of a process uses: one of each, made by workers/. */
import type { Logger } from 'pino';
import type { Extractor } from '../content/extract.ts';
import type { Fetcher } from '../contracts/fetching.ts';
import type { Tracer } from '../contracts/tracing.ts';
import type { BodyStore } from '../storage/archive/index.ts';
import type { FrontierWriter } from '../storage/frontier/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import type { SeenCache } from '../storage/seen/index.ts';
import type { SecretKeys } from '../storage/sessions/index.ts';
import type { DependencyDown } from './breakers/dependency-down.ts';
import type { Admission } from './admission/admission.ts';
import type { LinkTally } from './admission/link-tally.ts';
import type { Bells } from './bells.ts';
import type { Books } from './books/books.ts';
import type { Caps } from './caps/caps.ts';
import type { Pressure } from './pressure/pressure.ts';
import type { RegionBook } from './regions/region-book.ts';
import type { SessionBook } from './sessions/session-book.ts';
import type { WakeHosts } from './host-waker.ts';
import type { RenderingOffer } from './rendering/offer.ts';
import type { Soft404 } from './soft-404/soft-404.ts';
import type { TrapWatch } from './traps/trap-watch.ts';
import type { Gate } from './visit/gates.ts';
import type { CrawlSettings } from './settings.ts';

export interface Dependencies {
  readonly pool: Pool;
  readonly writer: FrontierWriter;
  readonly blobs: BodyStore;
  /** The folder whose bodies this process reads beside those that all processes do; null: it reads all. */
  readonly folder: string | null;
  readonly seen: SeenCache;
  readonly fetcher: Fetcher;
  /** Absent: traces are off. */
  readonly tracer?: Tracer;
  /** Opens what must stay secret. */
  readonly keys: SecretKeys;
  readonly sessions: SessionBook;
  /** Makes what visits read pages by while nothing else waits; absent: lanes read all. */
  readonly extractor?: () => Promise<Extractor>;
  readonly wakeHosts: WakeHosts;
  /** Looks up a host's name early, so that nobody has to wait for it later. Never fails. */
  readonly prefetch: (hostname: string) => void;
  /** An error that says which dependency of ours is down; null: none is. */
  readonly outage: () => DependencyDown | null;
  /** Every gate that may keep a request from leaving: those of visit/gates.ts. */
  readonly gates: readonly Gate[];
  /** What the process knows about crawls, hosts, opt-outs and robots.txt. */
  readonly books: Books;
  readonly caps: Caps;
  readonly bells: Bells;
  /** How much slower the process should work, for what waits behind it. */
  readonly pressure: Pressure;
  /** Absent: the instance has no regions. */
  readonly regions?: RegionBook;
  readonly admission: Admission;
  readonly links: LinkTally;
  readonly traps: TrapWatch;
  readonly soft404: Soft404;
  readonly rendering: RenderingOffer;
  readonly settings: CrawlSettings;
  readonly log: Logger;
}
