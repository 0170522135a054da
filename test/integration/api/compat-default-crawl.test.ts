/** The default crawl of a tenant (F35): the exact shapes of those interfaces, over a real database. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import * as compat from '../../../contracts/http/compat.ts';
import { provideDefaultCrawl } from '../../../storage/starting/index.ts';
import { addUrl, changeCrawl, setState, tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant, type Answer } from './asking.ts';
import { withApi } from './world.ts';

const { pool, api, control } = withApi({ anonymous: true });

interface Tenant {
  readonly id: number;
  readonly key: string;
}
const tenant = async (quotas = {}): Promise<Tenant> => {
  const id = await newTenant(pool, quotas);
  return { id: Number(id), key: await newKey(pool, id, 'operator') };
};
const crawlOf = async ({ id }: Tenant): Promise<string> => {
  const { id: crawl } = await provideDefaultCrawl(pool, id);
  if (crawl === null) throw new Error('a quota is spent');
  return crawl;
};
type Refused = Answer<{ error_message: string }>;
const send = <T>(who: Tenant, path: string, body?: unknown): Promise<Answer<T>> =>
  ask<T>(api.url, who.key, 'POST', path, body);
const statusOf = <T = compat.UrlStatusAnswer>(who: Tenant, url: string): Promise<Answer<T>> =>
  ask<T>(api.url, who.key, 'GET', `/api/v1/${encodeURIComponent(url)}/status`);

describe('POST /url/limit', () => {
  const limit = (who: Tenant, body: object) => send<compat.UrlLimitAnswer>(who, '/url/limit', body);

  it('sets the limits of the default crawl, and answers those there are', async () => {
    const who = await tenant();
    const wanted = { excludedDomains: 'Ads.example, shop.example.', depthLimit: 5, urlLengthLimit: 500 };
    const first = await limit(who, wanted);
    expect([first.status, first.body]).toEqual([
      200,
      {
        crawl_id: await crawlOf(who),
        excludedDomains: ['ads.example', 'shop.example'],
        depthLimit: 5,
        urlLengthLimit: 500,
      },
    ]);
    // Domains that are not given stay.
    const second = await limit(who, { depthLimit: null, urlLengthLimit: 2_048 });
    expect(second.body).toEqual({ ...first.body, depthLimit: null, urlLengthLimit: 2_048 });
    const none = await limit(who, { excludedDomains: [], depthLimit: 5, urlLengthLimit: 500 });
    expect(none.body).toMatchObject({ excludedDomains: [] });
    const crawl = await ask(api.url, who.key, 'GET', `/v1/crawls/${first.body.crawl_id}`);
    expect(crawl.body).toMatchObject({
      configVersion: 4,
      config: { excludeDomains: [], maxDepth: 5, maxUrlLength: 500 },
    });
  });

  it.each<[object, RegExp]>([
    [{}, /depthLimit/],
    [{ depthLimit: 5 }, /urlLengthLimit/],
    [{ depthLimit: -1, urlLengthLimit: 500 }, /depthLimit/],
    [{ depthLimit: 5, urlLengthLimit: 5_000 }, /urlLengthLimit/],
    [{ depthLimit: '5', urlLengthLimit: 500 }, /depthLimit/],
    [{ depthLimit: 5, urlLengthLimit: 500, excludedDomains: ['a b'] }, /excludedDomains: domains such as/],
    [{ depthLimit: 5, urlLengthLimit: 500, extra: 1 }, /extra/],
  ])('refuses %j', async (body, words) => {
    const who = await tenant();
    const refused = await send<{ error_message: string }>(who, '/url/limit', body);
    expect([refused.status, Object.keys(refused.body)]).toEqual([422, ['error_message']]);
    expect(refused.body.error_message).toMatch(words);
  });
});

describe('the default crawl', () => {
  it('is made once, however many ask, and over until it has something to do', async () => {
    const who = await tenant({ crawlsPerDay: 1 });
    const ids = await Promise.all(Array.from({ length: 5 }, () => crawlOf(who)));
    expect(new Set(ids).size).toBe(1);
    const crawl = await ask(api.url, who.key, 'GET', `/v1/crawls/${ids[0] ?? ''}`);
    expect(crawl.body).toMatchObject({ state: 'finished', reason: 'complete', label: 'default' });
    const audit = await ask(api.url, who.key, 'GET', `/v1/crawls/${ids[0] ?? ''}/audit`);
    expect(audit.body).toMatchObject({ ok: true });
  });

  it('is another one, with the same settings, once it was cancelled', async () => {
    const who = await tenant();
    const first = await crawlOf(who);
    const { config } = await tables.crawl.row(pool, { id: first });
    await changeCrawl(pool, first, { config: { ...config, maxDepth: 3 } });
    await setState(pool, first, 'cancelled', null);
    const second = await crawlOf(who);
    expect(second).not.toBe(first);
    expect((await ask(api.url, who.key, 'GET', `/v1/crawls/${second}`)).body).toMatchObject({
      config: { maxDepth: 3 },
    });
  });

  it('is not made beyond the quota of crawls', async () => {
    const { id } = await tenant({ crawlsPerDay: 0 });
    expect(await provideDefaultCrawl(pool, id)).toMatchObject({
      id: null,
      spent: { quota: 'crawlsPerDay' },
    });
  });
});

describe.each(['/seed/urls', '/api/v1/seed'])('POST %s', (path) => {
  const seeds = async ({ id }: Tenant): Promise<unknown[]> => {
    const { default_crawl_id: crawl } = await tables.tenant.row(pool, { id });
    return (await tables.seed.rows(pool, { crawl_id: crawl ?? 0 })).map(({ line, url, rejected }) => ({
      line,
      url,
      rejected,
    }));
  };
  const crawlState = async (who: Tenant, id: string): Promise<unknown> =>
    (await ask<{ state: string }>(api.url, who.key, 'GET', `/v1/crawls/${id}`)).body.state;

  it('takes a list, or one text with commas, and sets the crawl running', async () => {
    const who = await tenant();
    const one = await send<compat.SeedUrlsAnswer>(who, path, {
      urls: ['https://a.example/', ' mailto:x', '', 'https://b.example/x,y'],
    });
    expect(one.status).toBe(200);
    expect(compat.seedUrlsAnswer.strict().parse(one.body)).toEqual(one.body);
    const { crawl_id } = one.body;
    expect(one.body).toEqual({
      crawl_id,
      accepted: 2,
      rejected_count: 1,
      rejected: [{ url: 'mailto:x', reason: 'scheme: it is neither an http nor an https URL' }],
    });
    expect(control.started.at(-1)).toBe(crawl_id);
    expect(await crawlState(who, crawl_id)).toBe('running');
    const two = await send(who, path, { urls: 'https://c.example/, https://a.example/' });
    expect(two.body).toMatchObject({ crawl_id, accepted: 2, rejected: [] });
    expect(await seeds(who)).toEqual([
      { line: 1, url: 'https://a.example/', rejected: null },
      { line: 2, url: 'mailto:x', rejected: 'scheme' },
      { line: 3, url: 'https://b.example/x,y', rejected: null },
      { line: 4, url: 'https://c.example/', rejected: null },
      { line: 5, url: 'https://a.example/', rejected: null },
    ]);
    // Known from then on, though no worker has admitted it yet.
    expect((await statusOf(who, 'https://C.example')).body).toMatchObject({ status: 'PENDING' });
    expect((await statusOf(await tenant(), 'https://c.example/')).status).toBe(404);
  });

  it.each([',', ' ', '\n', ', ', ' ,\r\n\t'])(
    'takes %j between URLs, and names each bad part',
    async (between) => {
      const who = await tenant();
      const parts = ['http://h.example/p5.html', 'notaurl', 'ftp://x/', 'http://h.example/p6.html'];
      const { status, body } = await send<compat.SeedUrlsAnswer>(who, path, { urls: parts.join(between) });
      expect([status, body.accepted, body.rejected.map(({ url }) => url)]).toEqual([
        200,
        2,
        ['notaurl', 'ftp://x/'],
      ]);
      expect((await seeds(who)).map((seed) => (seed as { url: string }).url)).toEqual(parts);
    },
  );

  it.each([
    ['no body', undefined],
    ['no urls', {}],
    ['an empty list', { urls: [] }],
    ['an empty text', { urls: '' }],
    ['nothing but commas', { urls: ',,' }],
    ['no text', { urls: [1] }],
    ['none that is good', { urls: ['mailto:x'] }],
    ['more than urls', { urls: 'https://a.example/', depth: 1 }],
  ])('refuses %s, and does nothing then', async (_, body) => {
    const who = await tenant();
    const answer: Refused = await send(who, path, body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['error_message']);
    expect(await tables.crawl.count(pool, { tenant_id: who.id })).toBe(0);
  });

  it('names the first hundred that are no good', async () => {
    const urls = ['https://a.example/', ...Array.from({ length: 150 }, (_, n) => `mailto:${String(n)}`)];
    const { body } = await send<compat.SeedUrlsAnswer>(await tenant(), path, { urls });
    expect(body).toMatchObject({ accepted: 1, rejected_count: 150 });
    expect(body.rejected).toHaveLength(100);
  });

  it('keeps to the quotas: of crawls, of open ones, of URLs', async () => {
    const urls = 'https://a.example/';
    const none: Refused = await send(await tenant({ crawlsPerDay: 0 }), path, { urls });
    expect(none.status).toBe(429);
    expect(none.headers.get('retry-after')).toMatch(/^\d+$/);
    const full = await tenant({ crawlsAtOnce: 1 });
    await crawlOf(full);
    await tables.crawl.add(pool, { config: {}, tenant_id: full.id, state: 'running' });
    expect((await send(full, path, { urls })).status).toBe(429);
    expect(await seeds(full)).toEqual([]);
    // One that is running is not opened once more, and takes seeds until its URLs are spent.
    const growing = await tenant({ crawlsPerDay: 1, crawlsAtOnce: 1, urlsTotal: 1 });
    const { body } = await send<compat.SeedUrlsAnswer>(growing, path, { urls });
    expect((await send(growing, path, { urls })).status).toBe(200);
    await addUrl(pool, body.crawl_id, urls);
    expect((await send(growing, path, { urls })).status).toBe(403);
  });

  it('keeps a paused crawl paused, waits for one that drains, and leaves one that was ended', async () => {
    const who = await tenant();
    const urls = 'https://a.example/';
    const first = await crawlOf(who);
    await setState(pool, first, 'paused', 'lunch');
    expect((await send(who, path, { urls })).status).toBe(200);
    expect(await crawlState(who, first)).toBe('paused');
    await setState(pool, first, 'draining', 'cancelled');
    expect((await send(who, path, { urls })).status).toBe(409);
    await setState(pool, first, 'failed', 'no URL could be fetched');
    expect((await send(who, path, { urls })).body).toMatchObject({ crawl_id: first });
    for (const [state, cause] of [['finished', 'limit:max-pages'], ['cancelled', 'cancelled']] as const) {
      const before = await crawlOf(who);
      await setState(pool, before, state, 'in words', cause);
      const { body } = await send<compat.SeedUrlsAnswer>(who, path, { urls });
      expect(body.crawl_id).not.toBe(before);
      expect(await crawlState(who, before)).toBe(state);
    } // prettier-ignore
  });
});

describe('POST /api/v1/pause and /api/v1/resume', () => {
  it('pause it and let it go on', async () => {
    const who = await tenant();
    const crawl_id = await crawlOf(who);
    await setState(pool, crawl_id, 'running', null);
    const paused = await send(who, '/api/v1/pause');
    expect(paused).toMatchObject({ status: 200, body: { crawl_id, state: 'paused' } });
    expect(compat.pauseAnswer.strict().parse(paused.body)).toEqual(paused.body);
    // Asked again, it is what it was.
    expect(await send(who, '/api/v1/pause')).toMatchObject({ status: 200, body: paused.body });
    const resumed = await send(who, '/api/v1/resume', {});
    expect(resumed).toMatchObject({ status: 200, body: { crawl_id, state: 'running' } });
  });

  it('pause what does nothing as it is', async () => {
    const who = await tenant();
    expect(await send(who, '/api/v1/pause')).toMatchObject({
      status: 200,
      body: { crawl_id: null, state: null },
    });
    const crawl_id = await crawlOf(who);
    expect(await send(who, '/api/v1/pause')).toMatchObject({
      status: 200,
      body: { crawl_id, state: 'finished' },
    });
  });

  it('refuse to resume what is not there', async () => {
    const who = await tenant();
    const none: Refused = await send(who, '/api/v1/resume');
    expect(none.status).toBe(409);
    expect(none.body).toEqual({
      error_message: 'There is no default crawl to resume yet: send seeds first.',
    });
    await crawlOf(who);
    expect((await send(who, '/api/v1/resume')).status).toBe(409);
  });

  it.each(['pause', 'resume'])('refuse to %s what they do not know', async (what) => {
    const who = await tenant();
    await crawlOf(who);
    const odd: Refused = await send(who, `/api/v1/${what}`, { for: 'ever' });
    expect(odd.status).toBe(422);
    expect(Object.keys(odd.body)).toEqual(['error_message']);
  });

  it('keep a crawl paused that a quota has paused', async () => {
    const who = await tenant({ urlsTotal: 0 });
    const key = await newKey(pool, String(who.id), 'operator');
    const made = await tables.crawl.add(pool, { config: {}, tenant_id: who.id, state: 'paused' });
    await tables.tenant.change(pool, { id: who.id }, { default_crawl_id: made.id });
    const answer: Refused = await ask(api.url, key, 'POST', '/api/v1/resume');
    expect(answer.status).toBe(403);
    expect(answer.body.error_message).toMatch(/quota of 0 discovered URLs is spent/);
  });
});

describe('GET /api/v1/{url}/status', () => {
  const odd = 'https://a.example/a%2Fb?q=1&r=%3F/x';
  const at = new Date();
  it.each([
    ['PENDING', { state: 'queued' }],
    ['STARTED', { state: 'leased', lease_token: 1 }],
    ['STARTED', { state: 'done', status: 200, stage: 2, fetched_at: at }],
    ['COMPLETED', { state: 'done', status: 200, fetched_at: at, content_type: 'text/html', bytes: 7 }],
    ['COMPLETED', { state: 'excluded', reason: 'pattern', detail: '*/x/*' }],
    ['COMPLETED', { state: 'failed', reason: 'timeout' }],
    ['COMPLETED', { state: 'dead', status: 404, reason: 'gone' }],
  ] as const)('is %s for %o', async (status, columns) => {
    const who = await tenant();
    await addUrl(pool, await crawlOf(who), odd, { ...columns, depth: 2 });
    const answer = await statusOf(who, odd);
    expect(answer.status).toBe(200);
    expect(compat.urlStatusAnswer.strict().parse(answer.body)).toEqual(answer.body);
    expect(answer.body).toMatchObject({ url: odd, status, detail: { state: columns.state, depth: 2 } });
    // In any spelling, and the slash at the end that programs add.
    expect((await statusOf(who, odd.replace('a.example', 'A.EXAMPLE:443') + '#top')).body).toMatchObject({
      status,
    });
    expect((await ask(api.url, who.key, 'GET', `/api/v1/${encodeURIComponent(odd)}/status/`)).status).toBe(
      200,
    );
  });

  it('is told for a URL that is sent as it is, with slashes and a query', async () => {
    const who = await tenant();
    await addUrl(pool, await crawlOf(who), odd, { state: 'queued' });
    // fetch would not send it like that.
    const { hostname, port } = new URL(api.url);
    const headers = { authorization: `Bearer ${who.key}` };
    const sent = request({ hostname, port, path: `/api/v1/${odd}/status`, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect([response.statusCode, await json(response)]).toEqual([
      200,
      expect.objectContaining({ url: odd, status: 'PENDING' }),
    ]);
  });

  it('tells the detail', async () => {
    const who = await tenant();
    await addUrl(pool, await crawlOf(who), odd, {
      state: 'done', status: 200, fetched_at: at, content_type: 'text/html', bytes: 7,
    }); // prettier-ignore
    expect((await statusOf(who, odd)).body.detail).toEqual({
      state: 'done',
      reason: null,
      message: null,
      http_status: 200,
      content_type: 'text/html',
      bytes: 7,
      depth: 0,
      discovered_at: expect.any(String) as string,
      fetched_at: at.toISOString(),
    });
  });

  it('is 404 for what was never met, also where another tenant has', async () => {
    const [who, other] = [await tenant(), await tenant()];
    await addUrl(pool, await crawlOf(other), odd);
    const before = await statusOf<{ error_message: string }>(who, odd);
    expect(before).toMatchObject({ status: 404, body: { error_message: `The crawl has never met ${odd}.` } });
    await crawlOf(who);
    expect((await statusOf(who, odd)).status).toBe(404);
    expect((await statusOf(who, 'https://nowhere.example/')).status).toBe(404);
    expect((await statusOf(other, odd)).status).toBe(200);
  });

  it.each([
    ['mailto:a@b', /neither an http/],
    ['a.example', /not an absolute URL/],
    ['https://me:secret@a.example/', /user name or password/],
  ])('refuses %s', async (url, message) => {
    const answer = await statusOf<{ error_message: string }>(await tenant(), url);
    expect(answer.status).toBe(400);
    expect(answer.body.error_message).toMatch(message);
  });

  it('refuses escapes that are none', async () => {
    const { key } = await tenant();
    const answer: Refused = await ask(api.url, key, 'GET', '/api/v1/%zz/status');
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(['error_message']);
  });
});
