/** What is kept of a page's requests is bounded, whatever the page writes into them. */
import { describe, expect, it } from 'vitest';
import type { Session } from '../../browser/devtools.ts';
import { Requests } from '../../browser/requests.ts';
import type { WantedResource } from '../../contracts/rendering.ts';
import { maxUrlLength } from '../../domain/url.ts';
import { pageOf, pageUrl } from '../support/browser.ts';

const long = 'A'.repeat(100_000);

/** @returns what the round tells of so many requests, what was asked of the archive, and what the browser was told */
async function asking(
  of: (n: number) => { method?: string; url?: string; headers?: Record<string, string> },
) {
  const asked: WantedResource[] = [];
  const answers: string[] = [];
  const session = {
    send: (command: string) => {
      answers.push(command);
      return Promise.resolve();
    },
  } as unknown as Session;
  const requests = new Requests(pageOf('', {}, { asked }), 'main', () => undefined);
  for (let n = 0; n < 20; n++) {
    const { method = 'GET', url = pageUrl, headers = {} } = of(n);
    requests.begins({ requestId: `n${String(n)}`, initiator: { type: 'script' } } as never);
    requests.paused(session, {
      requestId: `r${String(n)}`,
      networkId: `n${String(n)}`,
      request: { url, method, headers, initialPriority: 'High', referrerPolicy: 'origin' },
      resourceType: 'Fetch',
      frameId: 'main',
    });
    requests.ends(`n${String(n)}`);
  }
  await requests.idle();
  return { refused: requests.told().refused, asked, answers };
}

const tooLong = { 'request that is too long': 20 };

describe('of a page that asks', () => {
  it.each([
    ['by methods of its own', (n: number) => ({ method: `M${String(n)}` }), { 'other method': 20 }],
    ['by long methods', (n: number) => ({ method: long + String(n) }), { 'other method': 20 }],
    ['for long URLs', (n: number) => ({ url: pageUrl + String(n) + long }), tooLong],
    ['with long headers', (n: number) => ({ headers: { [`x${String(n)}`]: long } }), tooLong],
    [
      'whether it may ask by methods of its own',
      (n: number) => ({ method: 'OPTIONS', headers: { 'Access-Control-Request-Method': `M${String(n)}` } }),
      { 'other method': 20 },
    ],
  ])('%s, only the number of them is kept', async (_, of, told) => {
    const { refused, asked, answers } = await asking(of);
    expect(refused).toEqual(told);
    expect(asked).toEqual([]);
    expect(answers).toEqual(Array.from({ length: 20 }, () => 'Fetch.failRequest'));
  });

  it('for a URL of the longest that a crawl has, it is asked for', async () => {
    const url = (n: number) => `${pageUrl}${String(n)}`.padEnd(maxUrlLength, 'x');
    const { refused, asked } = await asking((n) => ({ url: url(n) }));
    expect([refused, asked.length, asked[0]?.url.length]).toEqual([{}, 20, maxUrlLength]);
  });
});
