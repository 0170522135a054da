/** One page now: from the archive if it is young enough, else fetched as politely as any. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { fetchedPage, fetchRequest, lookAgainSeconds, waitingFetch } from '../../contracts/http/fetch.ts';
import { counted } from '../../domain/counted.ts';
import { Refusal } from '../api.ts';
import { pageUrl } from '../inputs.ts';
import { tool, type Call, type Told } from '../tool.ts';
import { tellPiece } from './pages.ts';

const [usualWait, longestWait] = [30, 600];
/** Seconds that one request of ours waits: between two of them the client is told that the call goes on. */
const waitAtOnce = 10;

const fetched = fetchedPage.pick({
  url: true,
  crawlId: true,
  fromArchive: true,
  fetchedAt: true,
  rendered: true,
  page: true,
  content: true,
  leftOut: true,
});
const waiting = waitingFetch.pick({ id: true, crawlId: true, waiting: true });
const answer = z.union([waiting, fetched]);

type Asking = Call<'POST /v1/fetch' | 'GET /v1/fetch/{fetchId}'>;

export const fetchPage = tool({
  name: 'fetch_page',
  title: 'Fetch one page',
  description:
    'Fetches one page as Markdown: from the archive if it was fetched lately (maxAgeSeconds), else politely from its host, by robots.txt and its delay, rendered by a browser if it says nothing without. If the page is not there within waitSeconds, the answer says what it waits for, and a fetchId to ask again with. The page stays in a crawl: read_page reads the rest of a long one, extract takes fields of it, both without another request. For more than a few pages of a site use crawl.',
  input: z.strictObject({
    url: pageUrl.optional(),
    fetchId: z.uuid().optional().describe('Ask again for this fetch, instead of url.'),
    maxAgeSeconds: fetchRequest.shape.maxAgeSeconds,
    render: fetchRequest.shape.render,
    part: fetchRequest.shape.part,
    waitSeconds: z.int().min(0).max(longestWait).default(usualWait).describe('Seconds to wait for the page.'),
  }),
  asks: ['POST /v1/fetch', 'GET /v1/fetch/{fetchId}'],
  does: 'starts',
  run: async ({ url, fetchId, waitSeconds, ...wanted }, call) => {
    if ((url === undefined) === (fetchId === undefined))
      throw new Refusal(0, 'Give either url, to fetch a page, or fetchId, to ask again for one.');
    const found = await waited(call, waitSeconds, (seconds) =>
      fetchId === undefined
        ? call.ask('POST /v1/fetch', answer, { body: { url, ...wanted, waitSeconds: seconds } })
        : again(call, fetchId, seconds),
    );
    return 'waiting' in found ? tellWaiting(found) : tellPage(found);
  },
});

const again = ({ ask }: Asking, fetchId: string, waitSeconds: number) =>
  ask('GET /v1/fetch/{fetchId}', answer, { path: { fetchId }, query: { waitSeconds } });

/** The first request, and as long as the page is not there and time is left, further ones for the fetch it began. */
async function waited(
  call: Asking,
  seconds: number,
  first: (seconds: number) => Promise<z.output<typeof answer>>,
): Promise<z.output<typeof answer>> {
  const began = performance.now();
  const left = (): number => Math.max(0, Math.ceil(seconds - (performance.now() - began) / 1_000));
  let pauseMs = 0;
  const within = async (ask: (seconds: number) => Promise<z.output<typeof answer>>) => {
    const [asked, wait] = [performance.now(), Math.min(waitAtOnce, left())];
    const answered = await ask(wait);
    // Where too many wait already, the API answers at once.
    pauseMs = performance.now() - asked < wait * 1_000 ? lookAgainSeconds * 1_000 : 0;
    return answered;
  };
  let found = await within(first);
  while ('waiting' in found && left() > 0) {
    call.progress(
      (performance.now() - began) / 1_000,
      seconds,
      `Fetch ${found.id} goes on also if this call is cancelled.`,
    );
    await sleep(Math.min(pauseMs, left() * 1_000), undefined, { signal: call.signal });
    const { id } = found;
    try {
      found = await within((wait) => again(call, id, wait));
    } catch (error) {
      // The fetch goes on all the same, so the wait does too.
      if (!(error instanceof Refusal) || error.status !== 429) throw error;
      pauseMs = Math.max(lookAgainSeconds * 1_000, error.pauseMs ?? 0);
    }
  }
  return found;
}

const tellWaiting = ({ id, crawlId, waiting: { because, at, ahead } }: z.output<typeof waiting>): Told => ({
  says: [
    'The page is not there yet, and the fetch goes on by itself.',
    ...(ahead === null ? [] : [`${counted(ahead, 'page')} of the same host go before it.`]),
    `Ask again with fetchId "${id}"${at === null ? '' : `, not before ${at}`}.`,
  ],
  facts: { fetchId: id, crawlId, at, ahead },
  // It names the host, and quotes its errors.
  web: because,
});

function tellPage(found: z.output<typeof fetched>): Told {
  const { url, crawlId, fromArchive, fetchedAt, rendered, page, content, leftOut } = found;
  const facts = { crawlId, url, fromArchive, fetchedAt, rendered, status: page.status, state: page.state };
  const source = fromArchive ? 'It was there already' : 'It was fetched for this';
  const answered = page.status === null ? 'nothing' : `with status ${String(page.status)}`;
  const about = [
    `${source}; the host answered ${answered} at ${fetchedAt}.`,
    ...(page.url === url ? [] : ['The url leads elsewhere: the first line is the url of the page.']),
  ];
  if (content === null)
    return {
      says: [...about, 'There is no text of it: the body is no text, or was not kept.'],
      facts,
      web: page.url,
    };
  const piece = tellPiece({ text: content, leftOut, unit: 'bytes' }, 0, facts);
  // Hosts write where their redirects lead, as they write pages.
  const web = page.url === url ? piece.web : `${page.url}\n${piece.web}`;
  return { ...piece, says: [...about, ...piece.says], web };
}
