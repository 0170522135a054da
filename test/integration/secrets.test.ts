/**
 * No secret leaves the places where it belongs (F43): what processes log at their most talkative, the histories of
 * Temporal and all answers of the API are searched for each that was given or made, in plain, in Base64 and in
 * hexadecimal.
 *
 * @module-tag long
 */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createCrawlControl } from '../../api/crawls/crawl-control.ts';
import { gatedRoutes } from '../../api/routes/table.ts';
import type { CreatedCrawl } from '../../contracts/http/crawls.ts';
import {
  crawlWorkflowId,
  hostWorkflowId,
  schedulerWorkflowId,
  taskQueues,
} from '../../contracts/workflows.ts';
import { SecretKeys } from '../../storage/sessions/index.ts';
import { openDesk } from '../support/crawling.ts';
import { httpServer } from '../support/http-server.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { ask } from './api/asking.ts';
import { serve } from './api/world.ts';

const world = withWorld();

/** All texts in a value, bytes among them read as text. */
function textsIn(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textsIn).join('\n');
}

it('no log, history or answer has a secret', async () => {
  const mark = `Zx9-${randomBytes(9).toString('hex')}`;
  const key = randomBytes(32);
  const secrets = new Map([
    ['the session', mark],
    ['the password of Postgres', new URL(world.databaseUrl).password],
    ['the key of the instance', key.toString('base64')],
  ]);
  const texts = new Map<string, string>();

  const site = await httpServer(({ url = '', headers }, response) => {
    const isMember = headers.cookie?.includes(mark) === true;
    if (isMember) texts.set('asked', 'with the session');
    const status = url === '/robots.txt' ? 404 : 200;
    const body = url === '/' ? '<a href="/a">a</a>' : 'a page';
    response.writeHead(status, { 'content-type': 'text/html', 'set-cookie': `sid=${mark}-next` }).end(body);
  });
  onTestFinished(() => site.close());
  const closed = await httpServer(() => undefined);
  await closed.close();

  const desk = await openDesk(world);
  onTestFinished(() => desk.close());
  const worker = await startWorker(world, {
    blobDir: makeBlobDir(),
    environment: { ORBWEAVER_LOG_LEVEL: 'trace', ORBWEAVER_SECRET_KEY: key.toString('base64') },
  });
  onTestFinished(() => worker.kill());
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const control = createCrawlControl(desk.client, taskQueues.crawl);
  const api = await serve(desk.pool, {
    control,
    log,
    keys: new SecretKeys(() => [key]),
    webhookAllowPrivate: ['127.0.0.0/8'],
  });
  onTestFinished(() => api.stop());
  secrets.set('the first key', api.key);
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await ask<T>(api.url, api.key, method, path, body);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };

  const made = await call<{ key: string; id: string }>('POST', '/v1/keys', {
    name: 'reader',
    role: 'reader',
  });
  secrets.set('a key', made.key);
  const hook = await call<{ id: string; secret: string }>('POST', '/v1/webhooks', {
    url: `${closed.origin}/hook`,
  });
  secrets.set('the secret of a webhook', hook.secret);
  const settings = { allowPrivate: ['127.0.0.0/8'], delaySeconds: 0.05 };
  const cookies = JSON.stringify([{ name: 'sid', value: mark, domain: '127.0.0.1', path: '/' }]);
  const crawl = await call<CreatedCrawl>('POST', '/v1/crawls', {
    ...settings,
    seeds: [`${site.origin}/`],
    sessions: [{ cookies }, { origin: 'https://elsewhere.example', basic: { user: 'me', password: mark } }],
    headers: { 'X-Key': mark },
  });
  // A crawl whose proxy is down: its address is in messages, its password must not be.
  const proxied = await call<CreatedCrawl>('POST', '/v1/crawls', {
    ...settings,
    seeds: [`${site.origin}/by-proxy`],
    sessions: [{ proxy: `http://me:${mark}@127.0.0.1:${String(closed.port)}` }],
  });
  await fetch(`${api.url}/v1/crawls?key=${api.key}`, { headers: { authorization: `Bearer ${api.key}x` } });
  await ask(api.url, api.key, 'POST', `/v1/crawls/${crawl.id}/sessions`, { bearer: `${mark} ${mark}` });
  expect(await desk.ended(crawl.id)).toMatchObject({ state: 'finished' });
  await until('the webhook was tried', async () =>
    JSON.stringify((await ask(api.url, api.key, 'GET', `/v1/webhooks/${hook.id}/deliveries`)).body).includes(
      'attempt',
    ),
  );

  const ids: Readonly<Record<string, string>> = {
    ...{ crawlId: crawl.id, webhookId: hook.id, keyId: made.id, tenantId: '1', version: '1', exportId: '1' },
    ...{
      reextractionId: '1',
      origin: encodeURIComponent(site.origin),
      url: encodeURIComponent(`${site.origin}/`),
    },
  };
  const queries = ['', `?url=${encodeURIComponent(`${site.origin}/`)}`];
  let answered = 0;
  for (const { method, path } of gatedRoutes)
    for (const query of method === 'GET' ? queries : []) {
      const at = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '1') + query;
      const { status, body } = await ask(api.url, api.key, 'GET', at);
      texts.set(`GET ${at}`, textsIn(body));
      if (status === 200) answered++;
    }
  expect(answered).toBeGreaterThan(40);
  const workflows = [
    ...[crawl.id, proxied.id].map(crawlWorkflowId),
    ...[hostWorkflowId(site.origin), schedulerWorkflowId(0), `webhook/${hook.id}`],
  ];
  for (const id of workflows) texts.set(id, textsIn(await desk.client.workflow.getHandle(id).fetchHistory()));
  texts.set('the log of the API', lines.join('\n'));
  texts.set('the log of the worker', worker.log.join('\n'));

  expect(texts.get('asked'), 'the session was used').toBeDefined();
  for (const [where, text] of texts)
    for (const [what, secret] of secrets)
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(`me:${secret}`).toString('base64'),
      ])
        if (text.includes(form)) expect.soft(`${what} is in ${where}`).toBe('nowhere');
});
