/** Crawls: starting one, waiting for it, listing and cancelling them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { crawlList, crawlStateAnswer, crawlView, createdCrawl } from '../../contracts/http/crawls.ts';
import { crawlStates } from '../../contracts/crawl.ts';
import { isOver, standsAs } from '../../domain/crawl-life.ts';
import { counted } from '../../domain/counted.ts';
import { Refusal } from '../api.ts';
import { partThatFits } from '../bounds.ts';
import { crawlId, cursor, limit, pageUrl } from '../inputs.ts';
import { tool, type Call, type Told } from '../tool.ts';

const longestWait = 600;
/** Below the minute after which most clients give a call up. */
const usualWait = 30;
/** Milliseconds between two looks at a crawl: the first, and at most. */
const [firstLookMs, longestLookMs] = [300, 2_000];

const watched = crawlView.pick({
  id: true,
  state: true,
  cause: true,
  reason: true,
  pages: true,
  ledger: true,
  excluded: true,
  deadLetters: true,
  hosts: true,
});
type Watched = z.infer<typeof watched>;

/** How far links are followed, as settings of a crawl. */
const reaches = {
  page: (urls: number) => ({ scope: 'host', maxDepth: 0, sitemap: 'skip', maxPages: urls }),
  folder: () => ({ scope: 'prefix' }),
  host: () => ({ scope: 'host' }),
  domain: () => ({ scope: 'domain' }),
} as const;

export const crawl = tool({
  name: 'crawl',
  title: 'Crawl a site or pages',
  description: `Starts a crawl of a site, a folder of it, or single pages, and waits for it up to waitSeconds; or, with crawlId, waits for a crawl that was started before. Answers the id of the crawl, its state and its counts. The crawl obeys robots.txt and asks each host slowly. It goes on by itself when the waiting ends or the call is cancelled: call crawl again with crawlId to wait further, and cancel_crawl to stop it. Read the pages with list_pages, read_page and search, while it runs too.`,
  input: z.strictObject({
    urls: z.array(pageUrl).min(1).max(100).optional().describe('Where to start, as absolute http(s) URLs.'),
    crawlId: crawlId.optional().describe('Wait for this crawl instead of starting one.'),
    follow: z
      .enum(['page', 'folder', 'host', 'domain'])
      .default('host')
      .describe(
        'Which links to follow. page: none, only the urls are fetched; folder: those below the folders of the urls; host: those on the same hosts; domain: those on the same domains with their subdomains.',
      ),
    maxPages: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('Pages to fetch at most. With follow "page" all urls are fetched.'),
    waitSeconds: z
      .int()
      .min(0)
      .max(longestWait)
      .default(usualWait)
      .describe('Seconds to wait for the end of the crawl; 0: do not wait.'),
  }),
  asks: ['POST /v1/crawls', 'GET /v1/crawls/{crawlId}'],
  does: 'starts',
  run: async ({ urls, crawlId: known, follow, maxPages, waitSeconds }, call) => {
    if ((urls === undefined) === (known === undefined))
      throw new Refusal(0, 'Give either urls, to start a crawl, or crawlId, to wait for one.');
    const id =
      known ?? (await started(call, urls ?? [], { maxPages, ...reaches[follow](urls?.length ?? 0) }));
    return tell(await waitedFor(call, id, waitSeconds));
  },
});

async function started(
  { ask }: Call<'POST /v1/crawls'>,
  urls: readonly string[],
  settings: object,
): Promise<string> {
  // Indexed and compared with earlier crawls, or the tools search and changes would find nothing.
  const body = { seeds: urls, label: 'by an agent', search: true, changes: true, ...settings };
  return (await ask('POST /v1/crawls', createdCrawl.pick({ id: true }), { body })).id;
}

async function waitedFor(
  call: Call<'GET /v1/crawls/{crawlId}'>,
  id: string,
  seconds: number,
): Promise<Watched> {
  const look = (): Promise<Watched> =>
    call.ask('GET /v1/crawls/{crawlId}', watched, { path: { crawlId: id } });
  let seen = await look();
  const began = performance.now();
  const waited = (): number => (performance.now() - began) / 1_000;
  for (let pauseMs = firstLookMs; !isOver(seen.state) && seen.state !== 'paused';) {
    if (waited() >= seconds) break;
    call.progress(waited(), seconds, `Crawl ${id} goes on also if this call is cancelled. ${countsOf(seen)}`);
    await sleep(Math.min(pauseMs, Math.max(0, seconds - waited()) * 1_000), undefined, {
      signal: call.signal,
    });
    pauseMs = Math.min(pauseMs * 1.5, longestLookMs);
    try {
      seen = await look();
    } catch (error) {
      // The crawl goes on all the same, so the wait does too.
      if (!(error instanceof Refusal) || error.status !== 429) throw error;
      pauseMs = Math.max(pauseMs, Math.min(error.pauseMs ?? 0, longestLookMs * 5));
    }
  }
  return seen;
}

const countsOf = ({
  pages,
  ledger: { queued, leased, excluded },
}: Pick<Watched, 'pages' | 'ledger'>): string =>
  `${counted(pages, 'page')}, ${counted(queued + leased, 'URL')} to do, ${String(excluded)} left out.`;

function tell({ id, state, cause, reason, pages, ledger, excluded, deadLetters, hosts }: Watched): Told {
  const because = reason === null ? '' : `: ${reason}`;
  return {
    says: [
      `Crawl ${id} ${standsAs(state)}${because}. ${countsOf({ pages, ledger })}`,
      ...(isOver(state) || state === 'paused'
        ? []
        : [`It goes on by itself. Call crawl with crawlId "${id}" to wait further.`]),
      ...(hosts.parked === 0
        ? []
        : [`${counted(hosts.parked, 'host')} in trouble: explain with crawlId "${id}" says more.`]),
      ...(pages === 0 ? [] : [`list_pages with crawlId "${id}" lists its pages.`]),
    ],
    facts: { crawlId: id, state, cause, reason, pages, ledger, excluded, deadLetters, hosts },
  };
}

export const listCrawls = tool({
  name: 'list_crawls',
  title: 'List crawls',
  description:
    'Lists the crawls there are, the newest first: id, state, label, counts, when they began and ended.',
  input: z.strictObject({
    states: z
      .array(z.enum(crawlStates))
      .min(1)
      .max(crawlStates.length)
      .optional()
      .describe('Only crawls in these states.'),
    limit: limit(20),
    cursor,
  }),
  asks: ['GET /v1/crawls'],
  does: 'reads',
  run: async ({ states, limit: most, cursor: after }, { ask }) => {
    const { items, answer } = await partThatFits(
      most,
      (asked) =>
        ask('GET /v1/crawls', crawlList, {
          query: { limit: asked, cursor: after, state: states?.join(',') },
        }),
      ({ id, state, reason, label, createdAt, endedAt, pages, ledger }) => ({
        crawlId: id,
        state,
        reason,
        label,
        createdAt,
        endedAt,
        pages,
        toDo: ledger.queued + ledger.leased,
      }),
    );
    return {
      says: [
        items.length === 0
          ? 'There is no such crawl.'
          : `${counted(items.length, 'crawl')}, the newest first:`,
        ...items.map((item) => JSON.stringify(item)),
        ...(answer.next === null ? [] : [`More follow: ask again with cursor "${answer.next}".`]),
      ],
      facts: { crawls: items, next: answer.next },
    };
  },
});

export const cancelCrawl = tool({
  name: 'cancel_crawl',
  title: 'Cancel a crawl',
  description:
    'Cancels a crawl for good: URLs that are still queued are not fetched. What was fetched stays, and can be read.',
  input: z.strictObject({
    crawlId,
    reason: z.string().min(1).max(500).optional().describe('Why, for people who look at the crawl later.'),
  }),
  asks: ['POST /v1/crawls/{crawlId}/cancel'],
  does: 'ends',
  run: async ({ crawlId: id, reason }, { ask }) => {
    const { state } = await ask('POST /v1/crawls/{crawlId}/cancel', crawlStateAnswer, {
      path: { crawlId: id },
      body: { reason: reason ?? 'cancelled by an agent' },
    });
    return { says: [`Crawl ${id} ${standsAs(state)}.`], facts: { crawlId: id, state } };
  },
});
