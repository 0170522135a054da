/**
 * Traces by OpenTelemetry, sent by OTLP over HTTP. Nothing but `import()` may load this file, where traces are on: where
 * they are off, no package of OpenTelemetry's is loaded and no span is made.
 *
 * A visit is a trace, each of its URLs a span, each request a span below. Other activities go on with the trace of the
 * request to the API that their workflow works for, if it works for one (workflows/trace-headers.ts), and are traces of
 * their own otherwise. Hosts that are crawled are told nothing of all this: no request to them has a field of a trace.
 */
import type { Context as ActivityContext } from '@temporalio/activity';
import { context, diag, DiagLogLevel, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { Logger } from 'pino';
import { version } from '../config/package.ts';
import type { Tracer } from '../contracts/tracing.ts';
import { TailProcessor } from './tail.ts';

export interface Traces {
  readonly tracer: Tracer;
  /** For a client of Temporal whose workflows are to go on with its traces. */
  readonly client: WorkflowClientInterceptor;
  /** For workers: a span around each activity, of the package's making, but for visits. */
  readonly activity: (context: ActivityContext) => ActivityInterceptors;
  /** Sends what is left, within a few seconds. */
  close(): Promise<void>;
}

/** Activities that are visits: they begin a trace. */
const visits: ReadonlySet<string> = new Set(['fetchSlice', 'probeHost']);
/** Milliseconds that the end of a process waits for a collector. */
const patienceMs = 3_000;
const kinds = { visit: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/**
 * @param name of the process: `worker` or `api`
 * @param otlp a collector, without the path of traces
 */
export function openTraces(
  name: string,
  otlp: string,
  { traceSample }: { readonly traceSample: number },
  log: Pick<Logger, 'warn' | 'error'>,
): Traces {
  // What the packages say of themselves, a collector that is away and spans that it had no room for among it.
  const say = (level: 'warn' | 'error') => (words: string) => { log[level]({ why: words }, 'traces'); }; // prettier-ignore
  const quiet = (): void => undefined;
  const to = { error: say('error'), warn: say('warn'), info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(to, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const own = new Resource({ 'service.name': `orbweaver-${name}`, 'service.version': version, 'process.pid': process.pid }); // prettier-ignore
  const url = `${otlp.replace(/\/$/, '')}/v1/traces`;
  const sampler = new TraceIdRatioBasedSampler(traceSample);
  const provider = new BasicTracerProvider({
    // Of OTEL_RESOURCE_ATTRIBUTES, which the operator may set.
    resource: own.merge(detectResourcesSync({ detectors: [envDetectorSync] })),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new TailProcessor(
        (id) => sampler.shouldSample(context.active(), id).decision === SamplingDecision.RECORD_AND_SAMPLED,
        new BatchSpanProcessor(new OTLPTraceExporter({ url })),
      ),
    ],
  });
  provider.register({ contextManager: new AsyncLocalStorageContextManager() });
  const otel = provider.getTracer('orbweaver');
  const tracer: Tracer = {
    within: (spanName, attributes, work, kind) => {
      const options = {
        attributes,
        kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
        root: kind === 'visit',
      };
      return otel.startActiveSpan(spanName, options, async (span) => {
        try {
          return await work({
            tell: (facts) => span.setAttributes(facts),
            fail: (why) => span.setStatus({ code: SpanStatusCode.ERROR, message: why }),
          });
        } catch (error) {
          failBy(span, error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
  };
  return {
    tracer,
    client: new OpenTelemetryWorkflowClientInterceptor({ tracer: otel }),
    activity: (ctx) => {
      const { activityType, workflowExecution } = ctx.info;
      if (!visits.has(activityType))
        return { inbound: new OpenTelemetryActivityInboundInterceptor(ctx, { tracer: otel }) };
      const facts = { temporalWorkflowId: workflowExecution?.workflowId ?? '', attempt: ctx.info.attempt };
      return {
        inbound: { execute: (input, next) => tracer.within('visit', facts, () => next(input), 'visit') },
      };
    },
    close: async () => {
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => {
        late.resolve(undefined);
      }, patienceMs);
      await Promise.race([provider.shutdown(), late.promise]).catch((error: unknown) => {
        log.warn({ err: error }, 'the last traces could not be sent');
      });
      clearTimeout(timer);
    },
  };
}

function failBy(span: Span, error: unknown): void {
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500)
    return;
  const message = error instanceof Error ? error.message : String(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
