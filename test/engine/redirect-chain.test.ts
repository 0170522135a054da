/** What the row of a URL holds of its chain of redirects, whatever answers set. */
import { expect, it } from 'vitest';
import { RedirectChain } from '../../engine/visit/redirect-chain.ts';

const url = (nth: number): string => `https://www.example.com/${String(nth)}/a`;
const key = (nth: number): string => String(nth).padStart(64, '0');
const chainAt = (nth: number, stored?: string | null): RedirectChain =>
  new RedirectChain({ key: key(nth), url: url(nth), hops: nth, chained: nth > 0 }, stored ?? undefined);

/** The chain at the URL after so many redirects, each of which sets these cookies. */
function led(redirects: number, field: (nth: number) => string): RedirectChain {
  let chain = chainAt(0);
  for (let nth = 0; nth < redirects; nth++) {
    chain.answered(field(nth));
    chain.redirected();
    chain = chainAt(nth + 1, chain.stored);
  }
  return chain;
}

it('goes on with cookies, count and what it has asked', () => {
  const chain = led(3, (nth) => (nth === 1 ? 'seen=1; Path=/; Domain=example.com; Max-Age=3600' : ''));
  expect(chain.headers({ cookie: 'id=1' })).toEqual({ cookie: 'id=1; seen=1' });
  expect(chain.redirects).toBe(3);
  expect([0, 1, 2, 9].map((nth) => chain.isChanged(key(nth), url(nth)))).toEqual([true, true, false, false]);
});

it('is no longer than 11,000 characters, however many redirects set huge cookies', () => {
  const huge = (nth: number): string =>
    Array.from({ length: 6 }, (_, at) => {
      const path = 'p'.repeat(at % 2 === 0 ? 1_000 : 20_000);
      return `"name-${String(at)}-${String(nth)}=${'"'.repeat(3_000)}; Path=/${path}`;
    }).join('\n');
  expect(led(20, huge).stored?.length).toBeLessThan(11_000);
});

it.each([
  ['has waited for half an hour', (chain: string) => chain.replace(/"at":\d+/, '"at":1')],
  ['has a cookie that has ended', (chain: string) => chain.replace(/"endsAt":\d+/, '"endsAt":1')],
])('begins anew where it %s, but for its redirects', (_, later) => {
  const chain = chainAt(2, later(led(2, () => 'seen=1; Path=/; Max-Age=3600').stored ?? ''));
  expect(chain.headers({})).toEqual({});
  expect([chain.redirects, chain.isChanged(key(1), url(1)), chain.isChanged(key(9), url(9))]).toEqual([
    2,
    true,
    true,
  ]);
});

it('has nothing to store before the first redirect', () => {
  const chain = chainAt(0);
  chain.answered(undefined);
  expect(chain.stored).toBeNull();
});
