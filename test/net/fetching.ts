/** Fetchers of the tests: loopback allowed, closed when the test is over. */
import { onTestFinished, vi } from 'vitest';
import type { FetchFailure, FetchRequest, FetchResponse, FetchResult } from '../../contracts/fetching.ts';
import { createFetcher, type FetcherOptions } from '../../net/fetcher.ts';

export const loopback = ['127.0.0.1/32', '::1/128'];

export type Get = (url: string, request?: Partial<FetchRequest>) => Promise<FetchResult>;

/** Milliseconds within which even the busiest machine fetches: tests of time limits set their own. */
const patienceMs = 120_000;

export function fetching(options: FetcherOptions = {}): Get {
  const fetcher = createFetcher({ connectTimeoutMs: patienceMs, ...options });
  onTestFinished(() => fetcher.close());
  return (url, request = {}) =>
    fetcher.fetch({
      url,
      userAgent: 'orbweaver-tests/1.0',
      allowPrivate: loopback,
      limits: { maxBodyBytes: 1024 * 1024, totalTimeoutMs: patienceMs },
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

const { setTimeout: realTimeout } = globalThis;
const realNow = performance.now.bind(performance);

/** Waits until `condition` holds, by the real clock. */
export async function until(condition: () => boolean, limitMs = 60_000): Promise<void> {
  const end = realNow() + limitMs;
  while (!condition()) {
    if (realNow() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => realTimeout(resolve, 5));
  }
}

/**
 * From now on no time limit of the code under test passes by itself, however long a busy machine takes: the clock stands
 * still but for what the answered function lets pass, in milliseconds. Intervals and the network go on. To be called
 * before anything is fetched.
 */
export function stopClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return (ms) => vi.advanceTimersByTime(ms);
}
