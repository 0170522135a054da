/** Fetchers of the tests: loopback allowed, closed when the test is over. */
import { onTestFinished } from 'vitest';
import type { FetchFailure, FetchRequest, FetchResponse, FetchResult } from '../../contracts/fetching.ts';
import { createFetcher, type FetcherOptions } from '../../net/fetcher.ts';

export const loopback = ['127.0.0.1/32', '::1/128'];

export type Get = (url: string, request?: Partial<FetchRequest>) => Promise<FetchResult>;

export function fetching(options: FetcherOptions = {}): Get {
  const fetcher = createFetcher(options);
  onTestFinished(() => fetcher.close());
  return (url, request = {}) =>
    fetcher.fetch({
      url,
      userAgent: 'orbweaver-tests/1.0',
      allowPrivate: loopback,
      limits: { maxBodyBytes: 1024 * 1024, totalTimeoutMs: 10_000 },
      ...request,
    });
}

export function expectResponse(result: FetchResult): FetchResponse {
  if (result.kind !== 'response') throw new Error(`no response: ${result.fault}: ${result.message}`);
  return result;
}

export function expectFault(result: FetchResult): FetchFailure {
  if (result.kind !== 'fault') throw new Error(`a response of status ${String(result.status)}`);
  return result;
}

export const text = (response: FetchResponse): string => Buffer.from(response.body).toString('latin1');

/** Waits until `condition` holds. */
export async function until(condition: () => boolean, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
