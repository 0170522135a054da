/**
 * `POST /v1/fetch` with a worker behind it: the page is fetched as any other is, waited for, and shared.
 *
 * @module-tag long
 */
import { expect, it } from 'vitest';
import type { FetchedPage, WaitingFetch } from '../../../contracts/http/fetch.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { makeBlobDir } from '../../support/worker.ts';
import { withServing } from '../../support/serving.ts';
import { closedGate } from '../../support/gate.ts';
import { page, redirect, robots, startSite, status } from '../activities/site.ts';
import { ask } from './asking.ts';

const serving = withServing({ blobDir: makeBlobDir() });

const call = (method: string, path: string, body?: object) =>
  ask<FetchedPage & WaitingFetch & Problem>(serving.api.url, serving.key, method, path, body);
/** As soon as it is there; the longest wait of the API is for busy machines. */
const post = (url: string, body: object = {}) =>
  call('POST', '/v1/fetch', { url, waitSeconds: 120, ...body });

it('fetches a page once for all who ask at the same time, and gives it from the archive afterwards', async () => {
  const gate = closedGate();
  const site = await startSite({ '/': gate.behind(page('Hello')) });
  const first = await post(`${site.origin}/`, { waitSeconds: 0 });
  expect(first.status).toBe(202);
  expect(first.body.waiting.because).not.toBe('');
  const both = [post(`${site.origin}/`), post(`${site.origin}/`, { maxAgeSeconds: 0, format: 'text' })];
  await expect.poll(() => site.paths()).toContain('/');
  gate.open();
  const [markdown, text] = await Promise.all(both);
  expect(markdown).toMatchObject({
    status: 200,
    body: { fromArchive: false, content: 'Hello\n', page: { title: 'Hello' } },
  });
  expect(text).toMatchObject({
    status: 200,
    body: { format: 'text', content: 'Hello', crawlId: first.body.crawlId },
  });
  const location = first.headers.get('location') ?? '';
  expect(await call('GET', location)).toMatchObject({
    status: 200,
    body: { id: first.body.id, content: 'Hello\n' },
  });
  expect(await post(`${site.origin}/`)).toMatchObject({ status: 200, body: { id: null, fromArchive: true } });
  expect(site.paths()).toEqual(['/robots.txt', '/']);
});

it('asks again for what is too old, and follows where it leads by now', async () => {
  const site = await startSite({ '/moving': page('Here'), '/there': page('There') });
  const before = await post(`${site.origin}/moving`);
  expect(before.body).toMatchObject({ content: 'Here\n', page: { status: 200 } });
  expect((await post(`${site.origin}/there`)).body.content).toBe('There\n');
  site.answers = { '/moving': redirect('/there'), '/there': page('There, later') };
  const after = await post(`${site.origin}/moving`, { maxAgeSeconds: 0 });
  expect(after.body).toMatchObject({
    ...{ fromArchive: false, crawlId: before.body.crawlId, url: `${site.origin}/moving` },
    ...{ content: 'There, later\n', page: { url: `${site.origin}/there`, status: 200 } },
  });
  expect(site.paths()).toEqual(['/robots.txt', '/moving', '/there', '/moving', '/there']);
});

it('says why a page is not fetched, and gives what the host answers whatever its status', async () => {
  const site = await startSite({
    '/robots.txt': robots('User-agent: *', 'Disallow: /private'),
    '/missing': (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No</h1>'),
    '/closed': status(403),
  });
  const refused = await post(`${site.origin}/private`);
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({ type: 'urn:orbweaver:problem:page-refused', reason: 'robots' });
  expect(refused.body.detail).toContain('robots.txt forbids it');
  const guarded = await post('http://10.0.0.1/');
  expect(guarded.body).toMatchObject({ status: 422, reason: 'address-refused' });
  expect(await post(`${site.origin}/missing`)).toMatchObject({
    ...{ status: 200, body: { content: '# No\n', page: { status: 404, state: 'dead' } } },
  });
  expect(await post(`${site.origin}/closed`)).toMatchObject({
    ...{ status: 200, body: { content: null, page: { status: 403, reason: 'forbidden' } } },
  });
  expect(site.paths()).not.toContain('/private');
});
