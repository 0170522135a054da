/** Nothing was done, since something this process depends on is down: our own fault, nobody's URL. */
export class DependencyDown extends Error {
  /** For people: "Postgres". */
  readonly dependency: string;
  readonly since: Date;
  /** Milliseconds after which it is worth trying again. */
  readonly retryMs: number;
  /** What callers of the dependency know an outage by, as if it had been asked: SQLSTATE or errno. */
  readonly code: string;

  constructor(down: {
    readonly dependency: string;
    readonly since: Date;
    readonly retryMs: number;
    readonly code: string;
    readonly cause: unknown;
  }) {
    const why = down.cause instanceof Error ? ` (${down.cause.message})` : '';
    super(
      `${down.dependency} is down since ${down.since.toISOString()}${why}: a fault of ours, no URL is blamed; work goes on by itself once it is back`,
      { cause: down.cause },
    );
    this.name = 'DependencyDown';
    this.dependency = down.dependency;
    this.since = down.since;
    this.retryMs = down.retryMs;
    this.code = down.code;
  }
}
