/** The parts that the API is made of; tests pass their own. */
import type { Logger } from 'pino';
import type { ActOnHost } from '../activities/act-on-host.ts';
import type { CapDefaults } from '../engine/caps/cap-book.ts';
import type { ReadAnswer } from '../engine/changes/read-version.ts';
import type { Tracer } from '../contracts/tracing.ts';
import type { Regions } from '../domain/regions.ts';
import type { LendingContext } from '../engine/lending/context.ts';
import type { Answers } from '../engine/stored-answer.ts';
import type { ExportFiles } from '../storage/exports/index.ts';
import type { TextReader } from '../storage/pages/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import type { SearchIndex } from '../storage/search/index.ts';
import type { SecretKeys } from '../storage/sessions/index.ts';
import type { CrawlControl } from './crawls/crawl-control.ts';
import type { Schedulers } from './schedulers.ts';
import type { ConsoleSessions } from './way-in/console-session.ts';
import type { Keyring } from './way-in/keyring.ts';
import type { SharedCounts } from './way-in/rate-store.ts';
import type { Turns } from './way-in/turns.ts';
import type { VerifyToken } from './way-in/tokens.ts';

export interface Dependencies {
  readonly pool: Pool;
  /** Seals what must stay secret. */
  readonly keys: SecretKeys;
  readonly control: CrawlControl;
  readonly schedulers: Schedulers;
  readonly textOf: TextReader;
  /** Reads stored versions of pages, to compare them. */
  readonly readVersion: ReadAnswer;
  readonly archive: Answers;
  /** Finds pages by their texts. */
  readonly search: SearchIndex;
  /** Files of exports, and the days for which they stay. */
  readonly exports: { readonly files: ExportFiles; readonly days: number };
  /** Tells the workflow of a host to look again, if there is a workflow. */
  readonly wakeHost: (origin: string) => Promise<void>;
  /** Does an operator's action on a host. Rejects if Temporal does not answer. */
  readonly actOnHost: ActOnHost;
  /** Free bytes on the disk of the bodies; an embedded stack keeps everything on that disk. */
  readonly freeBytes: () => Promise<number>;
  /** Null: API keys are the only way in. */
  readonly verifyToken: VerifyToken | null;
  /** Null: each process counts its own requests only. */
  readonly sharedCounts: SharedCounts | null;
  /** Absent: the usual ones; tests hold their own closed. */
  readonly turns?: Turns;
  readonly log: Logger;
  /** Absent: traces are off. */
  readonly tracer?: Tracer;
  /** Aborted when the process must stop: streams end then. */
  readonly stopping: AbortSignal;
  readonly settings: ApiSettings;
}

/** What routes get: the dependencies, and the parts that the application makes from them once. */
export interface Parts extends Dependencies {
  readonly keyring: Keyring;
  readonly consoleSessions: ConsoleSessions;
  readonly lending: LendingContext;
  /** The OpenAPI document. */
  readonly document: object;
}

interface ApiSettings {
  readonly version: string;
  /** User agent of workers for crawls that set none; explain judges robots.txt for it. */
  readonly userAgent: string;
  /** Contact of the people who run this instance, shown on the crawler's page; null: none is set. */
  readonly contact: string | null;
  /** Host names to which the API answers, besides addresses and localhost. */
  readonly hostNames: readonly string[];
  /** CIDR blocks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Blocks of private addresses to which webhooks may be sent. */
  readonly webhookAllowPrivate: readonly string[];
  /** Where Temporal Web shows the workflows of this instance, up to their ids; absent: not known. */
  readonly temporalWeb?: string;
  /** Number of shards over which the hosts are spread. */
  readonly shards: number;
  /** Absent: the instance has none. */
  readonly regions?: Regions;
  /** Caps on addresses and domains for which operators have set none. */
  readonly caps: CapDefaults;
  /** Requests that one address may send within ten seconds without a key; the same number again with unknown keys. */
  readonly requestsPer10s: number;
}
