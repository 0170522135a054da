/** Which spans are sent: those of the sample, and every trace with an error from a few spans before it on. */
import { context, diag, DiagLogLevel, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { TailProcessor } from '../../tracing/tail.ts';

function tracing(isInSample: boolean) {
  const sent = new InMemorySpanExporter();
  const tail = new TailProcessor(() => isInSample, new SimpleSpanProcessor(sent));
  const otel = new BasicTracerProvider({ spanProcessors: [tail] }).getTracer('test');
  const visit = otel.startSpan('visit');
  const below = trace.setSpan(context.active(), visit);
  return {
    visit,
    /** A span below the visit, which ends at once. */
    url: (name: string, fails = false) => {
      const span = otel.startSpan(name, {}, below);
      if (fails) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    names: () => sent.getFinishedSpans().map(({ name }) => name),
    sent,
  };
}

it('sends all spans of a trace in the sample as they end', () => {
  const { visit, url, names } = tracing(true);
  url('a');
  expect(names()).toEqual(['a']);
  visit.end();
  expect(names()).toEqual(['a', 'visit']);
});

it('sends nothing of another trace without an error, however long, and has nothing to complain of', () => {
  const complaints: string[] = [];
  const note = (words: string) => complaints.push(words);
  diag.setLogger({ error: note, warn: note, info: note, debug: note, verbose: note }, DiagLogLevel.WARN);
  const { visit, url, names } = tracing(false);
  for (let at = 0; at < 40; at++) url(String(at));
  visit.end();
  diag.disable();
  expect(names()).toEqual([]);
  expect(complaints).toEqual([]);
});

it('sends another trace with an error, what came before and after it too', () => {
  const { visit, url, names } = tracing(false);
  url('a');
  url('b', true);
  expect(names()).toEqual(['a', 'b']);
  url('c');
  visit.end();
  expect(names()).toEqual(['a', 'b', 'c', 'visit']);
});

it('keeps the last 32 spans for an error to come, and says how many it left out', () => {
  const { visit, url, names, sent } = tracing(false);
  for (let at = 0; at < 40; at++) url(String(at));
  url('broken', true);
  visit.end();
  expect(names()).toEqual([...Array.from({ length: 32 }, (_, at) => String(at + 8)), 'broken', 'visit']);
  expect(sent.getFinishedSpans().at(-1)?.attributes).toEqual({ 'orbweaver.spans_left_out': 8 });
});
