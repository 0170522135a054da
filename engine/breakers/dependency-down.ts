/** Nothing was done, since a dependency of this process is down. A fault of ours: no URL is blamed. */
export class DependencyDown extends Error {
  /** A name for people, such as "Postgres". */
  readonly dependency: string;
  readonly since: Date;
  /** Milliseconds after which it is worth trying again. */
  readonly retryMs: number;
  /** The code (SQLSTATE or errno) by which callers recognise an outage, as if the dependency had failed itself. */
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
      `${down.dependency} is down since ${down.since.toISOString()}${why}: this is a fault of ours, so no URL is blamed; work goes on by itself once ${down.dependency} is back`,
      { cause: down.cause },
    );
    this.name = 'DependencyDown';
    this.dependency = down.dependency;
    this.since = down.since;
    this.retryMs = down.retryMs;
    this.code = down.code;
  }
}
