/** What the cookies of chains of redirects take of a process, whatever answers set. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { RedirectCookies } from '../../engine/visit/redirect-cookies.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Megabytes in use once garbage is gone. */
function inUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_000_000;
}

const url = (nth: number): string => `https://www.example.com/${String(nth)}/a`;
const chainAt = (cookies: RedirectCookies, tenantId: number, nth: number) =>
  cookies.at({ id: tenantId, tenantId }, { key: String(nth), url: url(nth), hops: 0 });

/** Answers the URL with this number, and goes on at another one. */
function lead(cookies: RedirectCookies, tenantId: number, nth: number, to: number, field: string): void {
  const chain = chainAt(cookies, tenantId, nth);
  chain.answered(field);
  chain.goesOn(String(to));
}

it('a host that sets huge cookies over many redirects takes little memory, and none from other tenants', () => {
  const cookies = new RedirectCookies();
  lead(cookies, 1, 0, 1, 'seen=1; Path=/');
  const before = inUse();
  // 60 MB of heads, of which views would be kept, with paths that nobody counts.
  for (let nth = 0; nth < 1_000; nth++) {
    const head = Array.from({ length: 6 }, (_, at) => {
      const path = 'p'.repeat(at % 2 === 0 ? 1_000 : 20_000);
      return `name-of-the-cookie-${String(at)}-${String(nth)}=some-value-of-it; Path=/${path}`;
    });
    lead(cookies, 2, 10 * nth, 10 * nth + 1, head.join('\n'));
    lead(cookies, 2, 10 * nth + 1, 10 * nth + 2, head.join('\n'));
  }
  expect(inUse() - before).toBeLessThan(3);
  expect(chainAt(cookies, 1, 1).headers({})).toEqual({ Cookie: 'seen=1' });
});

it('a usual chain keeps its cookies while a thousand others of its tenant are under way', () => {
  const cookies = new RedirectCookies();
  const field = 'seen=1; Path=/; Domain=example.com; Max-Age=3600; HttpOnly';
  for (let nth = 0; nth < 1_000; nth++) lead(cookies, 1, 10 * nth, 10 * nth + 1, field);
  expect(chainAt(cookies, 1, 1).headers({ cookie: 'id=1' })).toEqual({ cookie: 'id=1; seen=1' });
  expect(chainAt(cookies, 1, 1).isChanged('0', url(0))).toBe(true);
});
