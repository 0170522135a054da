/** What spans are made by: the contract between tracing/ and the rooms that tell of their work. */

export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface OpenSpan {
  /** Adds facts, under the names of OpenTelemetry's conventions where there are any. Never a header or a body. */
  tell(facts: SpanFacts): void;
  /** The trace is sent, whatever the share of those that are. */
  fail(why: string): void;
}

export interface Tracer {
  /**
   * Does the work in a span below the one that is open where it is called. What the work throws is thrown on, and is
   * the failure of the span, but for an error with a `status` below 500, which is an answer.
   * @param kind `visit`: the span begins a trace of its own
   */
  within<T>(
    name: string,
    facts: SpanFacts,
    work: (span: OpenSpan) => Promise<T> | T,
    kind?: 'visit' | 'server' | 'client',
  ): Promise<T>;
  /** Of the span that is open where it is called. */
  traceId(): string | undefined;
}
