/** A crawl with a session: it does not end the session itself, and stops at the host where the session has ended. */
import { describe, expect, it } from 'vitest';
import { summaryLines } from '../../../cli/look/summary.ts';
import { buryingTroubles } from '../../../domain/trouble.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { bringBack, park } from '../../../storage/hosts/index.ts';
import { addTenant, like, tables } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { redirect, startSite, status, type Answer, type Site } from './site.ts';

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

const toLogin = redirect('/login?next=/start', 302);
const refuse = status(401, { 'www-authenticate': 'Basic' });

describe('a session that has ended', () => {
  it.each([
    ['a redirect to a login', toLogin],
    ['a login form in place of the page', html(`<title>Library</title><h1>Log in</h1>${form}`)],
    ['401', refuse],
  ])('parks its host, with all URLs queued: %s', async (_, asks) => {
    const { site, host, crawl, states } = await signedIn(asks, ['/start', '/a', '/b'], 'id=dead');
    await expect(fetching.role().fetchSlice(host)).rejects.toMatchObject({
      type: 'HostSpent',
      message: expect.stringMatching(/^session-ended: /) as string,
    });
    expect(site.paths()).toEqual(['/robots.txt', '/start']);
    await park(pool, host.hostId, 'session-ended: asked to log in', buryingTroubles);
    expect(await states()).toEqual({ '/start': 'queued session-ended', '/a': 'queued', '/b': 'queued' });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 3, done: 0, failed: 0 });
    // The host answers, which says nothing of the session.
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'pointless' });
    const explained = await explainUrlOf(
      ...([pool, String(crawl), `${site.origin}/start`, 'Orbweaver/0.0'] as const),
    );
    expect(JSON.stringify(explained)).toContain('the session of the crawl has ended');

    const { config } = await tables.crawl.row(pool, { id: crawl });
    const mended = { ...(config as object), headers: { Cookie: 'id=live' } };
    await tables.crawl.change(pool, { id: crawl }, { config: mended });
    await bringBack(pool, host.hostId);
    await fetching.role().fetchSlice(host);
    expect(await states()).toEqual({ '/start': 'done fetched', '/a': 'done fetched', '/b': 'done fetched' });
  });

  it('parks it still where the host is retried without another session', async () => {
    const { host, states } = await signedIn(toLogin, ['/start', '/a'], 'id=dead');
    for (let times = 0; times < 3; times++) {
      await expect(fetching.role().fetchSlice(host)).rejects.toMatchObject({ type: 'HostSpent' });
      await park(pool, host.hostId, 'session-ended: asked to log in', buryingTroubles);
      expect(Object.values(await states()).every((state) => state.startsWith('queued'))).toBe(true);
      await bringBack(pool, host.hostId);
    }
  });

  it('stops no crawl of another tenant: its URLs become dead letters there', async () => {
    const { site, host, crawl } = await signedIn(toLogin, ['/start', '/a'], 'id=dead');
    const other = await fetching.crawl();
    await fetching.queue(other, host, '/start');
    await tables.crawl.change(pool, { id: other }, { tenant_id: await addTenant(pool, 'another') });
    await fetching.role().fetchSlice(host);
    const { '/start': mine } = await fetching.urls(crawl, site.origin);
    expect(mine).toMatchObject({ state: 'failed', reason: 'session-ended' });
    const { '/start': theirs } = await fetching.urls(other, site.origin);
    expect(theirs).toMatchObject({ state: 'done', reason: 'redirect' });
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
  expect(JSON.stringify(explained)).toContain('an empty shell and needs a browser');
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
