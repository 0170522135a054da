/** Chains of redirects: what rows hold of them, and what a process does, whatever answers set. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it, vi } from 'vitest';
import { Chains, type RedirectChain } from '../../engine/visit/redirect-chain.ts';
import type { Pool } from '../../storage/postgres/index.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
afterEach(() => vi.useRealTimers());

/** Megabytes in use once garbage is gone. */
function inUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_000_000;
}

const url = (nth: number): string => `https://www.example.com/${String(nth)}/a`;
const key = (nth: number): string => String(nth).padStart(32, '0');

/** Rows of one host, and a process. */
function starts(): {
  readonly rows: Map<number, string>;
  /** The chain at a URL in the process, or in another one. */
  readonly at: (nth: number, tenantId?: number, process?: Chains) => Promise<RedirectChain>;
  /** Answers a URL by a redirect to another one. */
  readonly lead: (nth: number, to: number, field?: string, tenantId?: number) => Promise<void>;
} {
  const rows = new Map<number, string>();
  const own = new Chains();
  const pool = {
    query: ({ values }: { readonly values: readonly unknown[] }) => {
      const chain = rows.get(Number(values[2]));
      return Promise.resolve({ rows: chain === undefined ? [] : [{ chain }] });
    },
  } as unknown as Pool;
  const at = (nth: number, tenantId = 1, process = own): Promise<RedirectChain> => {
    const hop = { key: key(nth), url: url(nth), hops: nth % 100, chained: rows.has(nth) };
    return process.at(pool, '1', { id: 1, tenantId }, hop);
  };
  const lead = async (nth: number, to: number, field?: string, tenantId = 1): Promise<void> => {
    const chain = await at(nth, tenantId);
    chain.answered(field);
    chain.redirected();
    const stored = own.keep({ id: 1, tenantId }, chain);
    if (stored !== null) rows.set(to, stored);
  };
  return { rows, at, lead };
}
const isChanged = (chain: RedirectChain, ...urls: readonly number[]): boolean[] =>
  urls.map((nth) => chain.isChanged(key(nth), url(nth)));
const field = 'seen=1; Path=/; Domain=example.com; Max-Age=3600; HttpOnly';

it('goes on with cookies, count and what was asked; its row has no cookie', async () => {
  const { rows, at, lead } = starts();
  await lead(0, 1);
  await lead(1, 2, field);
  await lead(2, 3);
  const chain = await at(3);
  expect(chain.headers({ cookie: 'id=1' })).toEqual({ cookie: 'id=1; seen=1' });
  expect(chain.redirects).toBe(3);
  expect(isChanged(chain, 0, 1, 2, 9)).toEqual([true, true, false, false]);
  expect([...rows.values()].join()).not.toContain('seen');
});

it('goes on in another process if it has no cookies', async () => {
  const { at, lead } = starts();
  await lead(0, 1);
  await lead(1, 2);
  const chain = await at(2, 1, new Chains());
  expect([chain.redirects, ...isChanged(chain, 0, 1, 9)]).toEqual([2, false, false, false]);
});

it.each([
  ['another process asks for its hop', (): Chains => new Chains()],
  [
    'one of its cookies has ended',
    (): undefined => {
      vi.useFakeTimers({ now: Date.now() + 3_601_000, toFake: ['Date'] });
    },
  ],
])('begins anew where %s, but for its count', async (_, later) => {
  const { at, lead } = starts();
  await lead(0, 1, field);
  await lead(1, 2);
  const chain = await at(2, 1, later());
  expect(chain.headers({})).toEqual({});
  expect([chain.redirects, ...isChanged(chain, 0, 9)]).toEqual([2, true, true]);
});

it('has nothing to store before the first redirect', async () => {
  const chain = await starts().at(0);
  chain.answered(undefined);
  expect(chain.stored).toBeNull();
});

it('takes little memory and few characters of a row from a host that sets huge cookies, and none from other tenants', async () => {
  const { rows, at, lead } = starts();
  await lead(0, 1, 'seen=1; Path=/');
  const before = inUse();
  // 60 MB of heads, of which views would be kept, with paths that nobody counts.
  for (let nth = 100; nth < 100_000; nth += 100) {
    const head = Array.from({ length: 6 }, (_, at) => {
      const path = 'p'.repeat(at % 2 === 0 ? 1_000 : 20_000);
      return `name-of-the-cookie-${String(at)}-${String(nth)}=some-value-of-it; Path=/${path}`;
    });
    await lead(nth, nth + 1, head.join('\n'), 2);
    await lead(nth + 1, nth + 2, head.join('\n'), 2);
    expect(rows.get(nth + 2)?.length).toBeLessThan(250);
    rows.delete(nth + 1);
    rows.delete(nth + 2);
  }
  expect(inUse() - before).toBeLessThan(3);
  expect((await at(1)).headers({})).toEqual({ cookie: 'seen=1' });
});

it('keeps its cookies while a thousand others of its tenant are under way', async () => {
  const { at, lead } = starts();
  for (let nth = 0; nth < 100_000; nth += 100) await lead(nth, nth + 1, field);
  expect((await at(1)).headers({})).toEqual({ cookie: 'seen=1' });
});
