import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { accessTable } from '../../support/access-table.ts';
import { ControlError, type CrawlControl } from '../../../api/crawls/crawl-control.ts';
import type { CrawlView, CreatedCrawl } from '../../../contracts/http/crawls.ts';
import { usualKind, type Problem } from '../../../contracts/http/problem.ts';
import { addLetter, addUrl, addUrls, fromNow, setState, tables } from '../../support/database/index.ts';
import { newCrawl, serve, newRunningCrawl, type Services, withApi } from './world.ts';
import { openHeaders } from '../../../storage/sessions/index.ts';
import { testKeys } from '../../support/keys.ts';
import { stillClock } from '../../support/still-clock.ts';

const { pool, api, control } = withApi();

interface Answer<T> {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly body: T;
}

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const response = await fetch(api.url + path, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    body: (text === '' ? null : JSON.parse(text)) as T,
  };
}

function expectProblem(answer: Answer<unknown>, status: number, words: RegExp): void {
  expect(answer.status).toBe(status);
  expect(answer.type).toMatch(/^application\/problem\+json/);
  const body = answer.body as Problem;
  expect(body.status).toBe(status);
  const kind =
    body.errors !== undefined
      ? 'invalid-input'
      : /^cursor:/.test(body.detail)
        ? 'invalid-cursor'
        : /^There is no route/.test(body.detail)
          ? 'unknown-route'
          : usualKind(status);
  expect(body.type).toBe(`urn:orbweaver:problem:${kind}`);
  expect(body.detail).toMatch(words);
}

describe('POST /v1/crawls', () => {
  it('stores crawl and seeds, starts the workflow, and keeps bad seeds with their reasons', async () => {
    const created = await call<CreatedCrawl>('POST', '/v1/crawls', {
      seeds: ['https://a.example/x#y', 'ftp://b.example/', '', 'nonsense'],
      maxPages: 5,
      delaySeconds: 0.5,
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ state: 'seeding', accepted: 1 });
    expect(created.body.rejected.map(({ line, url }) => [line, url])).toEqual([
      [2, 'ftp://b.example/'],
      [4, 'nonsense'],
    ]);
    expect(control.started).toContain(created.body.id);
    expect(created.headers.get('location')).toBe(`/v1/crawls/${created.body.id}`);
    const view = await call<CrawlView>('GET', `/v1/crawls/${created.body.id}`);
    expect(view.body.config).toMatchObject({
      scope: 'host',
      maxPages: 5,
      delaySeconds: 0.5,
      maxLinksPerPage: 10_000,
    });
    expect(view.body.seeds).toMatchObject({ accepted: 1, rejected: 2 });
    expect(view.body.seeds.firstRejected[0]?.reason).toMatch(/^scheme/);
    expect(await tables.seed.rows(pool, { crawl_id: created.body.id, rejected: null })).toMatchObject([
      { line: 1, url: 'https://a.example/x' },
    ]);
  });

  it('reads a comma-separated string, where commas inside a URL separate nothing', async () => {
    const { body } = await call<CreatedCrawl>('POST', '/v1/crawls', {
      seeds: 'https://a.example/1,2, http://b.example/,',
    });
    expect(body).toMatchObject({ accepted: 2, rejected: [] });
  });

  it('takes what Postgres could not store in a bad seed', async () => {
    const { status, body } = await call<CreatedCrawl>('POST', '/v1/crawls', {
      seeds: ['https://a.example/', 'a\0b', '\ud800'],
    });
    expect(status).toBe(201);
    expect(body.rejected).toHaveLength(2);
  });

  it.each([
    [{ seeds: ['nonsense', 'mailto:a@b'] }, /None of the seeds/],
    [{ seeds: [''] }, /No seed/],
    [{}, /^seeds/],
    [{ seeds: ['https://a.example/'], depth: 3 }, /depth/],
    [{ seeds: ['https://a.example/'], maxPages: 0 }, /^maxPages/],
    [{ seeds: ['https://a.example/'], include: [''] }, /^include.0: the pattern is empty/],
    [
      { seeds: ['https://a.example/'], exclude: ['*', 're:(x'] },
      /^exclude.1: the regular expression cannot be read: missing closing \)/,
    ],
    [{ seeds: ['https://a.example/'], allowPrivate: ['10.0.0.1'] }, /CIDR/],
    [{ seeds: ['https://a.example/'], userAgent: 'a\r\nX: y' }, /^userAgent/],
    [
      { seeds: ['https://a.example/'], headers: { 'X-A': 'b\r\nHost: c' } },
      /^headers: the value of X-A must be printable ASCII, on one line/,
    ],
    [[], /must be an object/],
  ])('refuses %j', async (body, words) => {
    expectProblem(await call('POST', '/v1/crawls', body), 422, words);
  });

  it('keeps the values of request headers to itself', async () => {
    const secret = 'Bearer of-a-secret';
    const seeds = ['https://a.example/'];
    const { body: made } = await call<CreatedCrawl>('POST', '/v1/crawls', {
      seeds,
      headers: { Authorization: secret },
    });
    const path = `/v1/crawls/${made.id}`;
    const headers = { Authorization: '[hidden]' };
    const edit = { maxDepth: 3 };
    const explain = `${path}/explain?url=${encodeURIComponent('https://a.example/')}`;
    const answers = [
      await call<CrawlView>('GET', path),
      await call('PATCH', path, edit),
      await call('PATCH', `${path}?dryRun=true`, { maxDepth: 4 }),
      await call('GET', `${path}/versions`),
      await call('GET', `${path}/versions/1`),
      await call('POST', `${path}/versions/1/restore`),
      await call('GET', '/v1/crawls'),
      await call('GET', '/v1/audit-log'),
      await call('GET', explain),
    ];
    expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual(answers.map(() => 2));
    expect(JSON.stringify(answers)).not.toContain('of-a-secret');
    expect((answers[0]?.body as CrawlView).config.headers).toEqual(headers);
    for (const at of [1, 4, 5]) expect(answers[at]?.body).toMatchObject({ config: { headers } });
    const { config: kept } = await tables.crawl.row(pool, { id: made.id });
    expect(openHeaders(testKeys, 1, kept.headers)).toMatchObject({ Authorization: secret });
    expectProblem(
      await call('POST', '/v1/crawls', { seeds, headers }),
      422,
      /not shown again .* give it anew/,
    );
  });

  it('refuses more of patterns than can be looked at quickly', async () => {
    const exclude = Array.from({ length: 101 }, () => `*${'a?'.repeat(499)}*`);
    const answer = await call('POST', '/v1/crawls', { seeds: ['https://a.example/'], exclude });
    expectProblem(answer, 422, /^exclude: the patterns have more than 100000 characters together/);
  });

  it('lists the first hundred of many bad seeds, and counts them all', async () => {
    const bad = Array.from({ length: 50_000 }, () => 'x');
    const none = await call<Problem>('POST', '/v1/crawls', { seeds: bad });
    expect(none.status).toBe(422);
    expect(none.body.rejected).toHaveLength(100);
    const { body } = await call<CreatedCrawl>('POST', '/v1/crawls', {
      seeds: [...bad, 'https://a.example/'],
    });
    expect(body).toMatchObject({ accepted: 1, rejectedCount: 50_000 });
    expect(body.rejected.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });

  it('says little of a body in which a great deal is wrong', async () => {
    const numbers = Array.from({ length: 200_000 }, () => 1);
    const list = await call<Problem>('POST', '/v1/crawls', { seeds: ['https://a.example/', ...numbers] });
    expect(list.status).toBe(422);
    expect(list.body.errors?.map(({ path }) => path)).toEqual(['seeds.1']);
    const names = Object.fromEntries(
      numbers.slice(0, 900).map((one, at) => [`name${String(at)}`.padEnd(50, 'x'), one]),
    );
    const unknown = await call<Problem>('POST', '/v1/crawls', { seeds: 'https://a.example/', ...names });
    expect(unknown.status).toBe(422);
    expect(unknown.body.detail).toMatch(/name0/);
    expect(JSON.stringify(unknown.body).length).toBeLessThan(2_000);
    const domains = Array.from({ length: 10_000 }, () => 'no domain');
    const many = await call<Problem>('POST', '/v1/crawls', {
      seeds: 'https://a.example/',
      includeDomains: domains,
    });
    expect(many.body.errors).toHaveLength(100);
  });

  it('lists each bad seed when none is good', async () => {
    const { body } = await call<Problem>('POST', '/v1/crawls', { seeds: ['nonsense', 'mailto:a@b'] });
    expect(body.rejected?.map(({ line }) => line)).toEqual([1, 2]);
  });

  it('answers 503 and fails the crawl when its workflow cannot be started', async () => {
    const broken: CrawlControl = {
      ...control,
      start: () => Promise.reject(new ControlError('unavailable', 'Temporal does not answer', null)),
      ping: () => Promise.reject(new Error('away')),
    };
    const own = await serve(pool, { control: broken });
    const response = await fetch(`${own.url}/v1/crawls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seeds: 'https://a.example/' }),
    });
    const ready = await fetch(`${own.url}/readyz`);
    await own.stop();
    expect(response.status).toBe(503);
    const id = /Crawl (\d+)/.exec(((await response.json()) as Problem).detail)?.[1] ?? '';
    expect((await call<CrawlView>('GET', `/v1/crawls/${id}`)).body).toMatchObject({
      state: 'failed',
      reason: 'not-started',
    });
    expect(ready.status).toBe(503);
    expect(((await ready.json()) as Problem).detail).toBe('Not ready: no answer from Temporal.');
  });
});

describe('every error is a problem document', () => {
  it('for routes, methods, crawls and cursors that there are not', async () => {
    expectProblem(await call('GET', '/v2/nothing'), 404, /no route/);
    const wrong = await call('DELETE', '/v1/crawls');
    expectProblem(wrong, 405, /DELETE/);
    expect(wrong.headers.get('allow')).toBe('GET, POST');
    expectProblem(await call('GET', '/v1/crawls/999999'), 404, /no crawl 999999/);
    expectProblem(await call('GET', '/v1/crawls/99999999999999999999'), 404, /no crawl/);
    expectProblem(await call('GET', '/v1/crawls/1%00'), 404, /no crawl/);
    expectProblem(await call('GET', '/v1/crawls/%ff'), 400, /^The path is not valid/);
    expectProblem(await call('GET', '/v1/crawls?limit=1e2'), 400, /^limit/);
    expectProblem(await call('GET', '/v1/crawls?cursor=x'), 400, /^cursor/);
    expectProblem(await call('GET', '/v1/crawls?page=2'), 400, /page/);
  });

  it('when the database is away', async () => {
    const gone = {
      query: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
    } as unknown as Services['pool'];
    const own = await serve(gone, { control });
    const response = await fetch(`${own.url}/v1/crawls`);
    await own.stop();
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('when one address sends too much; health checks go on', async () => {
    const own = await serve(pool, { control, requestsPer10s: 2 });
    // All of them come within ten seconds.
    stillClock();
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await fetch(`${own.url}/openapi.json`)).status);
    const health = await fetch(`${own.url}/healthz`);
    await own.stop();
    expect(statuses).toEqual([200, 200, 429]);
    expect(health.status).toBe(200);
  });
});

describe('against web pages that reach loopback', () => {
  /** fetch would set Host and Origin itself. */
  const raw = (
    method: string,
    path: string,
    headers: Record<string, string>,
    url = api.url,
  ): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(url + path, { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end();
    });

  it('refuses a host name that is not ours, and takes addresses and localhost', async () => {
    expect(await raw('GET', '/healthz', { host: 'evil.example' })).toBe(421);
    expect(await raw('GET', '/healthz', { host: 'localhost.evil.example:80' })).toBe(421);
    expect(await raw('GET', '/healthz', { host: 'localhost:7700' })).toBe(200);
    expect(await raw('GET', '/healthz', { host: '[::1]:7700' })).toBe(200);
  });

  it('takes the names that a proxy gives it, and changes from pages of those alone', async () => {
    const named = await serve(pool, { hostNames: ['crawler.example', 'api'] });
    const statusOf = (headers: Record<string, string>, method = 'GET', path = '/healthz') =>
      raw(method, path, headers, named.url);
    try {
      expect(await statusOf({ host: 'Crawler.example' })).toBe(200);
      expect(await statusOf({ host: 'api:7700' })).toBe(200);
      expect(await statusOf({ host: 'other.crawler.example' })).toBe(421);
      const pause = `/v1/crawls/${await newCrawl(pool)}/pause`;
      const host = 'crawler.example';
      expect(await statusOf({ host, origin: 'https://evil.example' }, 'POST', pause)).toBe(403);
      expect(await statusOf({ host, origin: 'https://crawler.example' }, 'POST', pause)).toBe(200);
    } finally {
      await named.stop();
    }
  });

  it('refuses changes that come from a page of another site', async () => {
    const id = await newCrawl(pool);
    const path = `/v1/crawls/${id}/pause`;
    expect(await raw('POST', path, { origin: 'https://evil.example' })).toBe(403);
    expect(await raw('POST', path, { origin: 'null' })).toBe(403);
    expect(await raw('POST', path, { origin: api.url })).toBe(200);
  });
});

describe('a crawl', () => {
  it('pauses, goes on, ends, and refuses what does not fit its state', async () => {
    const id = await newRunningCrawl(pool);
    const paused = await call('POST', `/v1/crawls/${id}/pause`, { reason: 'lunch' });
    expect(paused.body).toEqual({ id, state: 'paused', reason: 'lunch' });
    expectProblem(await call('POST', `/v1/crawls/${id}/pause`), 409, /is paused: it cannot be paused/);
    expectProblem(await call('POST', `/v1/crawls/${id}/pause`, { because: 'x' }), 422, /because/);
    expect((await call('POST', `/v1/crawls/${id}/resume`)).body).toMatchObject({ state: 'running' });
    expect((await call('POST', `/v1/crawls/${id}/cancel`)).body).toMatchObject({ state: 'cancelled' });
    for (const change of ['pause', 'resume', 'cancel']) {
      expectProblem(await call('POST', `/v1/crawls/${id}/${change}`), 409, /is cancelled/);
    }
    expectProblem(await call('POST', '/v1/crawls/999999/pause'), 404, /no crawl/);
  });

  it.each([
    ['refused', 409, /refuses to pause: a crawl/],
    ['over', 409, /no workflow/],
    ['unavailable', 503, /could not be told/],
  ] as const)('tells when the workflow is %s', async (fault, status, words) => {
    const id = await newCrawl(pool);
    const stubborn: CrawlControl = {
      ...control,
      change: () => Promise.reject(new ControlError(fault, 'a crawl that is so', null)),
    };
    const own = await serve(pool, { control: stubborn });
    const response = await fetch(`${own.url}/v1/crawls/${id}/pause`, { method: 'POST' });
    await own.stop();
    expect(response.status).toBe(status);
    expect(((await response.json()) as Problem).detail).toMatch(words);
  });

  it('is listed by its state', async () => {
    const paused = await newCrawl(pool);
    await setState(pool, paused, 'paused', null);
    const failed = await newCrawl(pool);
    await setState(pool, failed, 'failed', 'x');
    const listed = async (state: string): Promise<[string, string][]> => {
      const { body } = await call<{ items: { id: string; state: string }[] }>(
        'GET',
        `/v1/crawls?limit=2&state=${state}`,
      );
      return body.items.map(({ id, state: is }) => [id, is]);
    };
    expect(await listed('paused,failed')).toEqual([[failed, 'failed'], [paused, 'paused']]); // prettier-ignore
    expect((await listed('paused'))[0]).toEqual([paused, 'paused']);
    expect((await listed('failed')).every(([, state]) => state === 'failed')).toBe(true);
    expectProblem(await call('GET', '/v1/crawls?state=asleep'), 400, /^state/);
  });

  it('shows its ledger, hosts, dead letters and rate', async () => {
    const id = await newRunningCrawl(pool);
    await addUrl(pool, id, 'https://one.example/1');
    await addUrl(pool, id, 'https://one.example/2', {
      // Of the last ten seconds, however long the rest of the test takes.
      state: 'done', status: 200, fetches: 1, bytes: 10, fetched_at: fromNow(3_600),
    }); // prettier-ignore
    const { hostId, key } = await addUrl(pool, id, 'https://two.example/', {
      state: 'failed',
      fetches: 2,
    });
    await addLetter(pool, id, { hostId, key }, 'tls');
    // Of three parked hosts two have URLs that wait.
    const waiting = ['https://parked.example/', 'https://also-parked.example/'];
    const parked = [
      hostId,
      ...(await Promise.all(waiting.map(async (url) => (await addUrl(pool, id, url)).hostId))),
    ];
    for (const host of parked) await tables.host.change(pool, { id: host }, { parked_at: fromNow() });
    const { body } = await call<CrawlView>('GET', `/v1/crawls/${id}`);
    expect(body).toMatchObject({
      ledger: { discovered: 5, queued: 3, leased: 0, done: 1, excluded: 0, dead: 0, failed: 1 },
      pages: 1,
      fetches: 3,
      bytes: 10,
      hosts: { total: 4, waiting: 3, working: 0, parked: 2 },
      deadLetters: { tls: 1 },
      rate: { perSecond: 0.1 },
      stages: [],
    });
    expect(body.seconds).toBeGreaterThanOrEqual(0);
    expect((await call('GET', `/v1/crawls/${id}/ledger`)).body).toMatchObject({ pages: 1, balanced: true });
  });

  it('has the rate of its latest thousand answers if there are more than that in ten seconds', async () => {
    const id = await newCrawl(pool);
    const { hostId } = await addUrl(pool, id, 'https://fast.example/');
    // By a clock that is ahead, so that none is ten seconds old however late the look comes.
    const ahead = new Date(Date.now() + 3_600_000);
    const answered = Array.from({ length: 1_500 }, (_, n) => ({
      ...{ host_id: hostId, url: `https://fast.example/${String(n)}` },
      ...{ state: 'done' as const, fetched_at: ahead },
    }));
    await addUrls(pool, id, answered);
    const { body } = await call<CrawlView>('GET', `/v1/crawls/${id}`);
    // A thousand in no time, where all of them would be 150 a second.
    expect(body.rate.perSecond).toBe(1_000_000);
  });

  it('has its rate by class of status, with pages that have not changed as answers of 304', async () => {
    const id = await newCrawl(pool);
    const { hostId } = await addUrl(pool, id, 'https://mixed.example/', { state: 'failed', reason: 'tls' });
    const [ahead, ago] = [3_600_000, -3_600_000].map((ms) => new Date(Date.now() + ms));
    const answered = (status: number, change: object = {}, at = ahead) => ({
      ...{ host_id: hostId, url: `https://mixed.example/${randomUUID()}`, state: 'done' as const },
      ...{ status, reason: null, fetched_at: at, ...change },
    });
    await addUrls(pool, id, [
      ...[answered(200), answered(206), answered(200, { reason: 'not-modified' }), answered(301)],
      ...[answered(404), answered(503, { state: 'queued' }), answered(500, {}, ago)],
    ]);
    const { body } = await call<CrawlView>('GET', `/v1/crawls/${id}`);
    expect(body.rate).toEqual({
      perSecond: 0.6,
      statuses: { '2xx': 0.2, '3xx': 0.2, '4xx': 0.1, '5xx': 0.1 },
    });
  });

  it('is listed newest first, each once, over cursors', async () => {
    for (let i = 0; i < 3; i++) await newCrawl(pool);
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer<{ items: { id: string }[]; next: string | null }> = await call(
        'GET',
        `/v1/crawls?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.items.map(({ id }) => Number(id)));
      cursor = page.body.next;
    }
    expect(seen).toEqual((await tables.crawl.rows(pool)).map(({ id }) => id).reverse());
  });
});

/** Seconds since a worker was heard of, for one that is present: it stays so for an hour, however busy the machine is. */
const lately = -3_600;
/** Seconds since each control worker began, and since it was heard of. */
async function workers(...ages: readonly (readonly [number, number])[]): Promise<void> {
  await tables.worker.remove(pool);
  for (const [began, seen] of ages)
    await tables.worker.add(pool, {
      ...{
        id: randomUUID(),
        roles: ['control', 'fetch'],
        started_at: fromNow(-began),
        seen_at: fromNow(-seen),
      },
    });
}

describe('documents', () => {
  it('serves OpenAPI 3.1 with every route, and a page to read it', async () => {
    const { body } = await call<{ openapi: string; paths: Record<string, object> }>('GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const routes = Object.entries(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const pages = [
      'GET /',
      'GET /openapi.json',
      'GET /docs',
      'GET /docs/*',
      'GET /console',
      'GET /console/*',
    ];
    expect([...routes, ...pages].sort()).toEqual(Object.keys(accessTable).sort());
    const docs = await fetch(`${api.url}/docs/`);
    expect(docs.status).toBe(200);
    expect(await docs.text()).toContain('Orbweaver API');
    await workers([0, lately]);
    expect((await call('GET', '/readyz')).body).toEqual({ status: 'ready' });
  });
});

describe('readyz', () => {
  const ready = async (): Promise<unknown> => {
    const { status, body } = await call<Partial<Problem>>('GET', '/readyz');
    return status === 200 ? 'ready' : body.detail;
  };
  it('says when the disk is full', async () => {
    const disk = { free: 3.5 * 1024 ** 2 };
    const freeBytes = () => Promise.resolve(disk.free);
    const own = await serve(pool, { control, freeBytes });
    const ask = async () => (await fetch(`${own.url}/readyz`)).json() as Promise<Partial<Problem>>;
    try {
      await workers([2, lately]);
      expect((await ask()).detail).toBe('Not ready: the disk that holds the bodies is full: 3 MB are left.');
      disk.free = 1e9;
      expect(await ask()).toEqual({ status: 'ready' });
    } finally {
      await own.stop();
    }
  });

  it('says when nobody controls, and when whoever does ends again and again', async () => {
    await workers();
    expect(await ready()).toBe('Not ready: no control worker is at work.');
    await workers([300, 30]);
    expect(await ready()).toBe('Not ready: no control worker is at work.');
    await workers([2, lately]);
    expect(await ready()).toBe('ready');
    await workers([60, 50], [45, 35], [30, 20], [2, lately]);
    expect(await ready()).toMatch(/^Not ready: control workers keep ending, 3 within two minutes/);
    // Others stay, and do the work.
    await workers([60, 50], [45, 35], [30, 20], [200, lately]);
    expect(await ready()).toBe('ready');
  });
});
