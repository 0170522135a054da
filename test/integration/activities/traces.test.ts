/**
 * A real worker sends traces to a collector (F43): a visit with an error whatever the share of traces that are sent, and
 * what is done for a request to the API as part of that request's trace.
 *
 * @module-tag long
 */
import { text } from 'node:stream/consumers';
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it, onTestFinished } from 'vitest';
import { startMissing } from '../../../activities/open-workflows.ts';
import { defaultCrawlConfig } from '../../../contracts/crawl.ts';
import { readSeeds } from '../../../storage/seeds/index.ts';
import { createCrawl } from '../../../storage/starting/index.ts';
import { openDesk } from '../../support/crawling.ts';
import { httpServer } from '../../support/http-server.ts';
import { until } from '../../support/until.ts';
import { makeBlobDir, startWorker } from '../../support/worker.ts';
import { withWorld } from '../../support/world.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}
interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const world = withWorld();
const failed = 2;
/** In any sample but an empty one, since it is so small a number; no trace that the worker begins is. */
const asked = '1'.padStart(32, '0');
const least = '0.000001';

it('sends the visit that met an error, URL by URL, and the activities of the request that began the crawl', async () => {
  const spans: Span[] = [];
  const told = new Set<string>();
  const collector = await httpServer((request, response) => {
    told.add(request.url ?? '');
    void text(request).then((body) => {
      if (request.url === '/v1/traces')
        for (const { scopeSpans } of (JSON.parse(body) as Sent).resourceSpans)
          spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  onTestFinished(() => collector.close());
  const heard: (readonly string[])[] = [];
  const site = await httpServer(({ url = '', headers }, response) => {
    heard.push(Object.keys(headers));
    const body = url === '/' ? '<a href="/a">a</a> <a href="/broken">b</a>' : 'a page';
    response.writeHead(url === '/robots.txt' ? 404 : url === '/broken' ? 500 : 200, {
      'content-type': 'text/html',
    });
    response.end(body);
  });
  onTestFinished(() => site.close());

  const desk = await openDesk(world);
  onTestFinished(() => desk.close());
  // As the API's client does it, before there is a worker whose patrol might start the workflow instead.
  const traceparent = `00-${asked}-${'1'.padStart(16, '0')}-01`;
  const asRequest: WorkflowClientInterceptor = {
    startWithDetails: (input, next) =>
      next({
        ...input,
        headers: { ...input.headers, '_tracer-data': defaultPayloadConverter.toPayload({ traceparent }) },
      }),
  };
  const { connection, options } = desk.client;
  const client = new Client({
    connection,
    namespace: options.namespace,
    interceptors: { workflow: [asRequest] },
  });
  const config = { ...defaultCrawlConfig, delaySeconds: 0.05 };
  const crawl = await createCrawl(
    desk.pool,
    config,
    readSeeds([`${site.origin}/`, `${collector.origin}/page`]),
  );
  await startMissing.crawl(client.workflow, crawl);

  const worker = await startWorker(world, {
    blobDir: makeBlobDir(),
    environment: { ORBWEAVER_OTLP: collector.origin, ORBWEAVER_TRACE_SAMPLE: least },
  });
  const fact = (span: Span, name: string) =>
    span.attributes.find(({ key }) => key === name)?.value.stringValue;
  const isBroken = (span: Span): boolean =>
    span.name === 'GET' && span.status.code === failed && fact(span, 'url.full') === `${site.origin}/broken`;
  await until('the visit of the broken page has come', () => {
    const traceId = spans.find(isBroken)?.traceId;
    return spans.some((span) => span.name === 'visit' && span.traceId === traceId);
  });
  // The log's level changes while the worker runs.
  worker.child.kill('SIGUSR2');
  await until('the log says more', () => worker.log.some((line) => line.includes('"logLevel":"debug"')));
  await worker.drain();

  const ofRequest = spans.filter(({ traceId }) => traceId === asked);
  expect(ofRequest.map(({ name }) => name)).toContain('RunActivity:lookAtCrawl');
  expect(new Set(ofRequest.map(({ parentSpanId }) => parentSpanId))).toEqual(
    new Set(['1'.padStart(16, '0')]),
  );

  const broken = spans.find(isBroken);
  const visit = spans.filter(({ traceId }) => traceId === broken?.traceId);
  const root = visit.find(({ name }) => name === 'visit');
  expect(root?.parentSpanId ?? '').toBe('');
  expect(root && fact(root, 'temporalWorkflowId')).toBe(`host/${site.origin}`);
  for (const path of ['/', '/a', '/broken'].map((each) => site.origin + each)) {
    const url = visit.find((span) => span.name === 'url' && fact(span, 'url.full') === path);
    expect(url?.parentSpanId).toBe(root?.spanId);
    const request = visit.find((span) => span.name === 'GET' && fact(span, 'url.full') === path);
    expect(request?.parentSpanId).toBe(url?.spanId);
  }
  // No crawl reaches the collector. Nothing else is sent, and the host is told nothing.
  const withError = new Set(
    spans.filter(({ status }) => status.code === failed).map(({ traceId }) => traceId),
  );
  expect(spans.filter(({ traceId }) => traceId !== asked && !withError.has(traceId))).toEqual([]);
  expect([...told]).toEqual(['/v1/traces']);
  expect(heard.flat().filter((name) => /trace|baggage/.test(name))).toEqual([]);
});
