/** What a process is set to, as far as visits and admissions go by it. */
export interface CrawlSettings {
  /** Sent where a crawl names none. */
  readonly userAgent: string;
  /** CIDR blocks every crawl may reach. */
  readonly allowPrivate: readonly string[];
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly sliceMs: number;
  readonly leaseMs: number;
  /** Shards the hosts are spread over. */
  readonly shards: number;
}
