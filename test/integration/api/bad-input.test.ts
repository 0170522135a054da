/**
 * What no client should send: each is refused with a problem that says what is wrong, and nothing is done by halves.
 * @module-tag long
 */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessTable } from '../../support/access-table.ts';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { usualKind, type Problem, type ProblemKind } from '../../../contracts/http/problem.ts';
import { maxHeadBytes, maxRequestBytes } from '../../../contracts/http/shared.ts';
import { rowCounts } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();
let crawl: string;
beforeAll(async () => {
  crawl = await newRunningCrawl(pool);
});

/** Rows by table, of everything but the log of who asked. */
const rows = async (): Promise<Record<string, number>> => ({
  ...(await rowCounts(pool)),
  audit_log: 0,
});

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly problem: Partial<Problem>;
}

type Part = string | Buffer | ((received: () => string) => Promise<string>);

/** All that comes back for these bytes, on a connection of their own, until the API closes it. */
async function rawAnswer(...parts: readonly Part[]): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const received = (): string => Buffer.concat(chunks).toString();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The server may close before it was sent all.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => { resolve(); })); // prettier-ignore
  for (const part of parts) socket.write(typeof part === 'function' ? await part(received) : part);
  await closed;
  return received();
}

async function raw(...parts: readonly Part[]): Promise<Refusal> {
  const answer = await rawAnswer(...parts);
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  const [, type = ''] = /^content-type: (.*)$/im.exec(head) ?? [];
  const isProblem = type.startsWith('application/problem+json');
  return { status: Number(status), type, problem: isProblem ? (JSON.parse(body) as Problem) : {} };
}

const head = (start: string, ...fields: readonly string[]): string =>
  `${[start, 'Host: localhost', 'Connection: close', ...fields].join('\r\n')}\r\n\r\n`;

async function post(
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Refusal> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, problem: (await response.json()) as Problem };
}

const tellingWords: readonly (readonly [RegExp, ProblemKind])[] = [
  [/^cursor: not/, 'invalid-cursor'],
  [/^There is no route/, 'unknown-route'],
];

function kindOf({ detail = '', errors }: Partial<Problem>, status: number): ProblemKind {
  if (errors !== undefined) return 'invalid-input';
  return tellingWords.find(([words]) => words.test(detail))?.[1] ?? usualKind(status);
}

async function expectRefused(
  asked: () => Promise<Refusal>,
  status: number | readonly number[],
  words: RegExp,
): Promise<void> {
  const before = await rows();
  const { status: answered, type, problem } = await asked();
  expect([status].flat(), JSON.stringify(problem)).toContain(answered);
  expect(type).toMatch(/^application\/problem\+json/);
  expect(problem.detail).toMatch(words);
  expect(problem.type).toBe(`urn:orbweaver:problem:${kindOf(problem, answered)}`);
  expect(await rows()).toEqual(before);
}

describe('a body', () => {
  const nested = (levels: number): string => `{"seeds":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const seeds = '["https://a.example/"]';
  it.each<[string, string | Buffer, number, RegExp]>([
    ['no JSON', '{"seeds":', 400, /^The body is not valid JSON\. Unexpected end/],
    ['JavaScript', "{seeds: ['https://a.example/']}", 400, /^The body is not valid JSON/],
    [
      'invalid UTF-8',
      Buffer.concat([
        Buffer.from('{"label":"'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from(`","seeds":${seeds}}`),
      ]),
      400,
      /^The body is not valid UTF-8\.$/,
    ],
    ['UTF-16', Buffer.from(`{"seeds":${seeds}}`, 'utf16le'), 400, /^The body is not valid JSON/],
    ['nested too deep', nested(64), 400, /^Arrays and objects are nested deeper than 64\.$/],
    ['nested 100,000 deep', nested(100_000), 400, /nested deeper than 64/],
    ['open 5,000,000 deep', '['.repeat(5e6), 400, /nested deeper than 64/],
    [
      'a name given twice',
      `{"seeds":${seeds},"maxDepth":1,"maxDepth":2}`,
      400,
      /^The name "maxDepth" is given twice/,
    ],
    [
      'one in two spellings',
      `{"seeds":${seeds},"l\\u0061bel":"x","label":"y"}`,
      400,
      /^The name "label" is given twice/,
    ],
    ['NUL in a string', `{"seeds":${seeds},"label":"a\\u0000b"}`, 422, /^label: /],
    ['half a character', `{"seeds":${seeds},"label":"a\\ud800"}`, 422, /^label: /],
    ['NUL in a pattern', `{"seeds":${seeds},"include":["a\\u0000*"]}`, 422, /^include\.0: /],
    ['half a character in a pattern', `{"seeds":${seeds},"exclude":["\\udc00*"]}`, 422, /^exclude\.0: /],
    ['an unknown field', `{"seeds":${seeds},"depth":3}`, 422, /depth/],
    ['the prototype', `{"seeds":${seeds},"__proto__":{"maxDepth":3}}`, 422, /__proto__/],
    ['a header called as the prototype', `{"seeds":${seeds},"headers":{"X-A":"b","__proto__":"s3cret"}}`, 422, /^headers: no header can be called __proto__$/], // prettier-ignore
    ['a string for a number', `{"seeds":${seeds},"maxDepth":"3"}`, 422, /^maxDepth: /],
    ['a number beyond all', `{"seeds":${seeds},"maxDepth":1e400}`, 422, /^maxDepth: /],
    ['a number that is not exact', `{"seeds":${seeds},"maxPages":9007199254740993}`, 422, /^maxPages: /],
    ['a fraction', `{"seeds":${seeds},"maxPages":1.5}`, 422, /^maxPages: /],
    ['a list', '[]', 422, /must be an object/],
    ['null', 'null', 422, /must be an object/],
    ['a string', '"https://a.example/"', 422, /must be an object/],
    ['nothing', '', 422, /^seeds: /],
    ['no seed that is one', '{"seeds":["\\u0000","\\ud800"]}', 422, /seed/],
  ])('%s is refused', async (_what, body, status, words) => {
    await expectRefused(() => post('/v1/crawls', body), status, words);
    // A key changes nothing, and is free again.
    await expectRefused(() => post('/v1/crawls', body, { 'idempotency-key': 'bad' }), status, words);
  });

  it('as deep as allowed is read', async () => {
    await expectRefused(() => post('/v1/crawls', nested(63)), 422, /^seeds/);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense'])(
    'of type %s is refused',
    async (type) => {
      const words = /Content-Type: application\/json/;
      await expectRefused(() => post('/v1/crawls', '{}', { 'content-type': type }), 415, words);
    },
  );
  it('in another charset or encoding is refused', async () => {
    const type = 'application/json; charset=iso-8859-1';
    await expectRefused(() => post('/v1/crawls', '{}', { 'content-type': type }), 415, /JSON must be UTF-8/);
    await expectRefused(
      () => post('/v1/crawls', '{}', { 'content-encoding': 'magic' }),
      415,
      /content encoding/,
    );
    // Its size would be another one than what was judged.
    const packed = gzipSync(`{"seeds":${seeds}}`);
    await expectRefused(() => post('/v1/crawls', packed, { 'content-encoding': 'gzip' }), 415, /encoding/);
  });

  it('of a GET is left unread', async () => {
    const json = 'Content-Type: application/json';
    const answer = await rawAnswer(
      head('GET /docs HTTP/1.1', json, 'Content-Length: 100000') + '{'.repeat(9),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 [23]/);
  });

  it('too large is refused, said before or not', async () => {
    const start = 'POST /v1/crawls HTTP/1.1';
    const json = 'Content-Type: application/json';
    const announced = head(start, json, `Content-Length: ${String(maxRequestBytes + 1)}`);
    await expectRefused(() => raw(announced), 413, /larger than 10485760 bytes/);
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    const chunked = head(start, json, 'Transfer-Encoding: chunked');
    await expectRefused(() => raw(chunked, ...Array.from({ length: 11 }, () => chunk)), 413, /larger/);
  });

  it('that is not as long as it says does nothing', async () => {
    const start = 'POST /v1/crawls HTTP/1.1';
    const json = 'Content-Type: application/json';
    const body = `{"seeds":${seeds}}`;
    const before = await rows();
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.write(head(start, json, `Content-Length: ${String(body.length + 1)}`) + body);
    socket.end();
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(await rows()).toEqual(before);
    await expectRefused(
      () => raw(head(start, json, 'Transfer-Encoding: chunked'), 'zz\r\n'),
      400,
      /could not be read as HTTP/,
    );
    const both = head(start, json, 'Content-Length: 3', 'Transfer-Encoding: chunked');
    await expectRefused(() => raw(both, '0\r\n\r\n'), 400, /could not be read as HTTP/);
  });
});

describe('a string with NUL or half of a character', () => {
  const texts = ['a\u0000b', '\ud800'];
  const tried: [string, string, (text: string) => object][] = [
    ['POST', '/v1/keys', (name) => ({ name, role: 'reader' })],
    ['POST', '/v1/tenants', (name) => ({ name })],
    ['PATCH', '/v1/tenants/1', (name) => ({ name })],
    ['POST', '/v1/crawls/{crawlId}/seeds', (url) => ({ urls: [url] })],
    ['POST', '/v1/crawls/{crawlId}/dead-letters/redrive', (text) => ({ host: `https://${text}.example` })],
    ['POST', '/v1/crawls/{crawlId}/dead-letters/redrive', (text) => ({ url: `https://a.example/${text}` })],
    ['PATCH', '/v1/crawls/{crawlId}', (pattern) => ({ include: [pattern] })],
    ['PATCH', '/v1/crawls/{crawlId}?dryRun=true', (pattern) => ({ exclude: [pattern] })],
    ['PATCH', '/v1/crawls/{crawlId}', (domain) => ({ excludeDomains: [domain] })],
    ['PATCH', '/v1/crawls/{crawlId}', (type) => ({ contentTypes: [`text/${type}`] })],
    ['PATCH', '/v1/crawls/{crawlId}', (title) => ({ finish: { any: [{ matching: { count: 1, title } }] } })],
    ['POST', '/url/limit', (domain) => ({ excludedDomains: domain, depthLimit: 1, urlLengthLimit: 99 })],
    ['POST', '/v1/opt-outs', (domain) => ({ domain })],
    ['POST', '/v1/complaints', (domain) => ({ domain, text: 'x' })],
    ['POST', '/v1/url/scan', (url) => ({ root_url: url, user_id: 'x' })],
    ['POST', '/v1/url/scan', (user) => ({ root_url: 'https://a.example/', user_id: user })],
    ['POST', '/seed/urls', (url) => ({ urls: [url] })],
    ['POST', '/api/v1/seed', (url) => ({ urls: [url] })],
    ['POST', '/frontier/0/lease_batch', (id) => ({ fetcher_id: id, batch_size: 1, lease_seconds: 30 })],
  ];
  it.each(tried)('is refused: %s %s', async (method, path, body) => {
    for (const text of texts) {
      const { status } = await ask(api.url, api.key, method, path.replace('{crawlId}', crawl), body(text));
      expect([404, 422], `${JSON.stringify(text)}: ${String(status)}`).toContain(status);
    }
  });

  it('in words for people is replaced, or refused', async () => {
    for (const reason of texts) {
      const paused = await ask(api.url, api.key, 'POST', `/v1/crawls/${crawl}/pause`, { reason });
      expect([200, 422]).toContain(paused.status);
      if (paused.status === 200) await ask(api.url, api.key, 'POST', `/v1/crawls/${crawl}/resume`);
      const told = await ask(api.url, api.key, 'POST', '/v1/complaints', {
        domain: 'a.example',
        text: reason,
      });
      expect([201, 422]).toContain(told.status);
      const edited = await ask(api.url, api.key, 'PATCH', `/v1/crawls/${crawl}`, {
        maxDepth: 7,
        note: reason,
      });
      expect([200, 422]).toContain(edited.status);
    }
  });
});

describe('a request', () => {
  const get = (target: string, ...fields: readonly string[]): string =>
    head(`GET ${target} HTTP/1.1`, ...fields);
  it.each([
    ['/v1/crawls/%zz', 400],
    ['/v1/crawls/%zz/pages', 400],
    ['/v1/crawls/%c3%28', 400],
    ['/v1/hosts/%', 400],
    ['/v1/tenants/%ff', 400],
    ['/v1/crawls/..%2f1', 404],
    ['/v1/crawls/..%2f..%2fhealthz', 404],
    ['/v1/crawls/%2e%2e/tenants', 404],
    ['/v1/crawls/../tenants/1/../../crawls', 404],
    ['/docs/..%2f..%2fpackage.json', 404],
    ['/docs/package.json', 404],
    ['/docs/%2e%2e/%2e%2e/package.json', 404],
    ['//v1/crawls', 404],
    ['/v1/crawls/1%00', 404],
    ['/v1/crawls/99999999999999999999999999', 404],
    ['/v1/tenants/99999999999999999999999999', 404],
    ['/v1/keys/1', 404],
  ])('for %s is answered %d', async (target, status) => {
    await expectRefused(() => raw(get(target, `Authorization: Bearer ${api.key}`)), status, /./);
  });

  it.each<[string, string, number, RegExp]>([
    ['a method that HTTP does not have', 'BREW /v1/crawls HTTP/1.1', 400, /does not begin with a method/],
    ['a method that is of no use here', 'PROPFIND /v1/crawls HTTP/1.1', 405, /PROPFIND is not allowed here/],
    ['another protocol', 'HELO localhost', 400, /as HTTP|method of HTTP/],
    ['a target that is none', 'GET v1 crawls HTTP/1.1', 400, /could not be read as HTTP/],
    ['bytes', '\u0016\u0003\u0001\u0002\u0000', 400, /as HTTP|method of HTTP/],
  ])('with %s is refused', async (_what, start, status, words) => {
    await expectRefused(() => raw(head(start)), status, words);
  });

  it('without a host, or with a head without end, is refused', async () => {
    await expectRefused(() => raw('GET /v1/crawls HTTP/1.1\r\nConnection: close\r\n\r\n'), 400, /no host/);
    const flood = Array.from({ length: 20_000 }, (_, index) => `X-${String(index)}: x`);
    await expectRefused(() => raw(get('/v1/crawls', ...flood)), 431, new RegExp(String(maxHeadBytes)));
    await expectRefused(() => raw(get('/v1/crawls', `X: ${'x'.repeat(maxHeadBytes)}`)), 431, /header fields/);
    await expectRefused(() => raw(get(`/v1/crawls?label=${'x'.repeat(maxHeadBytes)}`)), 431, /request line/);
  });

  it('with several Host fields is refused, whichever of them is ours', async () => {
    for (const host of ['localhost', 'evil.example']) {
      const { status, problem } = await raw(head('GET /healthz HTTP/1.1', `Host: ${host}`));
      expect([status, problem.detail]).toEqual([
        400,
        'The request names several hosts: send one Host field.',
      ]);
    }
  });

  it('with a whole address for its target is for the host of that address (RFC 9112, section 3.2.2)', async () => {
    const { status } = await raw(get('http://evil.example/healthz'));
    expect(status).toBe(400);
    expect((await rawAnswer(get('http://localhost/healthz'))).startsWith('HTTP/1.1 200')).toBe(true);
  });

  it('behind another one on the same connection is refused as well', async () => {
    const answer = await rawAnswer('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nNONSENSE\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('behind one that is still being answered ends the connection, and puts nothing into that answer', async () => {
    const feed = get(
      `/v1/crawls/${crawl}/events`,
      'Accept: text/event-stream',
      `Authorization: Bearer ${api.key}`,
    );
    const answer = await rawAnswer(feed.replace('Connection: close\r\n', ''), async (received) => {
      await until('the feed has begun', () => received().includes('text/event-stream'));
      return 'NONSENSE\r\n\r\n';
    });
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200']);
    expect(answer).not.toContain('problem');
  });
});

describe('a query', () => {
  const document = openApiDocument('0').paths ?? {};
  const reading = Object.keys(accessTable).flatMap((route) => {
    const [method = '', path = ''] = route.split(' ');
    const parameters = document[path]?.get?.parameters ?? [];
    const names = parameters.flatMap((each) => ('in' in each && each.in === 'query' ? [each.name] : []));
    return method === 'GET' && names.length > 0 ? [{ path, names }] : [];
  });
  const values = ['', '%00', '%ff', '%zz', '-1', '1e9', '99999999999999999999', "'; drop table crawl; --", 'x'.repeat(9_000)]; // prettier-ignore
  it.each(reading)('$path is answered or refused, whatever is in $names', async ({ path, names }) => {
    const filled = path
      .replace('{crawlId}', crawl)
      .replace('{url}', encodeURIComponent('https://a.example/'));
    const before = await rows();
    for (const name of [...names, 'unknown'])
      for (const value of values) {
        const controller = new AbortController();
        const response = await fetch(`${api.url}${filled}?${name}=${value}`, { signal: controller.signal });
        expect(response.status, `${name}=${value.slice(0, 50)}`).toBeLessThan(500);
        // Feeds do not end by themselves.
        controller.abort();
      }
    expect(await rows()).toEqual(before);
  });

  it('given twice is refused', async () => {
    await expectRefused(() => raw(head('GET /v1/crawls?limit=1&limit=2 HTTP/1.1')), 400, /limit/);
  });
});

describe('a cursor', () => {
  it('of another tenant, of another list, or made up is refused', async () => {
    const tenant = await newTenant(pool);
    const [mine, theirs] = [api.key, await newKey(pool, tenant, 'operator')];
    for (const token of [mine, theirs])
      for (let index = 0; index < 2; index++)
        await ask(api.url, token, 'POST', '/v1/crawls', {
          seeds: ['https://a.example/', 'https://b.example/'],
        });
    const nextOf = async (token: string, path: string): Promise<string> => {
      const { body } = await ask<{ next: string | null }>(api.url, token, 'GET', `${path}?limit=1`);
      expect(body.next).toBeTypeOf('string');
      return encodeURIComponent(body.next ?? '');
    };
    const others = await nextOf(theirs, '/v1/crawls');
    const own = await nextOf(mine, '/v1/crawls');
    expect((await ask(api.url, mine, 'GET', `/v1/crawls?cursor=${own}`)).status).toBe(200);
    const flipped = own.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const inverted = `${own.startsWith('A') ? 'B' : 'A'}${own.slice(1)}`;
    for (const cursor of [
      others,
      inverted,
      own.slice(1),
      `${own}${own}`,
      crawl,
      'null',
      '..%2f',
      flipped.slice(0, 20),
    ])
      await expectRefused(
        () => raw(head(`GET /v1/crawls?cursor=${cursor} HTTP/1.1`, `Authorization: Bearer ${mine}`)),
        400,
        /^cursor: not a cursor that this API gave/,
      );
    for (const path of [
      `/v1/crawls/${crawl}/seeds`,
      `/v1/crawls/${crawl}/pages`,
      '/v1/audit-log',
      '/v1/keys',
    ])
      await expectRefused(
        () => raw(head(`GET ${path}?cursor=${own} HTTP/1.1`, `Authorization: Bearer ${mine}`)),
        400,
        /^cursor: not a cursor that this API gave/,
      );
  });
});
