/**
 * What somebody new does in the console (console-tour.test.ts), done by a program with tools alone (G17): a crawl, why a
 * page of it is missing, a stuck host that goes on, and a selection of its pages, by the official client.
 *
 * @module-tag deep
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { given } from '../support/given.ts';
import { startOwnStack } from '../support/start-stack.ts';
import { boats, withTown } from '../support/town.ts';

const town = withTown({ hosts: 2, pages: 4 });
const own = given(
  () =>
    startOwnStack({
      settings: { allowPrivate: ['127.0.0.0/8'] },
      workers: [{ name: 'worker', roles: ['control', 'fetch', 'extract'] }],
    }),
  ({ close }) => close(),
);
const agent = given(
  async () => {
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', own.stack.apiUrl ?? ''), {
        requestInit: { headers: { authorization: `Bearer ${own.key}` } },
      }),
    );
    return client;
  },
  (client) => client.close(),
);

type Values = Readonly<Record<string, unknown>> & {
  readonly untrusted?: readonly Readonly<Record<string, unknown>>[];
};
async function use(name: string, given: Readonly<Record<string, unknown>>): Promise<Values> {
  const asked = { name, arguments: given };
  const { isError, content, structuredContent } = await agent.callTool(asked, {
    timeout: 280_000,
  });
  expect(isError ?? false, JSON.stringify(content)).toBe(false);
  return structuredContent as Values;
}

it('crawls, finds out why a page is missing, repairs a stuck host, and takes a selection of the pages', async () => {
  const { web, harbour, forbidden, seeds } = town;
  const begun = await use('crawl', { urls: seeds, waitSeconds: 0 });
  const { crawlId } = begun;

  // Nothing but the harbour holds it up, in the end.
  let troubled: Values['untrusted'] = [];
  for (let left = 1; left > 0 || troubled?.length !== 1;) {
    const { ledger, state } = await use('crawl', { crawlId, waitSeconds: 5 });
    expect(state).not.toBe('finished');
    const { queued, leased } = ledger as { readonly queued: number; readonly leased: number };
    left = queued + leased - 1;
    troubled = (await use('hosts', { state: 'backoff' })).untrusted;
  }
  expect(troubled).toMatchObject([
    { origin: harbour.origin, lastError: expect.stringContaining('503') as string },
  ]);
  expect(JSON.stringify(await use('explain', { crawlId }))).toContain(harbour.origin);

  const why = await use('explain', { crawlId, url: forbidden });
  expect(why).toMatchObject({ state: 'excluded', reason: 'robots' });
  expect(JSON.stringify(why.untrusted)).toContain('Disallow: /private/');

  const before = harbour.asked.length;
  harbour.mend();
  expect(await use('retry_host', { origin: harbour.origin })).toMatchObject({
    outcome: expect.stringMatching(/done|accepted/) as string,
  });
  let state: unknown = null;
  while (state !== 'finished') ({ state } = await use('crawl', { crawlId, waitSeconds: 60 }));
  expect(new Set(harbour.asked.slice(before)).size).toBe(boats + 1);

  const [host = ''] = web.origins;
  const urls: unknown[] = [];
  for (let cursor: unknown, more: unknown = true; more === true;) {
    const part = await use('list_pages', {
      ...{ crawlId, host, status: '200', contentType: 'text/html', limit: 4 },
      ...(cursor !== undefined && { cursor }),
    });
    urls.push(...(part.untrusted ?? []).map(({ url }) => url));
    ({ next: cursor, more } = part);
  }
  const answered = web
    .log()
    .filter(({ url, status }) => status === 200 && url.startsWith(`${host}/`) && !url.endsWith('/robots.txt'))
    .map(({ url }) => url);
  expect(urls.toSorted()).toEqual(answered.toSorted());
  expect(urls.length).toBeGreaterThan(4);
});
