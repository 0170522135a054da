/** What the API is made of; tests hand in their own. */
import type { Logger } from 'pino';
import type { ActOnHost } from '../activities/act-on-host.ts';
import type { LendingRoom } from '../engine/lending/room.ts';
import type { TextReader } from '../storage/pages.ts';
import type { Pool } from '../storage/pool.ts';
import type { CrawlControl } from './crawls/crawl-control.ts';
import type { Keyring } from './way-in/keyring.ts';
import type { SharedCounts } from './way-in/rate-store.ts';
import type { VerifyToken } from './way-in/tokens.ts';

export interface Dependencies {
  readonly pool: Pool;
  readonly control: CrawlControl;
  readonly textOf: TextReader;
  /** Has the workflow of a host look again, if there is one. */
  readonly wakeHost: (origin: string) => Promise<void>;
  /** What an operator does to a host; rejects where Temporal does not answer. */
  readonly actOnHost: ActOnHost;
  /** Bytes left to us on the disk of the bodies, where an embedded stack keeps everything. */
  readonly freeBytes: () => Promise<number>;
  /** Null: API keys are the only way in. */
  readonly verifyToken: VerifyToken | null;
  /** Null: each process counts requests for itself. */
  readonly sharedCounts: SharedCounts | null;
  readonly log: Logger;
  /** Aborted when the process is to stop: streams end then. */
  readonly stopping: AbortSignal;
  readonly settings: ApiSettings;
}

/** What routes are made of: the dependencies, and what the application makes of them once. */
export interface Parts extends Dependencies {
  readonly keyring: Keyring;
  readonly room: LendingRoom;
  /** The OpenAPI document. */
  readonly document: object;
}

interface ApiSettings {
  readonly version: string;
  /** User agent of workers where a crawl names none: what explain judges robots.txt for. */
  readonly userAgent: string;
  /** Who runs this instance, as the crawler's page says it; null: nobody was named. */
  readonly contact: string | null;
  /** Host names the API answers for, besides addresses and localhost. */
  readonly hostNames: readonly string[];
  /** CIDR blocks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Shards the hosts are spread over. */
  readonly shards: number;
  /** Requests one address may send within ten seconds without a key, and as many with keys that are made up. */
  readonly requestsPer10s: number;
}
