/**
 * Which spans are sent. All are made, and a trace is judged while its spans end. Of a trace in the sample all are sent;
 * of any other all from its first error on, and the last few that ended before. One process judges what it has of a
 * trace, until none of its spans is open there. That a trace is in the sample follows from its id alone, so all
 * processes agree on that, and none has to tell the next.
 */
import { SpanStatusCode, type Context } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Ended spans of a trace that are kept for an error to come: bounds the memory of thousands of visits at a time. */
const keptBefore = 32;

interface Trace {
  /** Of this process, its first: ends last. */
  readonly first: Span;
  open: number;
  isSent: boolean;
  readonly ended: ReadableSpan[];
  leftOut: number;
}

export class TailProcessor implements SpanProcessor {
  readonly #traces = new Map<string, Trace>();
  readonly #isInSample: (traceId: string) => boolean;
  readonly #next: SpanProcessor;

  constructor(isInSample: (traceId: string) => boolean, next: SpanProcessor) {
    this.#isInSample = isInSample;
    this.#next = next;
  }

  onStart(span: Span, parent: Context): void {
    const { traceId } = span.spanContext();
    const known = this.#traces.get(traceId);
    if (known === undefined)
      this.#traces.set(traceId, {
        first: span,
        open: 1,
        isSent: this.#isInSample(traceId),
        ended: [],
        leftOut: 0,
      });
    else known.open++;
    this.#next.onStart(span, parent);
  }

  onEnd(span: ReadableSpan): void {
    const { traceId } = span.spanContext();
    const trace = this.#traces.get(traceId);
    if (trace === undefined) return;
    if (--trace.open === 0) this.#traces.delete(traceId);
    trace.isSent ||= span.status.code === SpanStatusCode.ERROR;
    trace.ended.push(span);
    if (trace.isSent) for (const each of trace.ended.splice(0)) this.#next.onEnd(each);
    else if (trace.ended.length > keptBefore && !trace.first.ended) {
      trace.ended.shift();
      trace.first.setAttribute('orbweaver.spans_left_out', ++trace.leftOut);
    }
  }

  forceFlush(): Promise<void> {
    return this.#next.forceFlush();
  }

  shutdown(): Promise<void> {
    this.#traces.clear();
    return this.#next.shutdown();
  }
}
