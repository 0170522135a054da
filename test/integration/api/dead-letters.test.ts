/** Dead letters over HTTP: listed with evidence, by class and host, and driven again (G7). */
import { beforeEach, describe, expect, it } from 'vitest';
import { deadLetterList, redriveAnswer, type DeadLetterView } from '../../../contracts/dead-letters.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { addLetter, addUrl, fromNow, setState, tables } from '../../support/database/index.ts';
import { getOk, newCrawl, newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();
let crawl: string;
beforeEach(async () => {
  crawl = await newRunningCrawl(pool);
});

async function letter(url: string, letterClass: string, daysAgo = 0): Promise<void> {
  const { hostId, key } = await addUrl(pool, crawl, url, { state: 'failed', reason: letterClass });
  await addLetter(pool, crawl, { hostId, key }, letterClass, {
    ...{ status: 500, message: 'answered 500', headers: { server: 'nginx' } },
    created_at: fromNow(-daysAgo * 24 * 3_600),
  });
  await tables.attempt.add(pool, {
    ...{ host_id: hostId, crawl_id: crawl, key, class: letterClass, message: '' },
  });
}

interface Page {
  readonly items: readonly DeadLetterView[];
  readonly next: string | null;
}
const list = async (query = '', path = `/v1/crawls/${crawl}/dead-letters`): Promise<Page> =>
  deadLetterList.parse(await getOk(`${api.url}${path}${query}`));
async function redrive(body?: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${api.url}/v1/crawls/${crawl}/dead-letters/redrive`, {
    method: 'POST',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
const expectProblem = (
  { status, body }: { status: number; body: unknown },
  code: number,
  words: RegExp,
): void => {
  expect(status).toBe(code);
  expect((body as Problem).detail).toMatch(words);
};

describe('GET /v1/crawls/{crawlId}/dead-letters', () => {
  it('shows the evidence', async () => {
    await letter('https://a.example/1', 'server-error');
    await letter('https://a.example/2', 'forbidden', 1);
    const { items, next } = await list();
    expect(next).toBeNull();
    expect(items.find(({ url }) => url === 'https://a.example/1')).toMatchObject({
      ...{ crawlId: crawl, host: 'https://a.example', hostParked: false, class: 'server-error', status: 500 },
      ...{ message: 'answered 500', headers: { server: 'nginx' }, notBefore: null },
      attemptedAt: [expect.any(String)],
    });
    const refused = items.find(({ url }) => url === 'https://a.example/2');
    const rest = Date.parse(refused?.notBefore ?? '') - Date.parse(refused?.failedAt ?? '');
    expect(rest).toBe(7 * 86_400_000);
  });

  it('goes on by its cursor, by class and by host', async () => {
    for (const name of ['a', 'b'])
      for (let at = 0; at < 5; at++)
        await letter(`https://${name}.example/${String(at)}`, at % 2 === 0 ? 'timeout' : 'tls');
    const seen: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Page = await list(`?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ url }) => url));
      if (page.next === null) break;
      cursor = page.next;
    }
    expect(new Set(seen).size).toBe(10);
    expect(seen).toHaveLength(10);
    expect((await list('?class=tls')).items).toHaveLength(4);
    expect((await list('?host=https%3A%2F%2FB.example')).items).toHaveLength(5);
    expect((await list('?host=https%3A%2F%2Fb.example&class=timeout')).items).toHaveLength(3);
    expect((await list('?host=https%3A%2F%2Fnobody.example')).items).toEqual([]);
  });

  it.each([
    ['?class=sad', 400, /class/],
    ['?host=b.example', 400, /host/],
    ['?cursor=nonsense', 400, /cursor/],
    ['?limit=0', 400, /limit/],
  ])('%s: %i', async (query, status, words) => {
    const response = await fetch(`${api.url}/v1/crawls/${crawl}/dead-letters${query}`);
    expectProblem({ status: response.status, body: await response.json() }, status, words);
  });
});

describe('GET /v1/dead-letters', () => {
  it('shows those of a host over all crawls', async () => {
    await letter('https://both.example/1', 'timeout');
    crawl = await newCrawl(pool);
    await letter('https://both.example/1', 'tls');
    const { items } = await list('?host=https%3A%2F%2Fboth.example', '/v1/dead-letters');
    expect(items.map((item) => item.class).sort()).toEqual(['timeout', 'tls']);
    expect((await list('?host=https%3A%2F%2Fboth.example&class=tls', '/v1/dead-letters')).items).toHaveLength(
      1,
    );
    expect((await fetch(`${api.url}/v1/dead-letters`)).status).toBe(400);
  });
});

describe('POST /v1/crawls/{crawlId}/dead-letters/redrive', () => {
  it('queues them again, and tells which had to be left', async () => {
    await letter('https://a.example/1', 'timeout');
    await letter('https://a.example/2', 'forbidden', 1);
    const { status, body } = await redrive();
    expect(status).toBe(200);
    const answer = redriveAnswer.parse(body);
    expect(answer).toMatchObject({ crawlId: crawl, done: true, queued: 1, resting: 1, unparked: false });
    const days = (Date.parse(answer.notBefore ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(5.99);
    expect(days).toBeLessThanOrEqual(6);
    expect((await list()).items.map(({ url }) => url)).toEqual(['https://a.example/2']);
  });

  it('says why one URL is not driven again', async () => {
    await letter('https://a.example/2', 'forbidden', 1);
    await letter('https://a.example/3', 'forbidden', 8);
    expectProblem(
      await redrive({ url: 'https://a.example/1' }),
      404,
      /no dead letter of https:\/\/a\.example\/1/,
    );
    expectProblem(
      await redrive({ url: 'https://a.example/2#x' }),
      409,
      /cannot be queued again before 2\d{3}-/,
    );
    expect((await redrive({ url: 'https://a.example/3' })).status).toBe(200);
  });

  it.each([
    [{ class: 'sad' }, /class/],
    [{ url: 'nonsense' }, /url/],
    [{ host: 'a.example' }, /host/],
    [{ urls: [] }, /urls/],
  ])('refuses %j', async (body, words) => {
    expectProblem(await redrive(body), 422, words);
  });

  it('refuses for a crawl that does not go on', async () => {
    await letter('https://a.example/1', 'timeout');
    await setState(pool, crawl, 'cancelled', 'by hand');
    expectProblem(await redrive(), 409, /was cancelled: its dead letters cannot be queued again/);
    crawl = '424242';
    expectProblem(await redrive(), 404, /no crawl 424242/);
  });
});
