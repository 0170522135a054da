/** What the rooms of this process tell of their work to a tracer, if there is one. */
import type { Fetcher, FetchResult } from '../contracts/fetching.ts';
import type { OpenSpan, SpanFacts, Tracer } from '../contracts/tracing.ts';

/** Does the work in a span; without a tracer it does the work, and that is all. */
export const traced = <T>(
  tracer: Tracer | undefined,
  name: string,
  facts: () => SpanFacts,
  work: (span: OpenSpan | null) => Promise<T>,
): Promise<T> => (tracer === undefined ? work(null) : tracer.within(name, facts(), work));

/** A span for each request, from its leaving for a connection to the end of the answer. */
export const tracedFetcher = (fetcher: Fetcher, tracer: Tracer): Fetcher => ({
  fetch: (request) =>
    tracer.within(
      'GET',
      { 'http.request.method': 'GET', 'url.full': request.url },
      async (span) => {
        const result = await fetcher.fetch(request);
        const why = complaint(result);
        if (result.kind === 'response')
          span.tell({
            'http.response.status_code': result.status,
            'http.response.body.size': result.wireBytes,
            'network.peer.address': result.remoteAddress ?? '',
          });
        if (why !== null) span.fail(why);
        return result;
      },
      'client',
    ),
  addressOf: (request) => fetcher.addressOf(request),
  close: () => fetcher.close(),
});

/** A 404 is an answer like any other; this is what the host, or the way to it, is to blame for. */
function complaint(result: FetchResult): string | null {
  if (result.kind === 'fault') return `${result.fault}: ${result.message}`;
  return result.status === 429 || result.status >= 500 ? String(result.status) : null;
}
