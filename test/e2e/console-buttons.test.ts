/**
 * The buttons of the console, each pressed on the whole stack, and what came of it as the API says it (F47). Those that
 * somebody new presses are in console-tour.test.ts.
 *
 * @module-tag deep
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { HostView } from '../../contracts/hosts.ts';
import type { Deliveries, WebhookView } from '../../contracts/http/webhooks.ts';
import type { SessionsView } from '../../contracts/http/sessions.ts';
import type { TenantView } from '../../contracts/tenancy.ts';
import { openConsole, signInLinkBy, type ConsoleUser } from '../support/console.ts';
import { given } from '../support/given.ts';
import { withHttpServer } from '../support/http-server.ts';
import { startOwnStack } from '../support/start-stack.ts';
import { hasChromium } from '../support/temporal-web.ts';
import { until } from '../support/until.ts';

describe.skipIf(!hasChromium())('a button (needs chromium)', () => {
  let isMended = false;
  const site = withHttpServer(({ url = '' }, response) => {
    if (url === '/astray' && !isMended) {
      response.writeHead(302, { location: 'http://' }).end();
      return;
    }
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    const links = Array.from({ length: 30 }, (_, at) => `<a href="/p/${String(at)}">${String(at)}</a>`);
    response.end(url === '/many' ? links.join(' ') : `<title>${url}</title>`);
  });
  let admits = false;
  const club = withHttpServer(({ url, headers }, response) => {
    const isMember = headers.authorization === `Basic ${btoa('ada:secret')}`;
    const code = url === '/robots.txt' ? 404 : admits && isMember ? 200 : 401;
    response.writeHead(code, { 'content-type': 'text/html', 'www-authenticate': 'Basic' });
    response.end('<title>Members</title>');
  });
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

  it('queues a dead letter again', async () => {
    const id = await start([`${site.origin}/astray`]);
    await until('it was given up', async () => (await crawl(id)).ledger.failed === 1);
    await user.open(`/crawls/${id}/dead-letters`);
    isMended = true;
    await press('Queue again');
    await isSaid('1 queued again');
    await until('it is a page', async () => (await crawl(id)).ledger.done === 1);
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
