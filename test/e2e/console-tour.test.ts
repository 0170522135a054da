/**
 * Somebody new, without docs, in a browser: from the link that `up` prints to a crawl whose missing page is explained,
 * whose stuck host goes on, and whose pages are in a file (F47). Nothing is done but what a person sees and presses.
 *
 * @module-tag deep
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PageView } from '../../contracts/http/results.ts';
import { jsonLines, startCli } from '../cli/run-cli.ts';
import { openConsole, signInLinkBy, type ConsoleUser } from '../support/console.ts';
import { hasFirefox, openFirefox } from '../support/firefox.ts';
import { given, ownFolder } from '../support/given.ts';
import { hasChromium } from '../support/temporal-web.ts';
import { boats, withTown } from '../support/town.ts';
import { until } from '../support/until.ts';
import { judge } from '../web/judge.ts';

/** What is seen on the way is kept here; docs/images has copies. */
const screenshots = '.cache/screenshots';
const delaySeconds = 0.2;

describe.skipIf(!hasChromium())('somebody new (needs chromium)', () => {
  const town = withTown({ hosts: 5, pages: 12 });
  const data = ownFolder();
  const up = given(
    async () => {
      const cli = startCli(['up'], {
        ORBWEAVER_DATA: data,
        ORBWEAVER_ALLOW_PRIVATE: '127.0.0.0/8',
        ORBWEAVER_BROWSER: 'off',
      });
      const printed = (): string | undefined => /^Console +(\S+) \(signs in once/m.exec(cli.stdout())?.[1];
      await until('the link is printed', printed, 600_000).catch((error: unknown) => {
        throw new Error(cli.stderr(), { cause: error });
      });
      return { link: printed() ?? '', cli };
    },
    async ({ cli }) => {
      cli.process.kill('SIGINT');
      await cli.result;
    },
  );
  let user: ConsoleUser;
  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    user = await openConsole(up.link);
    return () => user.close();
  });

  let seen = 0;
  const see = async (what: string): Promise<void> => {
    await user.page.screenshot({ path: `${screenshots}/tour-${String(++seen)}-${what}.png` });
    expect(user.faults).toEqual([]);
  };
  const press = (name: string): Promise<void> => user.page.getByRole('button', { name, exact: true }).click();
  const follow = (name: string | RegExp): Promise<void> =>
    user.page.getByRole('link', { name, exact: true }).first().click();
  const fill = (label: string, text: string): Promise<void> =>
    user.page.getByLabel(label, { exact: true }).fill(text);

  it('starts a crawl by the form', async () => {
    const { page } = user;
    await page.getByText('There is no crawl yet.').waitFor();
    await see('nothing-yet');
    await follow('New crawl');
    await fill('seeds (needed)', town.seeds.join('\n'));
    await fill('label', 'Our town');
    await fill('delaySeconds', String(delaySeconds));
    await see('new-crawl');
    await press('Start the crawl');
    await page.getByRole('heading', { name: 'Crawl 1 · Our town' }).waitFor();
    await page.getByText(/^[1-9]\d+ done$/).waitFor();
    await page.getByText(/of the time, \d+ %, went into/).waitFor();
    await see('crawl');
  });

  it('finds out why a page is missing', async () => {
    const { page } = user;
    await follow('Pages');
    await page.getByText(/excluded \(.*robots/).waitFor();
    await fill('URL, in any spelling', town.forbidden);
    await see('a-page-is-missing');
    await press('Explain');
    await page
      .getByText(/robots\.txt forbids it/)
      .first()
      .waitFor();
    await page.getByText('Disallow: /private/').first().waitFor();
    await see('why-it-is-missing');
  });

  it('repairs a host that is stuck', async () => {
    const { page } = user;
    await follow('Orbweaver');
    const { harbour } = town;
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Backoff/ })
      .getByRole('link', { name: harbour.origin })
      .waitFor();
    await page.getByText('Workers', { exact: true }).waitFor();
    await see('a-host-in-trouble');
    await follow(harbour.origin);
    await page.getByText(/^Last error: .*503/).waitFor();
    await see('why-it-is-stuck');
    const before = harbour.asked.length;
    harbour.mend();
    await press('Retry');
    await page.getByText(/^(Done\.|A worker will do it soon\.)$/).waitFor();
    await until('the host goes on', () => harbour.asked.length > before + boats);
    await page
      .getByText('Active', { exact: true })
      .or(page.getByText('Idle', { exact: true }))
      .first()
      .waitFor();
    await see('it-goes-on');
    expect(new Set(harbour.asked.slice(before)).size).toBe(boats + 1);
    await follow('Orbweaver');
    await follow('1 · Our town');
    await page.getByRole('heading', { name: 'Finished' }).waitFor();
    await see('it-is-finished');
  });

  it('exports a selection of the pages', async () => {
    const { page } = user;
    const [host = ''] = town.web.origins;
    await follow('Pages');
    await fill('Host', host);
    await fill('Status', '200');
    await fill('Type', 'text/html');
    await press('Show');
    await page.getByText(`The pages with host ${host}, status 200, contentType text/html`).waitFor();
    const rows = page.getByRole('table', { name: 'Pages, oldest first' }).locator('tbody').getByRole('row');
    await rows.first().waitFor();
    await see('a-selection');
    await page.getByLabel('Format').selectOption({ label: 'JSON lines: a page on each line' });
    await press('Export');
    const link = page.getByRole('link', { name: 'Download' });
    await link.waitFor();
    await link.scrollIntoViewIfNeeded();
    await see('an-export');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const file = jsonLines(readFileSync(await download.path(), 'utf8')) as PageView[];
    const answered = town.web
      .log()
      .filter(
        ({ url, status }) => status === 200 && url.startsWith(`${host}/`) && !url.endsWith('/robots.txt'),
      )
      .map(({ url }) => url);
    expect(file.map(({ url }) => url).toSorted()).toEqual(answered.toSorted());
    expect(await rows.count()).toBe(file.length);
    expect(user.faults).toEqual([]);
  });

  it.each(['/new', '/crawls/1/graph', '/crawls/1/page?url=SITE', '/crawls/1/settings', '/hosts'])(
    'shows %s in the dark',
    async (screen) => {
      const { page } = user;
      await page.emulateMedia({ colorScheme: 'dark' });
      await user.open(screen.replace('SITE', encodeURIComponent(town.web.seeds[0] ?? '')));
      await see(`dark${screen.replaceAll(/[/?=]+/g, '-')}`);
      await page.emulateMedia({ colorScheme: 'light' });
    },
  );

  it('has hurried nobody', () => {
    const { overlaps, tooSoon, robotsNotFirst } = judge(town.web.log(), { delayMs: delaySeconds * 1_000 });
    expect({ overlaps, tooSoon, robotsNotFirst }).toEqual({ overlaps: [], tooSoon: [], robotsNotFirst: [] });
    expect(town.web.log().some(({ url }) => url === town.forbidden)).toBe(false);
  });

  it.skipIf(!hasFirefox())('finds it all in Firefox, too (needs firefox-esr)', async () => {
    const key = readFileSync(path.join(data, 'admin-key'), 'utf8').trim();
    const firefox = await openFirefox(await signInLinkBy(new URL(up.link).origin, key));
    try {
      await firefox.shows('h1', 'Overview');
      // What comes above the link moves it.
      await firefox.shows('dt', 'Workers');
      await firefox.click('a', '1 · Our town');
      await firefox.shows('h1', 'Crawl 1 · Our town Finished');
      await firefox.shows('.legend li', '10 dead');
      writeFileSync(`${screenshots}/tour-firefox.png`, await firefox.screenshot());
      expect(firefox.faults).toEqual([]);
    } finally {
      await firefox.close();
    }
  });
});
