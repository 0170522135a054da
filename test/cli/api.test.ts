/**
 * Servers that do not answer, or not as Orbweaver does, and options that cannot be: one sentence each.
 * @module-tag long
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApi } from '../../cli/api/api.ts';
import type { ApiAddress } from '../../cli/api/request.ts';
import { crawlLines } from '../../cli/tools/up.ts';
import { ownId } from '../../stack/processes.ts';
import { writeStackInfo, type StackInfo } from '../../stack/info.ts';
import { readQuotas, tenantLines } from '../../cli/admin/tenants.ts';
import { closedEndpoint } from '../support/loopback.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { serving } from './serving.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();
let data: Record<string, string>;
beforeAll(() => {
  data = { ORBWEAVER_DATA: path.join(folder, 'none') };
});

const address = (url: string, patienceMs = 0): ApiAddress => ({
  url,
  key: null,
  patienceMs,
  silent: (why) => `silent: ${why}`,
});
const noQuotas = {
  ...{ crawlsAtOnce: null, crawlsPerDay: null, urlsPerDay: null, urlsTotal: null, storedBytes: null },
  ...{ requestsPerSecond: null, jobsPerUser: null },
};
const oneSentence = ({ stderr }: CliResult): void => {
  expect(stderr).toMatch(/^orbweaver: [^\n]+\.\n$/);
};

describe('a server', () => {
  it('that is not there is asked for a while, and then told of', async () => {
    const gone = await closedEndpoint();
    const result = await runCli(['crawls', 'list', '--server', gone.origin], data);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    oneSentence(result);
    expect(result.stderr).toMatch(/does not answer: the connection was refused/);
  });

  it.each<[string, RequestListener]>([
    [
      'a web page',
      (_request, response) => response.setHeader('content-type', 'text/html').end('<p>Hello</p>'),
    ],
    ['a page that is not there', (_request, response) => response.writeHead(404).end('no')],
    ['a redirect', (_request, response) => response.writeHead(302, { location: 'http://x.example/' }).end()],
    [
      'other JSON',
      (_request, response) => response.setHeader('content-type', 'application/json').end('{"a": 1}'),
    ],
    [
      'broken JSON',
      (_request, response) => response.setHeader('content-type', 'application/json').end('{"items": ['),
    ],
  ])('that answers with %s is no Orbweaver', async (_name, listener) => {
    const seen: (string | undefined)[] = [];
    const result = await serving(
      (request, response) => {
        seen.push(request.headers.authorization);
        listener(request, response);
      },
      (url) => runCli(['crawls', 'list', '--server', url, '--key', 'owk_secret'], data),
    );
    expect(result).toMatchObject({ code: 1, stdout: '' });
    oneSentence(result);
    expect(result.stderr).toMatch(/not an Orbweaver API that this version understands/);
    expect(seen).toEqual(['Bearer owk_secret']);
  });

  it('that says the same cursor for ever, or nothing more, is not asked for ever', async () => {
    let asked = 0;
    const listener: RequestListener = (_request, response) => {
      asked++;
      response.setHeader('content-type', 'application/json').end('{"items": ["a"], "next": "x"}');
    };
    const items: string[] = [];
    await serving(listener, async (url) => {
      for await (const item of createApi(address(url)).list('/v1/things', z.string())) items.push(item);
    });
    expect({ asked, items }).toEqual({ asked: 2, items: ['a', 'a'] });
  });

  it('that says that there is no more for now is asked no further, whatever its cursor', async () => {
    let asked = 0;
    const listener: RequestListener = (_request, response) => {
      asked++;
      const page = { items: ['a'], next: `sealed-${String(asked)}`, more: asked < 3 };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
    };
    const items: string[] = [];
    await serving(listener, async (url) => {
      for await (const item of createApi(address(url)).list('/v1/things', z.string())) items.push(item);
    });
    expect(items).toEqual(['a', 'a', 'a']);
  });

  it('that has an empty page with more behind it is asked on', async () => {
    const pages = [
      { items: ['a'], next: 'x' },
      { items: [], next: 'y' },
      { items: ['b'], next: null },
    ];
    const listener: RequestListener = (_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(pages.shift()));
    };
    const items: string[] = [];
    await serving(listener, async (url) => {
      for await (const item of createApi(address(url)).list('/v1/things', z.string())) items.push(item);
    });
    expect(items).toEqual(['a', 'b']);
  });

  it('that fails in the middle of a list is asked again for that page, not sooner than it says', async () => {
    const page = (item: string, next: string | null) =>
      [200, JSON.stringify({ items: [item], next })] as const;
    const answers = [
      page('a', 'x'),
      [503, '{"detail": "away"}'] as const,
      [500, '{"detail": "broken"}'] as const,
      [200, ''] as const,
      [429, '{"detail": "too many"}'] as const,
      page('b', null),
    ];
    const asked: { readonly cursor: string | null; readonly at: number }[] = [];
    const listener: RequestListener = (request, response) => {
      const cursor = new URL(request.url ?? '', 'http://x').searchParams.get('cursor');
      asked.push({ cursor, at: performance.now() });
      const [status, body] = answers.shift() ?? [404, '{"detail": "asked too often"}'];
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(status === 429 && { 'retry-after': '2' }),
        // A body that is promised, and cut off.
        ...(body === '' && { 'content-length': '100' }),
      });
      if (body === '') response.write('{"items"', () => response.destroy());
      else response.end(body);
    };
    const items: string[] = [];
    await serving(listener, async (url) => {
      for await (const item of createApi(address(url)).list('/v1/things', z.string())) items.push(item);
    });
    expect(items).toEqual(['a', 'b']);
    expect(asked.map(({ cursor }) => cursor)).toEqual([null, 'x', 'x', 'x', 'x', 'x']);
    expect((asked[5]?.at ?? 0) - (asked[4]?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('that asks for a longer pause than a list can wait for is not asked again', async () => {
    let asked = 0;
    const listener: RequestListener = (_request, response) => {
      asked++;
      const spent = asked > 1;
      response.writeHead(spent ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '3600' });
      response.end(spent ? '{"detail": "spent"}' : '{"items": ["a"], "next": "x"}');
    };
    await serving(listener, async (url) => {
      const all = createApi(address(url)).list('/v1/things', z.string());
      expect(await all.next()).toEqual({ done: false, value: 'a' });
      await expect(all.next()).rejects.toThrow('spent');
    });
    expect(asked).toBe(2);
  });

  it('that cuts the connection is asked again only for what it may be asked twice', async () => {
    const seen: string[] = [];
    const cutting: RequestListener = (request, response) => {
      seen.push(`${request.method ?? ''} ${String(request.headers['idempotency-key'] !== undefined)}`);
      if (seen.length % 2 === 0) response.setHeader('content-type', 'application/json').end('"fine"');
      else request.socket.destroy();
    };
    await serving(cutting, async (url) => {
      const api = createApi(address(url, 30_000));
      expect(await api.get('/v1/x', z.string())).toBe('fine');
      expect(await api.create('/v1/x', z.string(), {})).toBe('fine');
      await expect(api.change('PATCH', '/v1/x', z.string())).rejects.toThrow(
        /silent: the connection was cut/,
      );
    });
    expect(seen).toEqual(['GET false', 'GET false', 'POST true', 'POST true', 'PATCH false']);
  });
});

describe('bad use', () => {
  const server = ['--server', 'http://127.0.0.1:9'];
  it.each<[string[], RegExp]>([
    [['pause', '1'], /No stack is running\. Start one with orbweaver up, or name another with --server/],
    [['status', '--key', 'owk_x'], /No stack is running/],
    [['crawls', 'list', '--server', 'crawler.example'], /--server must be a URL such as/],
    [['crawls', 'list', '--server', 'ftp://crawler.example'], /--server must be a URL such as/],
    [
      ['crawls', 'list', '--server', 'http://a:b@crawler.example'],
      /--server must not contain a user, password/,
    ],
    [['crawls', 'list', ...server, '--key', 'a b'], /--key does not hold a key or token/],
    [['crawls', 'list', ...server, '--key', 'a', '--key-file', 'b'], /--key or --key-file, not both/],
    [
      ['crawls', 'list', ...server, '--key-file', '/nowhere'],
      /The key file \/nowhere cannot be read: there is no such/,
    ],
    [['crawls', 'list', '--limit', '0'], /--limit/],
    [['crawls', 'start', ...server], /Give at least one URL/],
    [['crawls', 'start', 'nonsense', ...server], /"nonsense" is not an absolute URL/],
    [['pause', 'x'], /must be the number of a crawl/],
    [['keys', 'create', 'x', ...server], /--role/],
    [['keys', 'create', ' x', '--role', 'reader', ...server], /The name cannot be used: printable text/],
    [['keys', 'create', 'x', '--role', 'reader', '--scopes', 'all', ...server], /--scopes cannot be used/],
    [['keys', 'create', 'x', '--role', 'reader', '--expires', 'soon', ...server], /--expires cannot be used/],
    [['keys', 'create', 'x', '--role', 'reader', '--id', ...server], /--id would hide the key/],
    [
      ['tenants', 'create', 'x', '--quota', 'crawls=1', ...server],
      /There is no quota "crawls"; the quotas are crawlsAtOnce/,
    ],
    [['tenants', 'create', 'x', '--quota', 'urlsTotal=many', ...server], /must be a whole number, or none/],
    [['tenants', 'set', '7', ...server], /Say what to set/],
    [['tenants', 'close', 'acme'], /must be the number of a tenant/],
  ])('%j', async (args, words) => {
    const result = await runCli(args, data);
    expect(result.stderr).toMatch(words);
    expect(result).toMatchObject({ code: 2, stdout: '' });
  });

  it.each<[string, Partial<StackInfo>, string[][]]>([
    ['API', { apiUrl: null }, [['crawls', 'list'], ['host', 'pause', 'https://a.example'], ['cancel', '1']]],
    ['Temporal', { hasTemporal: false }, [['host', 'pause', 'https://a.example'], ['replay'], ['temporal']]],
    ['workers', { hasWorkers: false }, [['crawls', 'start', 'https://a.example/'], ['pause', '1']]],
  ])('a stack of another verb that has no %s', async (lacking, parts, verbs) => {
    const dataDir = path.join(folder, `of-another-${lacking}`);
    mkdirSync(path.join(dataDir, 'run'), { recursive: true });
    writeStackInfo({
      ...{ owner: 'crawl', dataDir, launcher: ownId(), startedAt: new Date().toISOString() },
      ...{ postgresUrl: '', temporalAddress: '127.0.0.1:9', temporalNamespace: 'default', temporalUiUrl: null },
      ...{ redisUrl: null, apiUrl: 'http://127.0.0.1:9', hasTemporal: true, hasWorkers: true },
      ...parts,
    });
    for (const verb of verbs) {
      const result = await runCli(verb, { ORBWEAVER_DATA: dataDir });
      expect(result.stderr).toBe(
        `orbweaver: Another command (process ${String(process.pid)}) runs a stack for itself that has no ${lacking}. Try again once that command has ended.\n`,
      );
      expect(result.code).toBe(2);
    }
  }); // prettier-ignore

  it('a key file in which there is no key', async () => {
    const file = path.join(folder, 'empty');
    writeFileSync(file, '\n');
    const result = await runCli(['tenant', ...server, '--key-file', file], data);
    expect(result).toMatchObject({ code: 2, stderr: `orbweaver: There is no key or token in ${file}.\n` });
  });
});

it('up says that other tenants may have crawls', async () => {
  const tenant = { name: 'x', createdAt: '2031-01-01T00:00:00.000Z', closedAt: null, quotas: noQuotas };
  const of = (...tenants: object[]): RequestListener => (request, response) => {
    const items = request.url?.startsWith('/v1/tenants') === true ? tenants : [];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ items, next: null }));
  }; // prettier-ignore
  const lines = (...tenants: object[]) =>
    serving(of(...tenants), (url) => crawlLines(createApi(address(url))));
  const [first, second] = [
    { ...tenant, id: '1' },
    { ...tenant, id: '2' },
  ];
  expect(await lines(first, { ...second, closedAt: tenant.createdAt })).toEqual([]);
  expect(await lines(first, second)).toEqual(['The crawls of 1 other tenant are not listed here.']);
});

describe('tenants', () => {
  it('have quotas by name, none takes one off', () => {
    expect(readQuotas(['crawlsAtOnce=5', 'urlsTotal=none'])).toEqual({ crawlsAtOnce: 5, urlsTotal: null });
  });

  it('are shown with what is used', () => {
    const quotas = {
      crawlsAtOnce: 5,
      crawlsPerDay: null,
      urlsPerDay: null,
      urlsTotal: 1_000_000,
      storedBytes: null,
      requestsPerSecond: 20,
      jobsPerUser: null,
    };
    const used = { crawlsAtOnce: 2, crawlsPerDay: 3, urlsPerDay: 4, urlsTotal: 5_000, storedBytes: 6 };
    const lines = tenantLines({ id: '7', name: 'acme', quotas, used, createdAt: '', closedAt: null });
    expect(lines).toContain('urlsTotal          1,000,000  5,000');
    expect(lines).toContain('requestsPerSecond  20');
  });
});
