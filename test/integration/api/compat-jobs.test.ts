/**
 * Jobs (F34): the exact shapes of that interface, over a real database.
 * @module-tag long
 */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTurns } from '../../../api/way-in/turns.ts';
import * as compat from '../../../contracts/http/compat.ts';
import type { CrawlView } from '../../../contracts/http/crawls.ts';
import {
  addHosts,
  addUrl,
  addUrls,
  busyConnections,
  fromNow,
  setState,
  tables,
} from '../../support/database/index.ts';
import { ask, newKey, newTenant, type Answer } from './asking.ts';
import { newCrawl, noteTaker, serve, withServices, withServed } from './world.ts';

const services = withServices();
const { pool } = services;
const control = noteTaker(pool);
const api = withServed(pool, { control, anonymous: true });
let operator: string;
let reader: string;
let others: string;

beforeAll(async () => {
  operator = await newKey(pool, '1', 'operator');
  reader = await newKey(pool, '1', 'reader');
  others = await newKey(pool, await newTenant(pool), 'operator');
});

const scan = (body: unknown, key: string | null = operator) =>
  ask<{ error_message: string }>(api.url, key, 'POST', '/v1/url/scan', body);
/** What a crawl is called where it is a job. */
const jobOf = async (crawlId: string): Promise<string> => {
  const { body } = await ask<CrawlView>(api.url, reader, 'GET', `/v1/crawls/${crawlId}`);
  return body.jobId;
};
const crawlOfJob = async (jobId: string): Promise<Answer<CrawlView>> => {
  const { id } = await tables.crawl.row(pool, { job_id: jobId });
  return ask<CrawlView>(api.url, reader, 'GET', `/v1/crawls/${String(id)}`);
};
const wanted = { root_url: 'https://a.example/', user_id: 17, finish_criteria: {} };

describe('POST /v1/url/scan', () => {
  it('starts a crawl of the tenant and answers request_status and jobId', async () => {
    const finish_criteria = { max_pages: 5, max_depth: 2, max_seconds: 60 };
    const { status, body, headers } = await scan({ ...wanted, finish_criteria });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const { jobId } = compat.scanAnswer.parse(body);
    expect(body).toEqual({ request_status: 'CREATED', jobId });
    const crawl = await crawlOfJob(jobId);
    expect(control.started).toContain(crawl.body.id);
    expect(crawl.body).toMatchObject({
      jobId,
      label: '17',
      config: { maxPages: 5, maxDepth: 2, maxSeconds: 60 },
      seeds: { accepted: 1 },
    });
  });

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'])(
    'takes any user_id of 64 bits to its last digit: %s',
    async (userId) => {
      // As a number in the text: JSON.stringify has no numbers of so many digits.
      const response = await fetch(`${api.url}/v1/url/scan`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
        body: `{"root_url": "https://a.example/", "user_id": ${userId}, "finish_criteria": null}`,
      });
      expect(response.status).toBe(200);
      const { jobId } = compat.scanAnswer.parse(await response.json());
      const crawl = await crawlOfJob(jobId);
      expect(crawl.body).toMatchObject({ label: userId, config: { finish: null, maxPages: null } });
    },
  );

  it('takes the key from any of three headers', async () => {
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
    expect(await statusWith({ Authentication: `Bearer ${operator}` })).toBe(200);
    expect(await statusWith({ 'API-X-TOKEN': operator })).toBe(401);
    expect(await statusWith({})).toBe(401);
  });

  it('belongs to the tenant of the key, whatever user_id says', async () => {
    const { body } = await scan({ ...wanted, user_id: 1 }, others);
    const { jobId } = compat.scanAnswer.parse(body);
    const status = `/v1/job/status?job_id=${jobId}`;
    expect((await ask(api.url, others, 'GET', status)).status).toBe(200);
    expect((await ask(api.url, operator, 'GET', status)).status).toBe(404);
  });

  it('answers 404 with error_message and Retry-After where a quota is spent', async () => {
    const tenant = await newTenant(pool, { crawlsAtOnce: 1 });
    const key = await newKey(pool, tenant, 'operator');
    expect((await scan(wanted, key)).status).toBe(200);
    const { status, headers, body } = await scan(wanted, key);
    expect(status).toBe(404);
    expect(headers.get('retry-after')).toBe('60');
    expect(body).toEqual({ error_message: 'Too many requests, User quota exhausted!' });
  });

  it('counts open jobs by user_id, within the tenant', async () => {
    const quotas = { jobsPerUser: 2 };
    const key = await newKey(pool, await newTenant(pool, quotas), 'operator');
    const sent = await Promise.all(Array.from({ length: 5 }, () => scan(wanted, key)));
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 200, 404, 404, 404]);
    const refused = sent.find(({ status }) => status === 404);
    expect(refused?.body).toEqual({ error_message: 'Too many requests, User quota exhausted!' });
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect((await scan({ ...wanted, user_id: 18 }, key)).status).toBe(200);
    const elsewhere = await newKey(pool, await newTenant(pool, quotas), 'operator');
    expect((await scan(wanted, elsewhere)).status).toBe(200);
    await tables.crawl.change(pool, { user_id: 17 }, { state: 'finished', ended_at: fromNow() });
    expect((await scan(wanted, key)).status).toBe(200);
  });

  it('answers 500 with the words of that interface where our own parts fail', async () => {
    const broken = await serve(pool, {
      control: { ...control, start: () => Promise.reject(new Error('Temporal is away')) },
      anonymous: true,
    });
    try {
      const { status, headers, body } = await ask(broken.url, operator, 'POST', '/v1/url/scan', wanted);
      expect([status, body]).toEqual([
        500,
        { error_message: 'Something went wrong, Please try after sometime!' },
      ]);
      expect(headers.get('retry-after')).toBe('5');
    } finally {
      await broken.stop();
    }
  });

  it.each([
    ['no body', undefined, 422, /it is missing/],
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
    ['a text for user_id', { ...wanted, user_id: '17' }, 422, /^user_id: must be a whole number of 64 bits/],
    ['a user_id of 65 bits', { ...wanted, user_id: 1e19 }, 422, /^user_id: /],
    ['a fraction for user_id', { ...wanted, user_id: 1.5 }, 422, /^user_id: /],
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
    expect(await send({ ...json, origin: 'http://evil.example' }, '{}')).toEqual([
      403,
      error(/another site/),
    ]);
    expect((await scan(wanted, reader)).body).toEqual(error(/needs the role operator/));
    const wrongMethod = await ask(api.url, operator, 'GET', '/v1/url/scan');
    expect(wrongMethod).toMatchObject({ status: 405, body: error(/not allowed here/) });
    // And only these routes.
    const elsewhere = await ask<{ type: string }>(api.url, operator, 'GET', '/v1/urlsx');
    expect(elsewhere.body.type).toBe('urn:orbweaver:problem:unknown-route');
  });
});

describe('GET /v1/job/status', () => {
  it.each([
    ['seeding', 'created'],
    ['running', 'running'],
    ['paused', 'running'],
    ['draining', 'running'],
    ['finished', 'success'],
    ['cancelled', 'failed'],
    ['failed', 'failed'],
  ] as const)('a crawl that is %s is %s', async (state, job_status) => {
    const id = await newCrawl(pool);
    await setState(pool, id, state, null);
    const answer = await ask(api.url, reader, 'GET', `/v1/job/status?job_id=${await jobOf(id)}`);
    expect(answer).toMatchObject({ status: 200, body: { job_status } });
    expect(answer.body).toEqual({ job_status });
  });

  it.each(['/v1/job/status', '/v1/urls'])('%s knows no job that is not there', async (path) => {
    for (const id of ['7', 'x', '00000000-0000-4000-8000-000000000000', '1;drop', '99999999999999999999']) {
      const answer = await ask(api.url, reader, 'GET', `${path}?job_id=${encodeURIComponent(id)}`);
      expect(answer).toMatchObject({ status: 404, body: { error_message: 'No job found with given jobID' } });
    }
    const without = await ask<{ error_message: string }>(api.url, reader, 'GET', path);
    expect(without.status).toBe(400);
    expect(without.body.error_message).toMatch(/^job_id: /);
  });
});

describe('GET /v1/urls', () => {
  let id: string;
  let job: string;
  beforeEach(async () => {
    id = await newCrawl(pool);
    job = await jobOf(id);
  });
  const urlsOf = (key = reader) => ask<compat.JobUrls>(api.url, key, 'GET', `/v1/urls?job_id=${job}`);

  it('says 202 while the job goes on', async () => {
    await setState(pool, id, 'draining', 'max-pages');
    const { status, body } = await urlsOf();
    expect(status).toBe(202);
    expect(body).toEqual({
      job_id: job,
      job_status: 'running',
      message: 'Job is incompleted at this moment',
    });
  });

  it('answers the pages that a job has asked for, once it is over', async () => {
    await addUrl(pool, id, 'https://b.example/"quoted"', { state: 'dead', status: 404 });
    await addUrl(pool, id, 'https://b.example/kept-out', { state: 'excluded', reason: 'pattern' });
    await addUrl(pool, id, 'https://a.example/1', { state: 'done' });
    await addUrl(pool, id, 'https://a.example/sitemap.xml', { state: 'done', kind: 1 });
    await setState(pool, id, 'finished', 'complete');
    const { status, body, headers } = await urlsOf();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(Object.keys(body)).toEqual(['job_id', 'job_status', 'job_completion_time', 'extracted_urls']);
    expect(compat.jobUrls.parse(body)).toEqual(body);
    expect(body).toMatchObject({ job_id: job, job_status: 'success' });
    expect(body.job_completion_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
    expect(body.extracted_urls.sort()).toEqual(['https://a.example/1', 'https://b.example/%22quoted%22']);
    expect((await urlsOf(others)).status).toBe(404);
    const head = await fetch(`${api.url}/v1/urls?job_id=${job}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${reader}` },
    });
    expect(head.status).toBe(200);
  });

  it('answers an empty list for a job that met nothing', async () => {
    await setState(pool, id, 'failed', 'no URL could be fetched');
    expect((await urlsOf()).body).toMatchObject({ job_status: 'failed', extracted_urls: [] });
  });

  describe('of 20,000', () => {
    const total = 20_000;
    /** Many small hosts and a large one. @param longer characters by which each URL is longer than it must be */
    const fill = async (crawl: string, longer = 0): Promise<void> => {
      const name = (n: number): string => `https://h${String(n)}.crawl-${crawl}.example`;
      const hosts = await addHosts(pool, 3_001, name);
      const urls = Array.from({ length: total }, (_, n) => {
        const at = n < 3_000 ? n + 1 : 0;
        const url = `${name(at + 1)}/${String(n)}${'x'.repeat(longer)}`;
        return { host_id: hosts[at] ?? 0, url, state: 'dead' };
      });
      await addUrls(pool, crawl, urls);
    };

    it('has each once, written as it is read', { tags: ['long'] }, async () => {
      await fill(await newCrawl(pool));
      await fill(id);
      await setState(pool, id, 'finished', 'complete');
      const { body } = await urlsOf();
      expect(body.extracted_urls).toHaveLength(total);
      expect(new Set(body.extracted_urls).size).toBe(total);
    });

    /** The pool, whose reads of URLs begin when the promise that `may` answers is fulfilled. */
    const reading = (may: (afterHost: unknown) => Promise<void>): typeof services.pool =>
      new Proxy(pool, {
        get: (pool, name) => {
          const value: unknown = Reflect.get(pool, name);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]): unknown => {
            const query = args[0] as { readonly name?: string; readonly values?: readonly unknown[] };
            const go = (): unknown => Reflect.apply(value, pool, args);
            return query.name === 'list-crawl-urls' ? may(query.values?.[1]).then(go) : go();
          };
        },
      });

    it('is read by ten of a tenant at a time', async () => {
      await fill(id);
      await setState(pool, id, 'finished', 'complete');
      const goOn = Promise.withResolvers<undefined>();
      // However much the sockets hold: nobody gets more than the first batch before the eleventh has asked.
      const held = reading((afterHost) => (afterHost === 0 ? Promise.resolve() : goOn.promise));
      // A list that is held here keeps its turn; usually a part is read in a moment, and lists take turns part by part.
      const turns = createTurns({ atOnce: 20, atOnceOfOne: 20, waiting: 20, waitingOfOne: 20 });
      const slow = await serve(held, { control, anonymous: true, turns });
      try {
        const path = `${slow.url}/v1/urls?job_id=${job}`;
        const headers = { authorization: `Bearer ${reader}` };
        const lists = await Promise.all(Array.from({ length: 10 }, () => fetch(path, { headers })));
        for (const each of lists) expect(each.status).toBe(200);
        const refused = await fetch(path, { headers });
        expect(refused.status).toBe(429);
        expect(refused.headers.get('retry-after')).toBe('30');
        expect(await refused.json()).toEqual({
          error_message: expect.stringMatching(/^Too many/) as unknown,
        });
        goOn.resolve(undefined);
        for (const each of lists)
          expect(((await each.json()) as compat.JobUrls).extracted_urls).toHaveLength(total);
        await expect.poll(async () => (await fetch(path, { headers })).status).toBe(200);
      } finally {
        await slow.stop();
      }
    });

    it('reads no further than its reader has got, and ends with the reader', async () => {
      // More than sockets hold.
      await fill(id, 1_500);
      await setState(pool, id, 'finished', 'complete');
      let reads = 0;
      const counting = reading(() => {
        reads++;
        return Promise.resolve();
      });
      const slow = await serve(counting, { control, anonymous: true });
      try {
        const headers = { authorization: `Bearer ${reader}` };
        const sent = httpRequest(`${slow.url}/v1/urls?job_id=${job}`, { headers }).end();
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
        const busy = () => busyConnections(pool);
        await expect.poll(busy).toBe(0);
        // All of it takes ten reads and the empty one.
        reads = 0;
        await (await fetch(`${slow.url}/v1/urls?job_id=${job}`, { headers })).json();
        expect(reads).toBe(11);
      } finally {
        await slow.stop();
      }
    });
  });
});
