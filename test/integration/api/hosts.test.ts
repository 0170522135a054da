/** Hosts and their settings over HTTP (F05, F18). */
import { beforeEach, describe, expect, it } from 'vitest';
import type { HostSettingsChange, HostSummary, HostView } from '../../../contracts/hosts.ts';
import { readRegions } from '../../../domain/regions.ts';
import type { HostRobots } from '../../../contracts/http/host-robots.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { addHost, addUrl, changeHost, fromNow, robotsRead, setState } from '../../support/database/index.ts';
import { newCrawl, withApi } from './world.ts';
const woken: string[] = [];
let temporalIsAway = false;

const regions = readRegions('us; eu', 'eu:de', 60_000);
if ('problem' in regions) throw new Error(regions.problem);
const { pool, api } = withApi({
  regions,
  wakeHost: (origin) => {
    woken.push(origin);
    return temporalIsAway ? Promise.reject(new Error('away')) : Promise.resolve();
  },
});
beforeEach(() => {
  woken.length = 0;
  temporalIsAway = false;
});

interface Answer<T> {
  readonly status: number;
  readonly type: string | null;
  readonly body: T;
}

async function call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
  const response = await fetch(api.url + path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: (await response.json()) as T,
  };
}
const at = (origin: string): string => `/v1/hosts/${encodeURIComponent(origin)}`;
const set = <T = HostView>(origin: string, change: unknown): Promise<Answer<T>> =>
  call<T>('PATCH', `${at(origin)}/settings`, change);
const expectProblem = (answer: Answer<unknown>, status: number, words: RegExp): void => {
  expect(answer.status).toBe(status);
  expect(answer.type).toMatch(/^application\/problem\+json/);
  expect((answer.body as Problem).detail).toMatch(words);
};
const nothing = {
  delaySeconds: null,
  concurrency: null,
  windows: null,
  quotaPerDay: null,
  delayFactor: null,
  region: null,
};
const nights = { timeZone: 'Europe/Berlin', open: [{ days: ['mon', 'sun'], from: '22:00', to: '06:00' }] };

describe('the region', () => {
  it('is that of the setting, else of the name; a region that there is not is refused', async () => {
    const origin = 'https://here.de';
    const told = (name: string, by: string, of: string | null) => ({ name, by, of, fetchedFrom: name });
    expect((await set(origin, { quotaPerDay: 5 })).body.region).toEqual(told('eu', 'name', 'de'));
    expect((await set(origin, { region: 'us' })).body.region).toEqual(told('us', 'setting', null));
    expectProblem(
      await set(origin, { region: 'mars' }),
      422,
      /^There is no region mars\. Regions: us, eu\.$/,
    );
    expect((await call<HostView>('GET', at(origin))).body.settings.region).toBe('us');
  });
});

describe('settings', () => {
  it('are changed one by one and taken back, of a host that nobody has met too; its workflow is woken', async () => {
    const origin = 'https://own.example:8443';
    expectProblem(await call('GET', at(origin)), 404, /^No crawl has met https:\/\/own\.example:8443/);
    const all = {
      delaySeconds: 0.25,
      concurrency: 4,
      windows: nights,
      quotaPerDay: 500,
      delayFactor: 2.5,
      region: 'us',
    };
    const first = await set(origin, all);
    expect(first).toMatchObject({ status: 200, body: { origin, settings: all, crawls: [], queued: 0 } });
    expect(woken).toEqual([origin]);
    const changes: [HostSettingsChange, object][] = [
      [{ delaySeconds: 1.0049 }, { ...all, delaySeconds: 1.005 }],
      [{ delaySeconds: 0 }, { ...all, delaySeconds: 0 }],
      [
        { windows: null, concurrency: null },
        { ...nothing, delaySeconds: 0, quotaPerDay: 500, delayFactor: 2.5, region: 'us' },
      ],
      [{ delaySeconds: null, quotaPerDay: null, delayFactor: null, region: null }, nothing],
    ];
    for (const [change, expected] of changes) {
      expect((await set(origin, change)).body.settings).toEqual(expected);
      expect((await call<HostView>('GET', at(origin))).body.settings).toEqual(expected);
    }
  });

  it('are of an origin, however it is written', async () => {
    await set('HTTPS://Spelled.Example:443/', { quotaPerDay: 7 });
    expect(woken).toEqual(['https://spelled.example']);
    expect((await call<HostView>('GET', at('https://spelled.example'))).body.settings.quotaPerDay).toBe(7);
  });

  it('hold though Temporal cannot be told', async () => {
    temporalIsAway = true;
    expect(await set('https://away.example', { concurrency: 2 })).toMatchObject({
      status: 200,
      body: { settings: { concurrency: 2 }, woken: false },
    });
    temporalIsAway = false;
    expect(await set('https://away.example', { concurrency: 3 })).toMatchObject({ body: { woken: true } });
  });

  it.each<[string, unknown, RegExp]>([
    [
      'windows that never open',
      { windows: { ...nights, open: [] } },
      /^windows: Windows without an opening time never open\.$/,
    ],
    [
      'windows without days',
      { windows: { ...nights, open: [{ days: [], from: '01:00', to: '02:00' }] } },
      /has no days, so it never opens\.$/,
    ],
    [
      'windows of no length',
      { windows: { ...nights, open: [{ days: ['mon'], from: '01:00', to: '01:00' }] } },
      /it never opens;/,
    ],
    [
      'a zone there is not',
      { windows: { ...nights, timeZone: 'Mars/Olympus' } },
      /^windows: There is no time zone "Mars\/Olympus"/,
    ],
    [
      'a day there is not',
      { windows: { ...nights, open: [{ days: ['mo'], from: '01:00', to: '02:00' }] } },
      /^windows\.open\.0\.days\.0/,
    ],
    ['too many at once', { concurrency: 17 }, /^concurrency: /],
    ['none at once', { concurrency: 0 }, /^concurrency: /],
    ['a negative delay', { delaySeconds: -1 }, /^delaySeconds: /],
    ['no quota at all', { quotaPerDay: 0 }, /^quotaPerDay: /],
    ['a factor of nothing', { delayFactor: 0 }, /^delayFactor: /],
    ['a setting there is not', { speed: 3 }, /speed/],
    ['nothing', {}, /give at least one field to change/],
  ])('are refused in one sentence: %s', async (_, change, sentence) => {
    expectProblem(await set('https://refused.example', change), 422, sentence);
    expect(woken).toEqual([]);
  });

  it.each([
    'example.com',
    'ftp://example.com',
    'https://example.com/path',
    'https://user@example.com',
    'https://',
  ])('are of nothing but an origin: %s', async (text) => {
    expectProblem(await set(text, { quotaPerDay: 7 }), 400, /is not an origin such as/);
    expectProblem(await call('GET', at(text)), 400, /is not an origin such as/);
  });

  it('may be asked for and changed in no other way', async () => {
    expectProblem(await call('PUT', `${at('https://a.example')}/settings`, nothing), 405, /PATCH/);
    expectProblem(await call('POST', '/v1/hosts', {}), 405, /GET/);
  });
});

describe('GET /v1/hosts', () => {
  it('lists hosts in every state, page by page', async () => {
    const origins = ['parked', 'backoff', 'closed', 'active', 'idle', 'paused'].map(
      (name) => `https://${name}.list.example`,
    );
    const columns = [
      { parked_at: fromNow(), failures: 3, last_error: 'tls: bad' },
      { failures: 2, not_before: fromNow(3_600), last_error: 'overloaded: 503' },
      { closed_until: fromNow(7_200), fed: true },
      { fed: true },
      { fed: false },
      { paused_at: fromNow(), parked_at: fromNow(), fed: true },
    ];
    for (const [index, origin] of origins.entries()) {
      await addHost(pool, origin, columns[index]);
    }
    for (const [index, state] of ['parked', 'backoff', 'closed', 'active', 'idle', 'paused'].entries()) {
      const { body } = await call<{ items: HostSummary[] }>('GET', `/v1/hosts?state=${state}&limit=1000`);
      expect(body.items.map(({ origin }) => origin)).toContain(origins[index]);
      expect(new Set(body.items.map((item) => item.state))).toEqual(new Set([state]));
    }
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body }: Answer<{ items: HostSummary[]; next: string | null }> = await call(
        'GET',
        `/v1/hosts?limit=2${query}`,
      );
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ origin }) => origin));
      cursor = body.next;
    }
    expect(seen).toEqual([...new Set(seen)]);
    expect(seen).toEqual(expect.arrayContaining(origins));
  });

  it('refuses what it does not know', async () => {
    expectProblem(await call('GET', '/v1/hosts?state=tired'), 400, /^state: /);
    expectProblem(await call('GET', '/v1/hosts?cursor=x'), 400, /^cursor: /);
    expectProblem(await call('GET', '/v1/hosts?limit=0'), 400, /^limit: /);
  });
});

describe('GET /v1/hosts?match', () => {
  it('finds hosts by a pattern of their origin, piece by piece and together with a state', async () => {
    const origins = [1, 2, 3].map((n) => `https://sought-${String(n)}.example`);
    for (const origin of [...origins, 'https://aside.example', 'https://sought.example'])
      await addHost(pool, origin);
    await changeHost(pool, 'https://sought-2.example', { parked_at: fromNow() });
    const page = async (query: string) => {
      const { body } = await call<{ items: HostSummary[]; next: string | null }>(
        'GET',
        `/v1/hosts?match=${encodeURIComponent('https://sought-*')}${query}`,
      );
      return { origins: body.items.map(({ origin }) => origin), next: body.next };
    };
    expect(await page('')).toEqual({ origins, next: null });
    const first = await page('&limit=2');
    expect(first.origins).toEqual(origins.slice(0, 2));
    expect(await page(`&limit=2&cursor=${first.next ?? ''}`)).toEqual({
      origins: origins.slice(2),
      next: null,
    });
    expect(await page('&state=parked')).toEqual({ origins: origins.slice(1, 2), next: null });
    expectProblem(await call('GET', '/v1/hosts?match=re:('), 400, /^match: /);
  });
});

describe('GET /v1/hosts/{origin}/robots', () => {
  const robots = (origin: string, query = '') => call<HostRobots>('GET', `${at(origin)}/robots${query}`);

  it('tells the copy that holds, and what it says of a URL to us or to another agent', async () => {
    const origin = 'https://ruled.example';
    await addHost(pool, origin);
    expect((await robots(origin, '?url=/a')).body).toMatchObject({
      ...{ status: null, fetchedAt: null, body: null },
      verdict: { path: '/a', allowed: null, rule: null, line: null },
    });
    const body =
      'Sitemap: /map.xml\nUser-agent: *\nDisallow: /private\nCrawl-delay: 3\n\nUser-agent: other\nAllow: /';
    await robotsRead(pool, origin, { status: 200, body });
    expect((await robots(origin)).body).toMatchObject({
      ...{
        origin,
        status: 200,
        body,
        isCut: false,
        crawlDelaySeconds: 3,
        sitemaps: ['/map.xml'],
        verdict: null,
      },
    });
    const asked = `?url=${encodeURIComponent('https://RULED.example:443/private/x?y#z')}`;
    expect((await robots(origin, asked)).body.verdict).toEqual({
      ...{ path: '/private/x?y', allowed: false, rule: 'Disallow: /private', line: 3 },
    });
    expect((await robots(origin, `${asked}&agent=Other/2.0`)).body).toMatchObject({
      agent: 'orbweaver and other',
      verdict: { allowed: false },
    });
  });

  it('refuses hosts that nobody has met, and URLs of other hosts', async () => {
    expectProblem(await robots('https://unmet.example'), 404, /^No crawl has met https:\/\/unmet/);
    expectProblem(
      await robots('https://ruled.example', '?url=https://x.example/'),
      422,
      /^url: it is a URL of/,
    );
  });
});

describe('GET /v1/hosts/{origin}', () => {
  it('tells where a host stands, and what each crawl has there', async () => {
    const origin = 'https://stands.example';
    const [heavy, light] = [await newCrawl(pool, { weight: 5 }), await newCrawl(pool)];
    for (const crawl of [heavy, light]) await setState(pool, crawl, 'running', null);
    for (const path of ['/1', '/2']) await addUrl(pool, heavy, origin + path);
    await addUrl(pool, light, `${origin}/1`);
    await set(origin, { quotaPerDay: 40 });
    const requestsDay = new Date().toISOString().slice(0, 10);
    await changeHost(pool, origin, { requests_day: requestsDay, requests_used: 40 });
    const { body } = await call<HostView>('GET', at(origin));
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    expect(body).toMatchObject({
      queued: 3,
      closedBy: 'quota',
      opensAt: midnight.toISOString(),
      today: { requests: 40, quota: 40 },
      crawls: [
        { crawlId: heavy, state: 'running', queued: 2, leased: 0, weight: 5 },
        { crawlId: light, state: 'running', queued: 1, leased: 0, weight: 1 },
      ],
    });
  });

  it('names the next opening of one that is closed', async () => {
    const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' });
    const inTwoDays = day.format(Date.now() + 2 * 86_400_000).toLowerCase();
    const open = [{ days: [inTwoDays], from: '12:00', to: '13:00' }];
    const { body } = await set('https://closed.example', { windows: { timeZone: 'UTC', open } });
    expect(body).toMatchObject({ closedBy: 'windows', today: { requests: 0, quota: 100_000 } });
    const opens = new Date(Date.now() + 2 * 86_400_000);
    opens.setUTCHours(12, 0, 0, 0);
    expect(body.opensAt).toBe(opens.toISOString());
  });
});
