/** The API as `crawl` and `resume` use it: to create a crawl on the stack here and to change its state. api.ts has the rest. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlState } from '../contracts/crawl.ts';
import type { CreatedCrawl } from '../contracts/http/crawls.ts';
import type { Problem } from '../contracts/http/problem.ts';
import { CommandError, exitCodes } from './ending.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Milliseconds within which a killed part of the stack is back. */
const patienceMs = 60_000;
const retryMs = 500;

export interface ApiClient {
  /** @throws CommandError with the words of the API */
  create(body: string): Promise<CreatedCrawl>;
  /**
   * Asks until the crawl is in the wanted state, the API says that it cannot get there, or patience ends: workers that
   * are only starting answer late. True: the crawl is in that state.
   */
  change(
    crawlId: string,
    change: 'pause' | 'resume',
    reason: string | null,
    signal?: AbortSignal,
  ): Promise<boolean>;
}

const wanted = { pause: 'paused', resume: 'running' } as const satisfies Record<string, CrawlState>;

/** @param key null: none is sent */
export function createApiClient(apiUrl: string, key: string | null = null): ApiClient {
  const send = async (method: string, path: string, body?: string): Promise<Answer> => {
    const response = await fetch(apiUrl + path, {
      method,
      signal: AbortSignal.timeout(30_000),
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, body: await response.json() };
  };

  return {
    create: async (body) => {
      const answer = await untilReached(() => send('POST', '/v1/crawls', body));
      if (answer.status === 201) return answer.body as CreatedCrawl;
      const { detail } = answer.body as Problem;
      throw new CommandError(detail, answer.status === 422 ? exitCodes.badUse : exitCodes.broken);
    },
    change: async (crawlId, change, reason, signal) => {
      const deadline = performance.now() + patienceMs;
      const body = reason === null ? undefined : JSON.stringify({ reason });
      while (performance.now() < deadline && signal?.aborted !== true) {
        const answer = await send('POST', `/v1/crawls/${crawlId}/${change}`, body).catch(() => null);
        if (answer?.status === 200) return true;
        // The change may be made although its answer came late: what matters is where the crawl stands.
        const now = await send('GET', `/v1/crawls/${crawlId}`).catch(() => null);
        const state = now?.status === 200 ? (now.body as { state: CrawlState }).state : null;
        if (state === wanted[change]) return true;
        if (answer?.status === 401 || answer?.status === 403) return false;
        if (answer?.status === 404 || (answer?.status === 409 && state !== 'seeding')) return false;
        await sleep(retryMs);
      }
      return false;
    },
  };
}

/** A request that could not even be sent is safe to send again. */
async function untilReached(attempt: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      const refused = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
      if (!refused || performance.now() > deadline) {
        throw new CommandError(
          'The API does not answer. orbweaver status shows what is running.',
          exitCodes.broken,
          {
            cause: error,
          },
        );
      }
      await sleep(retryMs);
    }
  }
}
