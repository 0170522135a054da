/**
 * The console on the whole stack (F47): what a new user does in a browser, what a hostile site cannot do there, and how
 * each screen is for those who read it in the dark, on a phone, or aloud.
 *
 * @module-tag long
 */
import { mkdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedCrawl } from '../../contracts/http/crawls.ts';
import { withHttpServer } from '../support/http-server.ts';
import { openConsole, signInLinkBy, type ConsoleUser } from '../support/console.ts';
import { given } from '../support/given.ts';
import { startOwnStack } from '../support/start-stack.ts';
import { hasChromium } from '../support/temporal-web.ts';
import { until } from '../support/until.ts';

/** What is seen on the way is kept here; docs/images has copies. */
const screenshots = '.cache/screenshots';

/** A title that wants to be a script, a link, a style, or to run over everything. */
const hostile = `<script>alert(1)</script>"><img src=x onerror=alert(2)><style>*{display:none}</style>\u202e${'A'.repeat(3_000)}`;
const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '"': '&quot;', '&': '&amp;' };
const escaped = hostile.replace(/[<>"&]/g, (character) => entities[character] ?? '');

describe.skipIf(!hasChromium())('the console (needs chromium)', () => {
  const site = withHttpServer(({ url = '' }, response) => {
    if (url === '/robots.txt') {
      response.end('User-agent: *\nDisallow: /private');
      return;
    }
    const found = url === '/' || /^\/p\/\d$/.test(url);
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    const links = ['/p/1', '/p/2', '/private/x', '/gone', 'javascript:alert(3)'];
    response.end(
      `<html lang="en"><title>${escaped}</title><h1>${escaped}</h1><p>Spiders weave ${url}.</p>${links.map((to) => `<a href="${to}">${escaped.slice(0, 200)}</a>`).join(' ')}</html>`,
    );
  });
  const own = given(
    () =>
      startOwnStack({
        workers: [{ name: 'worker', roles: ['control', 'fetch', 'extract'] }],
      }),
    ({ close }) => close(),
  );
  let user: ConsoleUser;
  const apiUrl = (): string => own.stack.apiUrl ?? '';
  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    const answer = await fetch(new URL('/v1/crawls', apiUrl()), {
      method: 'POST',
      headers: { authorization: `Bearer ${own.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        seeds: [`${site.origin}/`],
        allowPrivate: ['127.0.0.0/8'],
        delaySeconds: 0.2,
        search: true,
        label: hostile.slice(0, 180).replace('\u202e', ''),
      }),
    });
    const { id } = (await answer.json()) as CreatedCrawl;
    await until('the crawl is over', async () => {
      const crawl = await fetch(new URL(`/v1/crawls/${id}`, apiUrl()), {
        headers: { authorization: `Bearer ${own.key}` },
      });
      return ((await crawl.json()) as { state: string }).state === 'finished';
    });
    user = await openConsole(await signInLinkBy(apiUrl(), own.key));
    return () => user.close();
  });

  /** One of each kind: lists, a thing, a form, a graph, words that a hostile site has written. The others are deep. */
  const screens = [
    '/',
    '/crawls/1',
    '/crawls/1/graph',
    '/crawls/1/pages?q=spiders',
    '/crawls/1/page?url=SITE/p/1',
    '/crawls/1/explain?url=SITE/private/x',
    '/hosts/SITE',
  ];
  const others = [
    ...['/crawls/1/hosts', '/crawls/1/pages', '/crawls/1/dead-letters', '/crawls/1/quarantine'],
    ...['/crawls/1/settings', '/crawls/1/freshness', '/new', '/new?from=1'],
    ...['/hosts', '/host-reviews', '/opt-outs', '/webhooks', '/access', '/audit'],
    ...['/nowhere', '/crawls/99'],
  ];

  const isShown = async (path: string): Promise<void> => {
    await user.open(path.replace('SITE', encodeURIComponent(site.origin)));
    expect(await user.violations()).toEqual([]);
    const name = path === '/' ? 'overview' : path.slice(1).replaceAll(/[/?=&%:.]+/g, '-');
    await user.page.screenshot({ path: `${screenshots}/console-${name}.png` });
    await user.page.emulateMedia({ colorScheme: 'dark' });
    await user.page.setViewportSize({ width: 360, height: 800 });
    expect(await user.violations()).toEqual([]);
    // Nothing but tables, which scroll by themselves, is wider than the screen.
    expect(await user.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await user.page.screenshot({ path: `${screenshots}/console-${name}-dark.png` });
    await user.page.emulateMedia({ colorScheme: 'light' });
    await user.page.setViewportSize({ width: 1_280, height: 900 });
    expect(user.faults).toEqual([]);
  };
  it.each(screens)('shows %s without a fault, and to everybody', isShown);
  it.each(others)('shows %s too', { tags: ['deep'] }, isShown);

  it('says that the session is over when it is', async () => {
    await user.open('/');
    await user.page.getByRole('button', { name: 'Sign out' }).click();
    await user.page.getByLabel('API key or token').fill('owk_wrong');
    await user.page.getByRole('button', { name: 'Sign in' }).click();
    await user.page.getByRole('alert').getByText('not valid').waitFor();
    await user.page.getByLabel('API key or token').fill(own.key);
    await user.page.getByRole('button', { name: 'Sign in' }).click();
    await user.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(user.faults).toEqual([]);
  });
});
