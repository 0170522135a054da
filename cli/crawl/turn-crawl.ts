/** A crawl is paused or resumed, also by an API whose workers are only starting. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlState } from '../../contracts/crawl.ts';
import { crawlStateAnswer, crawlView } from '../../contracts/http/crawls.ts';
import { RefusedError, type Asking } from '../api/request.ts';
import type { Api } from '../api/api.ts';
import { CommandError } from '../ending.ts';

/** Milliseconds within which a killed part of the stack is back, and for one of the requests. */
const patienceMs = 60_000;
const withinMs = 30_000;
const retryMs = 500;

const wanted = { pause: 'paused', resume: 'running' } as const satisfies Record<string, CrawlState>;

/**
 * Asks until the crawl is in the wanted state, the API says that it cannot get there, or patience ends: workers that
 * are only starting answer late. True: the crawl is in that state.
 */
export async function turnCrawl(
  api: Api,
  crawlId: string,
  change: 'pause' | 'resume',
  reason: string | null,
  signal?: AbortSignal,
): Promise<boolean> {
  const path = `/v1/crawls/${crawlId}`;
  const body = reason === null ? {} : { reason };
  const asking: Asking = { patienceMs: 0, withinMs, ...(signal !== undefined && { signal }) };
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline && signal?.aborted !== true) {
    const refusal = await api
      .change('POST', `${path}/${change}`, crawlStateAnswer, { ...asking, body })
      .then(() => null, asRefusal);
    if (refusal === null) return true;
    // The change may be made although its answer came late: what matters is where the crawl stands.
    const state = await api.get(path, crawlView, {}, asking).then((crawl) => crawl.state, asRefusal);
    if (state === wanted[change]) return true;
    const status = refusal instanceof RefusedError ? refusal.status : null;
    if (status === 401 || status === 403 || status === 404) return false;
    if (status === 409 && state !== 'seeding') return false;
    await sleep(retryMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

function asRefusal(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  throw error;
}
