/** A whole embedded stack of a test's own, API and worker included, whose parts can be killed. */
import type { Config } from '../../config/config.ts';
import type { RunningStack, WorkerPlan } from '../../stack/embedded.ts';
import type { StackEvent } from '../../stack/supervisor.ts';
import type { CreatedCrawl, CrawlView } from '../../contracts/http/crawls.ts';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { pidOf } from '../stack/world.ts';
import { until } from './until.ts';
import { startOwnStack } from './start-stack.ts';

export type EmbeddedPart = 'worker' | 'api' | 'temporal' | 'postgres';

export interface Embedded {
  readonly stack: RunningStack;
  readonly dataDir: string;
  /** GET, or POST where there is a body. @throws with the answer where that is no success */
  ask<T>(path: string, body?: object): Promise<T>;
  /** The bytes of an answer. @throws with it where it is no success */
  bytes(path: string): Promise<Uint8Array>;
  crawl(body: object): Promise<CreatedCrawl>;
  /** Once the crawl is closed. */
  ended(crawlId: string, timeoutMs: number): Promise<CrawlView>;
  /** All that the pages feed has. */
  pages(crawlId: string, fields?: readonly PageField[]): Promise<PageView[]>;
  /**
   * kill -9. Answers the time (epoch milliseconds) at which the supervisor calls the part up again, once the API answers
   * as well.
   */
  kill(part: EmbeddedPart): Promise<number>;
  close(): Promise<void>;
}

/**
 * @param workers absent: as many as the stack starts by itself
 * @param given a data folder that is there; absent: a new one
 */
export async function startEmbedded(
  settings: Partial<Config> = {},
  workers?: readonly WorkerPlan[],
  given?: string,
): Promise<Embedded> {
  const ups: { readonly part: string; readonly pid: number; readonly at: number }[] = [];
  const onEvent = (event: StackEvent): void => {
    if (event.kind === 'up') ups.push({ part: event.part, pid: event.pid, at: Date.now() });
  };
  const { stack, dataDir, key, close } = await startOwnStack({
    onEvent,
    settings,
    ...(workers !== undefined && { workers }),
    ...(given !== undefined && { dataDir: given }),
  });
  // If a part is given up, the test sees that in what it waits for.
  stack.done.catch(() => undefined);

  const answered = async (where: string, body?: object): Promise<Response> => {
    const response = await fetch(`${stack.apiUrl ?? ''}${where}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) throw new Error(`${where}: ${String(response.status)} ${await response.text()}`);
    return response;
  };
  const ask = async <T>(where: string, body?: object): Promise<T> =>
    (await (await answered(where, body)).json()) as T;
  const kill = async (part: EmbeddedPart): Promise<number> => {
    const pid = pidOf(dataDir, part);
    const before = ups.length;
    process.kill(pid, 'SIGKILL');
    const back = () => ups.slice(before).find((up) => up.part === part && up.pid !== pid);
    await until(`${part} is up again`, back);
    const isRead = () => ask('/v1/crawls').then(() => true, () => false); // prettier-ignore
    await until(`the API answers with ${part} up again`, isRead);
    return back()?.at ?? Infinity;
  };
  return {
    stack,
    dataDir,
    ask,
    kill,
    bytes: async (where) => new Uint8Array(await (await answered(where)).arrayBuffer()),
    crawl: (body) => ask('/v1/crawls', body),
    ended: async (crawlId, timeoutMs) => {
      const view = () => ask<CrawlView>(`/v1/crawls/${crawlId}`);
      await until(`crawl ${crawlId} ends`, async () => (await view()).endedAt !== null, timeoutMs);
      return view();
    },
    pages: async (crawlId, fields = []) => {
      const all: PageView[] = [];
      for (let next: string | null = ''; next !== null;) {
        const query = new URLSearchParams({ limit: '200' });
        if (fields.length > 0) query.set('fields', fields.join(','));
        if (next !== '') query.set('cursor', next);
        const answer: { items: PageView[]; next: string | null } = await ask(
          `/v1/crawls/${crawlId}/pages?${query.toString()}`,
        );
        all.push(...answer.items);
        if (answer.items.length === 0) break;
        next = answer.next;
      }
      return all;
    },
    close,
  };
}
