/**
 * The buttons of the console, each pressed on the whole stack, and what came of it as the API says it (F47). Those that
 * somebody new presses are in console-tour.test.ts.
 *
 * @module-tag deep
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { ConfigVersion } from '../../contracts/http/edits.ts';
import type { HostView } from '../../contracts/hosts.ts';
import type { QuarantineView } from '../../contracts/http/quarantine.ts';
import type { Deliveries, WebhookView } from '../../contracts/http/webhooks.ts';
import type { SessionsView } from '../../contracts/http/sessions.ts';
import type { TenantView } from '../../contracts/tenancy.ts';
import { openConsole, signInLinkBy, type ConsoleUser } from '../support/console.ts';
import { closedGate, type Gate } from '../support/gate.ts';
import { given } from '../support/given.ts';
import { withHttpServer, type HttpServer } from '../support/http-server.ts';
import { freshAddress } from '../support/loopback.ts';
import { startOwnStack } from '../support/start-stack.ts';
import { hasChromium } from '../support/temporal-web.ts';
import { until } from '../support/until.ts';

describe.skipIf(!hasChromium())('a button (needs chromium)', () => {
  const linksTo = (folder: string): string =>
    Array.from({ length: 30 }, (_, at) => `<a href="/${folder}/${String(at)}">${String(at)}</a>`).join(' ');
  let isMended = false;
  const site = withHttpServer(({ url = '' }, response) => {
    if (url.startsWith('/astray') && !isMended) {
      response.writeHead(302, { location: 'http://' }).end();
      return;
    }
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(url === '/many' ? linksTo('p') : `<title>${url}</title>`);
  });
  let admits = false;
  const club = withHttpServer(({ url, headers }, response) => {
    const isMember = headers.authorization === `Basic ${btoa('ada:secret')}`;
    const code = url === '/robots.txt' ? 404 : admits && isMember ? 200 : 401;
    response.writeHead(code, { 'content-type': 'text/html', 'www-authenticate': 'Basic' });
    response.end('<title>Members</title>');
  });
  /** Its pages behind the first are answered once the gate is open. */
  const heldSite = (gate: Gate, isAway: () => boolean, address?: string): HttpServer =>
    withHttpServer(({ url }, response) => {
      const say = (code: number, text: string): unknown =>
        response.writeHead(code, { 'content-type': 'text/html', 'retry-after': '86400' }).end(text);
      if (url === '/robots.txt') say(404, '');
      else if (isAway()) say(503, '');
      else if (url === '/') say(200, linksTo('p') + linksTo('q'));
      else void gate.opened.then(() => say(200, `<title>${String(url)}</title>`));
    }, address);
  const [harbour, dropped, judged] = [freshAddress(), closedGate(), closedGate()];
  let isAway = true;
  const piers = [0, 1].map(() => heldSite(dropped, () => isAway, harbour));
  const maze = heldSite(judged, () => false);
  let received = 0;
  const hook = withHttpServer((request, response) => {
    received++;
    request.resume();
    response.writeHead(204).end();
  });
  const own = given(
    () =>
      startOwnStack({
        settings: { allowPrivate: ['127.0.0.0/8'], webhookAllowPrivate: ['127.0.0.0/8'] },
        workers: [{ name: 'worker', roles: ['control', 'fetch', 'extract'] }],
      }),
    ({ close }) => close(),
  );
  let user: ConsoleUser;
  beforeAll(async () => {
    user = await openConsole(await signInLinkBy(own.stack.apiUrl ?? '', own.key));
    return () => user.close();
  });

  const answer = (path: string, body?: object, key = own.key): Promise<Response> =>
    fetch(new URL(path, own.stack.apiUrl ?? ''), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const ask = async <T>(path: string): Promise<T> => (await (await answer(path)).json()) as T;
  const listed = async <T>(path: string): Promise<readonly T[]> =>
    (await ask<{ readonly items: readonly T[] }>(path)).items;
  const start = async (seeds: readonly string[], more: object = {}): Promise<string> => {
    const made = await answer('/v1/crawls', { seeds, delaySeconds: 0.1, ...more });
    return ((await made.json()) as CreatedCrawl).id;
  };
  const crawl = (id: string): Promise<CrawlView> => ask(`/v1/crawls/${id}`);
  const isIn = (id: string, state: CrawlView['state']): Promise<void> =>
    until(`crawl ${id} is ${state}`, async () => (await crawl(id)).state === state);

  const press = (name: string | RegExp): Promise<void> =>
    user.page.getByRole('button', { name, exact: true }).click();
  const isSaid = (text: string | RegExp): Promise<void> => user.page.getByText(text).first().waitFor();
  const unfold = (title: string): Promise<void> => user.page.getByText(title, { exact: true }).click();
  const fill = (label: string, text: string): Promise<void> =>
    user.page.getByLabel(label, { exact: true }).fill(text);
  /** Pressed, in the row if one is named, and once more in the dialog that asks. */
  const confirm = async (name: string, row?: string): Promise<void> => {
    const within = row === undefined ? user.page : user.page.getByRole('row').filter({ hasText: row });
    await within.getByRole('button', { name, exact: true }).click();
    await user.page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  };

  it('pauses one host, drops its URLs, and resumes it', async () => {
    const path = `/v1/hosts/${encodeURIComponent(site.origin)}`;
    const host = (): Promise<HostView> => ask(path);
    const id = await start([`${site.origin}/many`], { delaySeconds: 20 });
    await until('its links are queued', async () => (await crawl(id)).ledger.queued === 30);
    await user.open(path.slice('/v1'.length));
    await confirm('Pause');
    await until('it is paused', async () => (await host()).state === 'paused');
    const { queued } = await host();
    expect(queued).toBeGreaterThan(20);
    await confirm('Drop');
    await isSaid(`${String(queued)} URLs dropped.`);
    expect((await host()).queued).toBe(0);
    expect((await crawl(id)).excluded).toEqual({ dropped: queued });
    await press('Resume');
    await until('it is resumed', async () => (await host()).state !== 'paused');
    await isIn(id, 'finished');
  });

  it('pauses a crawl, resumes it, and cancels it', async () => {
    const id = await start([`${site.origin}/many`], { delaySeconds: 20 });
    await isIn(id, 'running');
    await user.open(`/crawls/${id}`);
    await press('Pause');
    await isIn(id, 'paused');
    await press('Resume');
    await isIn(id, 'running');
    await confirm('Cancel');
    await isIn(id, 'cancelled');
  });

  it('gives a crawl a session, has hosts asked again that have logged it out, and takes it back', async () => {
    const basic = { user: 'ada', password: 'secret' };
    const id = await start([`${club.origin}/`], { sessions: [{ origin: club.origin, basic }] });
    const sessions = (): Promise<SessionsView> => ask(`/v1/crawls/${id}/sessions`);
    await until('it is logged out', async () => (await sessions()).loggedOutHosts === 1);
    await user.open(`/crawls/${id}/settings`);
    await isSaid('1 host has logged the crawl out');
    admits = true;
    await press('Ask them again with the session that there is');
    await isSaid('The hosts are asked again.');
    await until('the crawl is let in', async () => (await crawl(id)).ledger.done === 1);
    await isIn(id, 'finished');

    await confirm('Remove', club.origin);
    await until('nothing is left of it', async () => (await sessions()).sessions.length === 0);
    await unfold('Give it a session');
    await user.page.getByLabel('Kind').selectOption('Bearer token');
    await fill('Origin', club.origin);
    await fill('Token', 't0ken');
    await press('Give it');
    await isSaid('It is kept sealed, and never shown again.');
    expect((await sessions()).sessions).toMatchObject([{ place: club.origin, names: ['authorization'] }]);
  });

  it('retries, pauses, drops and resumes hosts by a filter, each after a preview', async () => {
    const hosts = (): Promise<HostView[]> =>
      Promise.all(piers.map(({ origin }) => ask<HostView>(`/v1/hosts/${encodeURIComponent(origin)}`)));
    const are = (state: HostView['state']): Promise<void> =>
      until(`all are ${state}`, async () => (await hosts()).every((host) => host.state === state));
    const select = (name: 'action' | 'state', value: string): Promise<unknown> =>
      user.page.getByRole('region').locator(`select[name=${name}]`).selectOption(value);
    const act = async (action: string, button: string): Promise<void> => {
      await select('action', action);
      await press('Preview');
      await isSaid('It would change 2 hosts; at 0 there is nothing to do.');
      await confirm(button);
      await isSaid(/^Done: 2 hosts/);
    };
    const id = await start(
      piers.map(({ origin }) => `${origin}/`),
      { delaySeconds: 1 },
    );
    await are('backoff');
    await user.open('/hosts');
    await fill('Origin matches', `http://${harbour}:*`);
    await select('state', 'backoff');
    isAway = false;
    await act('retry', 'Retry 2 hosts');
    await until('both have answered', async () => (await crawl(id)).ledger.done >= 2);

    await select('state', '');
    await act('pause', 'Pause 2 hosts');
    await are('paused');
    const queued = (await hosts()).reduce((sum, host) => sum + host.queued, 0);
    expect(queued).toBeGreaterThan(60);
    await act('drop', 'Drop the URLs of 2 hosts');
    await isSaid(`Done: 2 hosts, ${String(queued)} URLs dropped.`);
    expect((await crawl(id)).excluded).toEqual({ dropped: queued });
    dropped.open();
    await act('resume', 'Resume 2 hosts');
    await isIn(id, 'finished');
  });

  it('keeps a shape of URLs back after a preview, confirms it, and releases it', async () => {
    // By its delay a slice takes a part of the links alone, so that some of either kind stay queued.
    const id = await start([`${maze.origin}/`], { delaySeconds: 1 });
    await until('its links are queued', async () => (await crawl(id)).ledger.queued > 40);
    await user.open(`/crawls/${id}/quarantine`);
    await fill('A URL of the kind', `${maze.origin}/p/29`);
    await press('Show its shapes');
    await confirm('Keep back', '/p/{n}');
    await isSaid('It is in quarantine.');
    const shape = async (verdict: string): Promise<QuarantineView | undefined> =>
      (await listed<QuarantineView>(`/v1/crawls/${id}/quarantine?verdict=${verdict}`))[0];
    // Each is excluded when its turn comes, without a request.
    judged.open();
    await isIn(id, 'finished');
    const held = await shape('held');
    expect(held).toMatchObject({ shape: '/p/{n}', host: maze.origin, urls: (await crawl(id)).excluded.trap });
    expect(held?.urls).toBeGreaterThan(0);
    await user.open(`/crawls/${id}/quarantine`);
    const choose = (): Promise<void> =>
      user.page.getByLabel(`Choose ${maze.origin}/p/{n}`, { exact: true }).check();

    await choose();
    await confirm('Confirm');
    await isSaid('Shapes confirmed: 1.');
    expect(await shape('confirmed')).toMatchObject({ urls: held?.urls });
    await choose();
    await confirm('Release');
    await isSaid(/^Shapes released: 1; URLs free: [1-9]/);
    expect(await shape('released')).toMatchObject({ id: held?.id });
    const { excluded, ledger } = await crawl(id);
    expect(excluded).toEqual({});
    await until('they are fetched', async () => (await crawl(id)).ledger.done > ledger.done);
    await answer(`/v1/crawls/${id}/cancel`, {});
    await isIn(id, 'cancelled');
  });

  it('edits the settings of a crawl after a look at the effect, and goes back', async () => {
    const id = await start([`${site.origin}/many`], { delaySeconds: 20 });
    await until('its links are queued', async () => (await crawl(id)).ledger.queued > 20);
    await user.open(`/crawls/${id}/settings`);
    await fill('exclude', '*/p/1*');
    await press('See what it would do');
    await press('Apply');
    const excluded = async (): Promise<number> => (await crawl(id)).excluded.pattern ?? 0;
    await until('URLs are excluded', async () => (await excluded()) > 0);
    expect((await crawl(id)).config.exclude).toEqual(['*/p/1*']);

    await press('Go back to 1');
    await isSaid(/ and \d+ queued again\./);
    expect((await crawl(id)).configVersion).toBe(2);
    await press('Go back to version 1');
    await until('they are queued again', async () => (await excluded()) === 0);
    expect((await crawl(id)).config.exclude).toEqual([]);
    const [latest] = await listed<ConfigVersion>(`/v1/crawls/${id}/versions`);
    expect(latest).toMatchObject({ version: 3, restores: 1 });
    await answer(`/v1/crawls/${id}/cancel`, {});
    await isIn(id, 'cancelled');
  });

  it('queues one dead letter again, and then all of a host', async () => {
    const id = await start(['', '/1', '/2'].map((path) => `${site.origin}/astray${path}`));
    await until('they were given up', async () => (await crawl(id)).ledger.failed === 3);
    await user.open(`/crawls/${id}/dead-letters`);
    isMended = true;
    const row = user.page.getByRole('row').filter({ hasText: '/astray/1' });
    await row.getByRole('button', { name: 'Queue again' }).click();
    await isSaid('1 queued again');
    await until('it is a page', async () => (await crawl(id)).ledger.done === 1);

    await fill('Host', site.origin);
    await press('Show');
    await press('Queue all of these again');
    await isSaid(`This concerns 2 dead letters, those of them at ${site.origin}`);
    await user.page.getByRole('dialog').getByRole('button', { name: 'Queue all of these again' }).click();
    await isSaid('2 queued again');
    await until('they are pages', async () => (await crawl(id)).ledger.done === 3);
    await isSaid('No dead letter is of this class and host.');
  });

  it('removes an export', async () => {
    const id = await start([`${site.origin}/`]);
    await isIn(id, 'finished');
    await user.open(`/crawls/${id}/pages`);
    await press('Export');
    await user.page.getByRole('link', { name: 'Download' }).waitFor();
    await confirm('Remove', 'csv');
    await isSaid('There is no export of this crawl.');
    expect(await listed(`/v1/crawls/${id}/exports`)).toEqual([]);
  });

  it('makes a webhook, tests it, sends events again, turns it off and on, and deletes it', async () => {
    await user.open('/webhooks');
    await unfold('Create a webhook');
    await fill('URL', `${hook.origin}/hook`);
    await press('Create');
    await press('I have it');
    await user.page.getByRole('link', { name: `${hook.origin}/hook` }).click();
    const [made] = await listed<WebhookView>('/v1/webhooks');
    const path = `/v1/webhooks/${made?.id ?? ''}`;
    await press('Send a test');
    await until('a test has come', () => received === 1);
    const id = await start([`${site.origin}/`]);
    await isIn(id, 'finished');
    const attempts = async (): Promise<Deliveries['attempts']> =>
      (await ask<Deliveries>(`${path}/deliveries?limit=100`)).attempts;
    const kinds = ['crawl.created', 'crawl.running', 'crawl.finished'];
    const sent = async (): Promise<number> =>
      (await attempts()).filter(({ crawlId, kind }) => crawlId === id && kinds.includes(kind)).length;
    await until('its events have come', async () => (await sent()) >= kinds.length);
    const before = await sent();
    await unfold('Send events again');
    await fill('All that happened since', '2026-01-01T00:00');
    await fill('Of crawl', id);
    await press('Send again');
    await isSaid('Events of 1 crawl are sent again.');
    await until('they have come again', async () => (await sent()) === 2 * before);

    await press('Disable');
    await until('it is off', async () => !(await ask<WebhookView>(path)).enabled);
    await press('Enable');
    await until('it is on', async () => (await ask<WebhookView>(path)).enabled);
    await confirm('Delete');
    await isSaid('Events are sent nowhere yet.');
    expect((await answer(path)).status).toBe(404);
  });

  it('makes a key and revokes it', async () => {
    await user.open('/access');
    await unfold('Create a key');
    const form = user.page.locator('form').filter({ hasText: 'Parts of the API' });
    await form.getByLabel('Name').fill('a reader');
    await form.getByRole('button', { name: 'Create' }).click();
    const key = await user.page.getByRole('status').locator('code').innerText();
    expect((await answer('/v1/crawls', undefined, key)).status).toBe(200);
    await press('I have it');
    await confirm('Revoke', 'a reader');
    await until('it is refused', async () => (await answer('/v1/crawls', undefined, key)).status === 401);
  });

  it('makes a tenant, sets a quota of it, and closes it', async () => {
    await user.open('/access');
    const form = user.page.locator('form').filter({ hasText: 'Create a tenant' });
    await form.getByLabel('Name').fill('Acme');
    await form.getByRole('button').click();
    const row = user.page.getByRole('row').filter({ hasText: 'Acme' });
    await row.getByRole('button', { name: 'Quotas' }).click();
    await fill('crawlsAtOnce', '3');
    await press('Save');
    const tenant = async (): Promise<TenantView | undefined> =>
      (await listed<TenantView>('/v1/tenants')).find(({ name }) => name === 'Acme');
    await until('the quota holds', async () => (await tenant())?.quotas.crawlsAtOnce === 3);
    await confirm('Close', 'Acme');
    await until('it is closed', async () => typeof (await tenant())?.closedAt === 'string');
  });

  it('opts a domain out, and takes it back', async () => {
    await user.open('/opt-outs');
    const form = user.page.locator('form').filter({ hasText: 'Preview' });
    await form.getByLabel('Domain').fill('gone.test');
    await press('Preview');
    await isSaid('gone.test has 0 known hosts');
    await confirm('Opt it out');
    await until('it is out', async () => (await listed('/v1/opt-outs')).length === 1);
    await confirm('Remove', 'gone.test');
    await until('it is in again', async () => (await listed('/v1/opt-outs')).length === 0);
    expect(user.faults).toEqual([]);
  });
});
