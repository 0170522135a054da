/** A crawl with a session: it does not end the session itself, and stops at the host where the session has ended. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { summaryLines } from '../../../cli/look/summary.ts';
import { reaches } from '../../../domain/session/session.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { partsOf } from '../../../engine/sessions/session-parts.ts';
import type { NewSession } from '../../../contracts/http/sessions.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import {
  giveSession,
  retrySession,
  type Renewed,
  sealHeaders,
  SecretKeys,
  type SessionPart,
} from '../../../storage/sessions/index.ts';
import { proxies } from '../../support/egress-proxies.ts';
import { testKeys } from '../../support/keys.ts';
import { until } from '../../support/until.ts';
import { addTenant, like, tables, tablesWith } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, noting, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { page, redirect, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const html =
  (text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(text);
  };
const form = '<form><input name=u><input type=password name=p><button>Log in</button></form>';
const prose = '<p>The issue is about the harbour and its old cranes, and who mends them.</p>'.repeat(4);

interface Signed {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
  readonly states: () => Promise<Record<string, string>>;
}

/** A site that knows the cookie `id=live`, and shows a login in the given way to anybody else. */
async function signedIn(asks: Answer, paths: readonly string[], cookie = 'id=live'): Promise<Signed> {
  const site = await startSite();
  const member =
    (answer: Answer): Answer =>
    (response, request, visit) => {
      (request.headers.cookie === 'id=live' ? answer : asks)(response, request, visit);
    };
  site.answers = new Proxy(
    {},
    {
      get: (_, path: string) =>
        path === '/robots.txt' || path === '/' ? undefined : member(html(`<h1>${path}</h1>${prose}`)),
    },
  );
  const { host, crawl } = await fetching.queued(site.origin, paths, { headers: { Cookie: cookie } }, [
    `${site.origin}/start`,
  ]);
  await tables.url.change(pool, { crawl_id: crawl, url: like('%/start') }, { seed: true });
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(await fetching.urls(crawl, site.origin)).map(([path, { state, reason }]) => [
        path,
        `${state} ${reason ?? ''}`.trim(),
      ]),
    );
  return { site, host, crawl, states };
}

const explain = (crawl: number, url: string) => explainUrlOf(pool, String(crawl), url, 'Orbweaver/0.0');
const configOf = async (crawl: number): Promise<object> =>
  (await tables.crawl.row(pool, { id: crawl })).config;
const read = (session: NewSession): readonly SessionPart[] => {
  const found = partsOf(session);
  if (!found.ok) throw new Error(found.problem);
  return found.parts;
};
const noted = (told: Renewed[]) => (renewed: Renewed) => {
  told.push(renewed);
  return Promise.resolve();
};
/** Answers what followed, batch by batch. */
async function give(
  crawl: number,
  parts: readonly SessionPart[],
  keys = testKeys,
): Promise<readonly Renewed[]> {
  const told: Renewed[] = [];
  await giveSession(pool, keys, crawl, parts, reaches, noted(told));
  return told;
}
const bearerAt = (origin: string): NewSession => ({ origin, bearer: 't0ken' });
const given = <T>(value: T | null): T => {
  if (value === null) throw new Error('nothing is there');
  return value;
};

const toLogin = redirect('/login?next=/start', 302);
const refuse = status(401, { 'www-authenticate': 'Basic' });

describe('a session that has ended', () => {
  it.each([
    ['a redirect to a login', toLogin],
    ['a login form in place of the page', html(`<title>Library</title><h1>Log in</h1>${form}`)],
    ['401', refuse],
  ])('keeps all URLs of its crawl queued there, and no host from anybody: %s', async (_, asks) => {
    const { site, host, crawl, states } = await signedIn(asks, ['/start', '/a', '/b'], 'id=dead');
    const other = await fetching.crawl();
    await fetching.queue(other, host, '/', '/about');
    await tables.crawl.change(pool, { id: other }, { tenant_id: await addTenant(pool, site.origin) });
    site.answers = { ...site.answers, '/start': asks, '/a': asks, '/b': asks };
    await fetching.role().fetchSlice(host);
    expect(await states()).toEqual({ '/start': 'queued session-ended', '/a': 'queued', '/b': 'queued' });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 3, done: 0, failed: 0 });
    expect(Object.values(await fetching.urls(other, site.origin)).map(({ state }) => state)).toEqual([
      'done',
      'done',
    ]);
    expect(await tables.host.row(pool, { id: host.hostId })).toMatchObject({ parked_at: null, failures: 0 });
    const explained = JSON.stringify(await explain(crawl, `${site.origin}/start`));
    expect(explained).toContain('The site has logged the crawl out since');
    expect((await viewCrawl(pool, String(crawl)))?.hosts).toMatchObject({ parked: 1 });

    // Nothing more is sent for it, though somebody visits the host.
    const sent = site.hits.length;
    await fetching.role().fetchSlice(host);
    expect(site.hits).toHaveLength(sent);
  });

  it('goes on where it was with another one, and no request comes too soon', async () => {
    const { site, host, crawl, states } = await signedIn(toLogin, ['/start', '/a', '/b', '/c'], 'id=live');
    await tables.crawl.change(
      pool,
      { id: crawl },
      { config: { ...(await configOf(crawl)), delaySeconds: 0.3 } },
    );
    const { answers } = site;
    const dead: Answer = (response, request, visit) =>
      (/id=next/.test(request.headers.cookie ?? '') ? html(prose) : toLogin)(response, request, visit);
    site.answers = new Proxy({}, { get: (_, path: string) => (/^.[bc]$/.test(path) ? dead : answers[path]) });
    const { fetcher, departed } = noting(fetching.dependencies().fetcher);
    const worker = fetching.role({}, { fetcher });
    await worker.fetchSlice(host);
    await tables.url.change(pool, { crawl_id: crawl, reason: 'session-ended' }, { due_at: new Date(0) });
    await worker.fetchSlice(host);
    // The first that asks for a login may be a page that is closed to its owner; the second shows that it is not.
    expect(await states()).toEqual({
      ...{ '/start': 'done fetched', '/a': 'done fetched' },
      ...{ '/b': 'queued session-ended', '/c': 'queued session-ended' },
    });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 2, done: 2, failed: 0 });

    const cookies = `[{"name": "id", "value": "next", "domain": "${new URL(site.origin).hostname}"}]`;
    const renewed = await give(crawl, read({ cookies }));
    expect(renewed).toEqual([{ hosts: [Number(host.hostId)], reopened: false }]);
    // A worker knows of the session within a second.
    await until('all is fetched', async () => {
      await worker.fetchSlice(host);
      return Object.values(await states()).every((state) => state === 'done fetched');
    });
    expect(site.paths()).toEqual(['/robots.txt', '/start', '/a', '/b', '/c', '/c', '/b']);
    const gaps = departed.slice(1).map((at, index) => at - (departed[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(300);
  });

  it('has it ask once more where its owner says so, and out again where it is still over', async () => {
    const { site, host, crawl, states } = await signedIn(toLogin, ['/start', '/a'], 'id=dead');
    for (let times = 1; times <= 3; times++) {
      await fetching.role().fetchSlice(host);
      expect(site.paths().filter((path) => path === '/start')).toHaveLength(times);
      expect(Object.values(await states()).every((state) => state.startsWith('queued'))).toBe(true);
      const told: Renewed[] = [];
      await retrySession(pool, crawl, noted(told));
      expect(told).toMatchObject([{ hosts: [Number(host.hostId)] }]);
    }
  });

  it('shows for certain by a text that its owner has named, among pages that anybody sees', async () => {
    const { site, host, crawl, states } = await signedIn(toLogin, ['/start', '/a', '/b'], 'id=dead');
    const { answers } = site;
    site.answers = new Proxy({}, { get: (_, path: string) => (path === '/a' ? answers[path] : html(prose)) });
    await give(crawl, read({ ...bearerAt(site.origin), loggedOutText: '/login?next=' }));
    await fetching.role().fetchSlice(host);
    expect(await states()).toEqual({
      ...{ '/start': 'done fetched', '/a': 'queued session-ended', '/b': 'queued' },
    });
  });

  it('is not blamed for an answer to the one before', async () => {
    const { site, host, crawl, states } = await signedIn(toLogin, ['/start'], 'id=dead');
    const late: Answer = (response, request, visit) => {
      void give(crawl, read(bearerAt(site.origin))).then(() => {
        toLogin(response, request, visit);
      });
    };
    site.answers = { '/start': late };
    await fetching.role().fetchSlice(host);
    expect(await states()).toEqual({ '/start': 'queued session-ended' });
    expect(await tables.queue.row(pool, { crawl_id: crawl })).toMatchObject({ logged_out_at: null });
  });

  it('is one that cannot be opened here: nothing is sent without it', async () => {
    const { site, host, crawl } = await fetching.site(['/a'], {});
    const elsewhere = new SecretKeys(() => [randomBytes(32)]);
    await give(crawl, read(bearerAt(site.origin)), elsewhere);
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(JSON.stringify(await explain(crawl, `${site.origin}/a`))).toContain('ORBWEAVER_SECRET_KEY');
  });
});

describe('a session of a crawl', () => {
  it('goes to its origin alone, and never with robots.txt', async () => {
    const { site, host, crawl } = await fetching.site(['/a', '/in/b'], {});
    const other = await startSite();
    const { hostId } = await fetching.host(other.origin);
    await fetching.queue(crawl, { hostId, origin: other.origin }, '/a');
    await give(crawl, read({ ...bearerAt(site.origin), path: '/in' }));
    await fetching.role().fetchSlice(host);
    await fetching.role().fetchSlice({ hostId, origin: other.origin });
    const sent = [...site.hits, ...other.hits].map(({ path, headers }) => [path, headers.authorization]);
    expect(sent).toEqual([
      ['/robots.txt', undefined],
      ['/a', undefined],
      ['/in/b', 'Bearer t0ken'],
      ['/robots.txt', undefined],
      ['/a', undefined],
    ]);
  });

  it('leaves links alone that would end it, also those that were found before', async () => {
    const { site, host, crawl } = await fetching.site(['/a', '/logout'], {});
    await give(crawl, read(bearerAt(site.origin)));
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a']);
    const { '/logout': left } = await fetching.urls(crawl, site.origin);
    expect(left).toMatchObject({ state: 'excluded', reason: 'session-link' });
    for (const path of ['/a', '/logout'])
      expect(JSON.stringify(await explain(crawl, site.origin + path))).toContain('session-link');
  });

  it('shows in no table, no log and no archive, whatever the site answers', async () => {
    const secret = 'Zx9-s3cret-7Qp';
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
    const answers = { '/a': page('x', { 'set-cookie': `id=${secret}` }), '/b': toLogin, '/c': toLogin };
    const { site, host, crawl } = await fetching.site(Object.keys(answers), {
      answers,
      config: { keepCookies: true, headers: sealHeaders(testKeys, 1, { 'X-Own': `${secret}-own` }) },
    });
    await tables.url.change(pool, { crawl_id: crawl, url: like('%/a') }, { seed: true });
    const domain = new URL(site.origin).hostname;
    const cookies = JSON.stringify([{ name: 'id', value: secret, domain }]);
    await give(crawl, read({ cookies }));
    await give(crawl, read({ origin: site.origin, bearer: secret }));
    await fetching.role({}, { log }).fetchSlice(host);
    expect(site.hits[1]?.headers).toMatchObject({
      cookie: `id=${secret}`,
      authorization: `Bearer ${secret}`,
    });
    expect(await tablesWith(pool, secret)).toEqual([]);
    expect(lines.join()).toContain('logged the crawl out');
    expect(lines.join()).not.toContain(secret);
    const { content_hash: hash } = await tables.url.row(pool, { crawl_id: crawl, url: like('%/a') });
    expect(JSON.stringify(await fetching.blobs.answer(given(hash)))).not.toContain(secret);
  });

  it('leaves nothing of itself in the archive, nor are its answers those of another crawl', async () => {
    const answer = page('mine', { etag: '"1"', 'set-cookie': 'id=s3cret', 'x-auth-token': 's3cret' });
    const { site, host, crawl } = await fetching.site(['/a'], { answers: { '/a': answer } });
    await give(crawl, read(bearerAt(site.origin)));
    await fetching.role().fetchSlice(host);
    const { content_hash: hash } = await tables.url.row(pool, { crawl_id: crawl });
    const stored = await fetching.blobs.answer(given(hash));
    expect(JSON.stringify(stored)).not.toContain('s3cret');
    expect(JSON.stringify(stored)).toContain('etag');
    const later = await fetching.crawl();
    await fetching.queue(later, host, '/a');
    await fetching.role().fetchSlice(host);
    expect(site.hits.at(-1)?.headers).not.toHaveProperty('if-none-match');
  });
});

it('a page that alone asks for a login is tried last, and is what it is', async () => {
  const { site, host, states } = await signedIn(refuse, ['/home', '/start', '/b']);
  const { answers } = site;
  site.answers = new Proxy({}, { get: (_, path: string) => (path === '/start' ? refuse : answers[path]) });
  await fetching.role().fetchSlice(host);
  await tables.url.change(pool, { reason: 'session-ended' }, { due_at: new Date(0) });
  await fetching.role().fetchSlice(host);
  expect(await states()).toMatchObject({ '/b': 'done fetched', '/start': 'failed forbidden' });
});

describe.each(Object.entries(proxies))('an egress proxy of a crawl, %s', (_, start) => {
  it('has all its requests, robots.txt too, and no request of another crawl', async () => {
    const { site, host, crawl } = await fetching.site(['/a'], {});
    const proxy = await start();
    await give(crawl, read({ proxy: proxy.url }));
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a']);
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(site.origin).host]));
    const asked = proxy.asked.length;
    const other = await fetching.crawl();
    await fetching.queue(other, host, '/b');
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/b']);
    expect(proxy.asked).toHaveLength(asked);
    expect(await tablesWith(pool, 'pr0xy-pass')).toEqual([]);
  });

  it('that is down keeps back this crawl alone, and the host is not blamed', async () => {
    const { site, host, crawl } = await fetching.site(['/a'], {});
    const [proxy, other] = [await start(), await fetching.crawl()];
    await fetching.queue(other, host, '/b', '/c');
    await give(crawl, read({ proxy: proxy.url }));
    proxy.close();
    await fetching.role().fetchSlice(host);
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/b', '/c']);
    expect(await tables.host.row(pool, { id: host.hostId })).toMatchObject({ failures: 0, last_error: null });
    const why = JSON.stringify(await explain(crawl, `${site.origin}/a`));
    expect(why).toContain(
      `not sent, since the proxy ${new URL(proxy.url).protocol}//${proxy.host} cannot be reached`,
    );
    const another = await start();
    await give(crawl, read({ proxy: another.url }));
    await fetching.role().fetchSlice(host);
    expect(site.paths().at(-1)).toBe('/a');
  });
});

it('a proxy by which all crawls of a host go, and that is down, keeps them back before robots.txt is read', async () => {
  const { site, host, crawl } = await fetching.site(['/a'], {});
  const proxy = await proxies.SOCKS5();
  const crawls = [crawl, await fetching.crawl()];
  await fetching.queue(given(crawls[1] ?? null), host, '/b');
  for (const each of crawls) await give(each, read({ proxy: proxy.url }));
  proxy.close();
  await fetching.role().fetchSlice(host);
  expect(site.hits).toEqual([]);
  for (const each of crawls) {
    const queue = await tables.queue.row(pool, { crawl_id: each });
    expect(queue.logged_out).toMatch(/^not sent, since the proxy .* cannot be reached/);
    expect(await expectExact(pool, each)).toMatchObject({ queued: 1, failed: 0 });
  }
  const unharmed = { failures: 0, last_error: null, parked_at: null };
  expect(await tables.host.row(pool, { id: host.hostId })).toMatchObject(unharmed);
});

describe('cookies that a host sets', () => {
  it('are not asked for where there is no key to keep them by', async () => {
    const { site, host, crawl } = await fetching.site(['/a'], { config: { keepCookies: true } });
    const keys = new SecretKeys(() => []);
    await fetching.role({}, { keys }).fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 1, failed: 0 });
    const why = JSON.stringify(await explain(crawl, `${site.origin}/a`));
    expect(why).toContain('not sent, since this process has no key to keep secrets by');
  });

  const sets = page('x', { 'set-cookie': 'seen=1; Path=/in' });

  it.each([
    [true, [undefined, 'seen=1', undefined, 'seen=2', 'seen=2']],
    [false, [undefined, undefined, undefined, undefined, undefined]],
  ])('are kept if the crawl was asked to: %s', async (keepCookies, sent) => {
    const paths = ['/a', '/in/b', '/c', '/in/d', '/in/e'];
    const { site, host, crawl } = await fetching.site(paths.slice(0, 2), {
      answers: { '/a': sets, '/c': page('x', { 'set-cookie': 'seen=2; Path=/in' }) },
      config: { keepCookies },
    });
    await fetching.role().fetchSlice(host);
    // Another process goes on with what was stored.
    await fetching.queue(crawl, host, ...paths.slice(2));
    await fetching.role().fetchSlice(host);
    const pages = site.hits.filter(({ path }) => path !== '/robots.txt');
    expect(pages.map(({ headers }) => headers.cookie)).toEqual(sent);
    expect(await tablesWith(pool, 'seen=')).toEqual([]);
  });
});

it('links that would end it are left out, counted, and explained', async () => {
  const { site, host, crawl, states } = await signedIn(refuse, ['/start']);
  const { answers } = site;
  const links = ['/issue?@action=logout', '/cart?add-to-cart=3', '/issue7'];
  const page = html(`${prose}${links.map((href) => `<a href="${href}" rel="author">x</a>`).join(' ')}`);
  site.answers = new Proxy({}, { get: (_, path: string) => (path === '/start' ? page : answers[path]) });
  await fetching.role().fetchSlice(host);
  await readBodies(fetching, host);
  expect(await states()).toEqual({
    '/start': 'done fetched',
    '/issue?@action=logout': 'excluded session-link',
    '/cart?add-to-cart=3': 'excluded session-link',
    '/issue7': 'queued',
  });
  const explained = await explainUrlOf(
    ...([pool, String(crawl), `${site.origin}/issue?@action=logout`, 'Orbweaver/0.0'] as const),
  );
  expect(JSON.stringify(explained)).toContain('the parameter \\"@action\\"');
});

it('without a session, pages that need a browser or a login are marked, and counted', async () => {
  const shell = '<div id="root"></div><script src="/bundle.js"></script>';
  const { site, host, crawl } = await fetching.site(['/a', '/b', '/c'], {
    answers: {
      '/a': html(shell),
      '/b': html(`<h1>Log in</h1>${form}`),
      '/c': html(prose),
    },
  });
  await fetching.role().fetchSlice(host);
  await readBodies(fetching, host);
  const view = await viewCrawl(pool, String(crawl));
  expect(view?.cut).toMatchObject({
    emptyShells: { places: 1, leftOut: 1 },
    loginForms: { places: 1, leftOut: 1 },
  });
  expect(summaryLines(view ?? never(), [])[0]).toMatch(
    /; 1 of 3 pages is an empty shell that needs a browser \(JavaScript\); 1 of 3 pages is a login form\.$/,
  );
  const explained = await explainUrlOf(pool, String(crawl), `${site.origin}/a`, 'Orbweaver/0.0');
  expect(JSON.stringify(explained)).toContain('hardly anything without a browser');
});

it('a crawl that follows no links fetches what it was given', async () => {
  const { site, host, crawl } = await fetching.site(['/a'], {
    answers: { '/a': html(`${prose}<a href="/b">b</a>`) },
    config: { follow: false },
  });
  await fetching.role().fetchSlice(host);
  await readBodies(fetching, host);
  expect(Object.keys(await fetching.urls(crawl, site.origin))).toEqual(['/a']);
  expect((await viewCrawl(pool, String(crawl)))?.cut).toMatchObject({ unlisted: { leftOut: 1 } });
  const explained = await explainUrlOf(pool, String(crawl), `${site.origin}/b`, 'Orbweaver/0.0');
  expect(JSON.stringify(explained)).toContain('follows no links');
});

function never(): never {
  throw new Error('there is no crawl');
}
