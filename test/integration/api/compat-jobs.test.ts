/** Jobs (F34): the exact shapes of that interface, over a real database. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as compat from '../../../contracts/http/compat.ts';
import type { CrawlView } from '../../../contracts/http/crawls.ts';
import { ask, newKey, newTenant } from './asking.ts';
import {
  addUrl,
  newCrawl,
  noteTaker,
  serve,
  setState,
  startServices,
  type Api,
  type Services,
} from './world.ts';

let services: Services;
let api: Api;
let control: ReturnType<typeof noteTaker>;
let operator: string;
let reader: string;
let others: string;

beforeAll(async () => {
  services = await startServices();
  control = noteTaker(services.pool);
  api = await serve(services.pool, control, 1e6, undefined, { anonymous: true });
  operator = await newKey(services.pool, '1', 'operator');
  reader = await newKey(services.pool, '1', 'reader');
  others = await newKey(services.pool, await newTenant(services.pool), 'operator');
}, 60_000);
afterAll(async () => {
  await api.stop();
  await services.stop();
});

const scan = (body: unknown, key: string | null = operator) =>
  ask<{ error_message: string }>(api.url, key, 'POST', '/v1/url/scan', body);
const wanted = { root_url: 'https://a.example/', user_id: 'u-17', finish_criteria: {} };

describe('POST /v1/url/scan', () => {
  it('starts a crawl of the tenant and answers request_status and jobId', async () => {
    const finish_criteria = { max_pages: 5, max_depth: 2, max_seconds: 60 };
    const { status, body, headers } = await scan({ ...wanted, finish_criteria });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const { jobId } = compat.scanAnswer.parse(body);
    expect(body).toEqual({ request_status: 'ACCEPTED', jobId });
    expect(control.started).toContain(jobId);
    const crawl = await ask<CrawlView>(api.url, reader, 'GET', `/v1/crawls/${jobId}`);
    expect(crawl.body).toMatchObject({
      label: 'u-17',
      config: { maxPages: 5, maxDepth: 2, maxSeconds: 60 },
      seeds: { accepted: 1 },
    });
  });

  it('takes a number for user_id, and null where there are no criteria', async () => {
    const { status, body } = await scan({ ...wanted, user_id: 17, finish_criteria: null });
    expect(status).toBe(200);
    const { jobId } = compat.scanAnswer.parse(body);
    const crawl = await ask<CrawlView>(api.url, reader, 'GET', `/v1/crawls/${jobId}`);
    expect(crawl.body).toMatchObject({ label: '17', config: { finish: null, maxPages: null } });
  });

  it('takes the key from either header', async () => {
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (
        await fetch(`${api.url}/v1/url/scan`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(wanted),
        })
      ).status;
    expect(await statusWith({ authorization: `Bearer ${operator}` })).toBe(200);
    expect(await statusWith({ 'API-X-TOKEN': `Bearer ${operator}` })).toBe(200);
    expect(await statusWith({ 'API-X-TOKEN': operator })).toBe(401);
    expect(await statusWith({})).toBe(401);
  });

  it('belongs to the tenant of the key, whatever user_id says', async () => {
    const { body } = await scan({ ...wanted, user_id: '1' }, others);
    const { jobId } = compat.scanAnswer.parse(body);
    const status = `/v1/job/status?job_id=${jobId}`;
    expect((await ask(api.url, others, 'GET', status)).status).toBe(200);
    expect((await ask(api.url, operator, 'GET', status)).status).toBe(404);
  });

  it('answers 404 with error_message and Retry-After where a quota is spent', async () => {
    const tenant = await newTenant(services.pool, { crawlsAtOnce: 1 });
    const key = await newKey(services.pool, tenant, 'operator');
    expect((await scan(wanted, key)).status).toBe(200);
    const { status, headers, body } = await scan(wanted, key);
    expect(status).toBe(404);
    expect(headers.get('retry-after')).toBe('60');
    expect(body).toEqual({ error_message: "The tenant's quota of 1 open crawls at a time is spent." });
  });

  it.each([
    ['no body', undefined, 422, /expected object/],
    ['no root_url', { user_id: 'u' }, 422, /^root_url: /],
    ['no user_id', { root_url: 'https://a.example/' }, 422, /^user_id: /],
    [
      'a root_url that is none',
      { ...wanted, root_url: 'mailto:a@b' },
      422,
      /mailto:a@b: scheme: it is neither/,
    ],
    ['unknown fields', { ...wanted, more: 1 }, 422, /more/],
    [
      'unknown criteria',
      { ...wanted, finish_criteria: { max_moons: 1 } },
      422,
      /^finish_criteria: .*max_moons/,
    ],
    ['criteria of the wrong type', { ...wanted, finish_criteria: { max_pages: '5' } }, 422, /max_pages/],
    ['a NUL', { ...wanted, user_id: 'a\0b' }, 422, /^user_id: printable text/],
  ])('refuses %s', async (_, body, status, message) => {
    const answer = await scan(body);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(['error_message']);
    expect(answer.body.error_message).toMatch(message);
  });

  it('words every refusal like that, the gate’s too', async () => {
    const send = async (headers: Record<string, string>, body: string): Promise<[number, unknown]> => {
      const response = await fetch(`${api.url}/v1/url/scan`, { method: 'POST', headers, body });
      return [response.status, await response.json()];
    };
    const authorization = `Bearer ${operator}`;
    const json = { authorization, 'content-type': 'application/json' };
    const error = (text: RegExp) => ({ error_message: expect.stringMatching(text) as string });
    expect(await send(json, '{')).toEqual([400, error(/not valid JSON/)]);
    expect(await send({ authorization, 'content-type': 'text/plain' }, 'x')).toEqual([
      415,
      error(/application\/json/),
    ]);
    expect(await send({ 'content-type': 'application/json' }, '{}')).toEqual([401, error(/Send a key/)]);
    expect(await send({ ...json, origin: 'http://evil.example' }, '{}')).toEqual([403, error(/other sites/)]);
    expect((await scan(wanted, reader)).body).toEqual(error(/takes the role operator/));
    const wrongMethod = await ask(api.url, operator, 'GET', '/v1/url/scan');
    expect(wrongMethod).toMatchObject({ status: 405, body: error(/not possible/) });
    // And only these routes.
    const elsewhere = await ask<{ type: string }>(api.url, operator, 'GET', '/v1/urlsx');
    expect(elsewhere.body.type).toBe('about:blank');
  });
});

describe('GET /v1/job/status', () => {
  it.each([
    ['seeding', 'PENDING'],
    ['running', 'RUNNING'],
    ['paused', 'PAUSED'],
    ['draining', 'RUNNING'],
    ['finished', 'COMPLETED'],
    ['cancelled', 'CANCELLED'],
    ['failed', 'FAILED'],
  ] as const)('a crawl that is %s is %s', async (state, job_status) => {
    const id = await newCrawl(services.pool);
    await setState(services.pool, id, state, null);
    const answer = await ask(api.url, reader, 'GET', `/v1/job/status?job_id=${id}`);
    expect(answer).toMatchObject({ status: 200, body: { job_status } });
    expect(answer.body).toEqual({ job_status });
  });

  it.each(['/v1/job/status', '/v1/urls'])('%s knows no job that is not there', async (path) => {
    for (const id of ['999999', 'x', '1e3', '0', '1;drop', '99999999999999999999']) {
      const answer = await ask(api.url, reader, 'GET', `${path}?job_id=${encodeURIComponent(id)}`);
      expect(answer).toMatchObject({ status: 404, body: { error_message: `There is no job ${id}.` } });
    }
    const without = await ask<{ error_message: string }>(api.url, reader, 'GET', path);
    expect(without.status).toBe(400);
    expect(without.body.error_message).toMatch(/^job_id: /);
  });
});

describe('GET /v1/urls', () => {
  let id: string;
  beforeEach(async () => {
    id = await newCrawl(services.pool);
  });
  const urlsOf = (key = reader) => ask<compat.JobUrls>(api.url, key, 'GET', `/v1/urls?job_id=${id}`);

  it('says 202 while the job goes on', async () => {
    await setState(services.pool, id, 'draining', 'max-pages');
    const { status, body } = await urlsOf();
    expect(status).toBe(202);
    expect(body).toEqual({
      job_id: id,
      job_status: 'RUNNING',
      message: 'The job is not over; ask again later.',
    });
  });

  it('answers the URLs of a job that is over, sitemaps left out', async () => {
    await addUrl(services.pool, id, 'https://b.example/"quoted"', { state: 'excluded', reason: 'pattern' });
    await addUrl(services.pool, id, 'https://a.example/1', { state: 'done' });
    await addUrl(services.pool, id, 'https://a.example/sitemap.xml', { state: 'done', kind: 1 });
    await setState(services.pool, id, 'finished', 'complete');
    const { status, body, headers } = await urlsOf();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(Object.keys(body)).toEqual(['job_id', 'job_status', 'job_completion_time', 'extracted_urls']);
    expect(compat.jobUrls.parse(body)).toEqual(body);
    expect(body).toMatchObject({ job_id: id, job_status: 'COMPLETED' });
    expect(body.extracted_urls.sort()).toEqual(['https://a.example/1', 'https://b.example/%22quoted%22']);
    expect((await urlsOf(others)).status).toBe(404);
    const head = await fetch(`${api.url}/v1/urls?job_id=${id}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${reader}` },
    });
    expect(head.status).toBe(200);
  });

  it('answers an empty list for a job that met nothing', async () => {
    await setState(services.pool, id, 'failed', 'no URL could be fetched');
    expect((await urlsOf()).body).toMatchObject({ job_status: 'FAILED', extracted_urls: [] });
  });

  describe('of 20,000', () => {
    const total = 20_000;
    /** Many small hosts and a large one. */
    const fill = async (crawl: string): Promise<void> => {
      await services.pool.query(
        `insert into host (origin, shard) select 'https://h' || n || '.example', 0 from generate_series(1, 3001) n
         on conflict do nothing`,
      );
      await services.pool.query(
        `insert into url (host_id, crawl_id, key, url, state, depth, priority)
         select h.id, $1, substr(sha256(convert_to(origin || n, 'UTF8')), 1, 16),
                origin || '/' || n || repeat('x', 1500), 'excluded', 1, 1
           from generate_series(1, $2::int) n
           join host h on h.origin = 'https://h' || (case when n <= 3000 then n + 1 else 1 end) || '.example'`,
        [crawl, total],
      );
    };

    it('has each once, written as it is read', async () => {
      await fill(await newCrawl(services.pool));
      await fill(id);
      await setState(services.pool, id, 'finished', 'complete');
      const { body } = await urlsOf();
      expect(body.extracted_urls).toHaveLength(total);
      expect(new Set(body.extracted_urls).size).toBe(total);
    });

    it('is read by ten of a tenant at a time', async () => {
      await fill(id);
      await setState(services.pool, id, 'finished', 'complete');
      const path = `${api.url}/v1/urls?job_id=${id}`;
      const leaving = new AbortController();
      const { signal } = leaving;
      const headers = { authorization: `Bearer ${reader}` };
      const readers = Array.from({ length: 10 }, () => fetch(path, { signal, headers }));
      for (const each of await Promise.all(readers)) expect(each.status).toBe(200);
      const refused = await fetch(path, { headers });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('30');
      expect(await refused.json()).toEqual({ error_message: expect.stringMatching(/^Too many/) as unknown });
      leaving.abort();
      await expect.poll(async () => (await urlsOf()).status).toBe(200);
    });

    it('reads no further than its reader has got, and ends with the reader', async () => {
      await fill(id);
      await setState(services.pool, id, 'finished', 'complete');
      let reads = 0;
      const counting = new Proxy(services.pool, {
        get: (pool, name) => {
          const value: unknown = Reflect.get(pool, name);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]): unknown => {
            const [query] = args;
            if (name === 'query' && (query as { name?: string }).name === 'list-crawl-urls') reads++;
            return Reflect.apply(value, pool, args) as unknown;
          };
        },
      });
      const slow = await serve(counting, control, 1e6, undefined, { anonymous: true });
      try {
        const headers = { authorization: `Bearer ${reader}` };
        const sent = httpRequest(`${slow.url}/v1/urls?job_id=${id}`, { headers }).end();
        const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { destroy(): void }];
        await once(response, 'readable');
        // Nothing is taken: what the sockets hold, and a batch on either side, is all that is read.
        let before: number;
        do {
          before = reads;
          await new Promise((wake) => setTimeout(wake, 300));
        } while (reads > before);
        expect(reads).toBeGreaterThan(0);
        expect(reads).toBeLessThan(10);
        response.destroy();
        const busy = async (): Promise<number | undefined> => {
          const { rows } = await services.pool.query<{ busy: number }>(
            `select count(*)::int as busy from pg_stat_activity
              where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
          );
          return rows[0]?.busy;
        };
        await expect.poll(busy).toBe(0);
        // All of it takes ten reads and the empty one.
        reads = 0;
        await (await fetch(`${slow.url}/v1/urls?job_id=${id}`, { headers })).json();
        expect(reads).toBe(11);
      } finally {
        await slow.stop();
      }
    });
  });
});
