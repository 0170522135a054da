/**
 * Settings of a host while a real worker crawls it (F18, G4): set over the API, judged by the log of the site.
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import { wakeHost } from '../../activities/wake-host.ts';
import type { HostSettingsChange, HostView } from '../../contracts/hosts.ts';
import { hostStateQuery, hostWorkflowId, setDelayUpdate } from '../../contracts/workflows.ts';
import { page, robots, startSite, type Answer, type Site } from '../integration/activities/site.ts';
import { withServed } from '../integration/api/world.ts';
import { withDesk } from '../support/crawling.ts';
import { closedGate } from '../support/gate.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';

const world = withWorld();
const desk = withDesk(world);
const api = withServed(desk.pool, { wakeHost: (origin) => wakeHost(desk.client.workflow, origin) });
withWorker(world, { blobDir: makeBlobDir() });

const paths = Array.from({ length: 12 }, (_, at) => `/${String(at)}`);
const linking = (answer: (path: string) => Answer = page): Promise<Site> =>
  startSite({
    '/robots.txt': robots(''),
    '/': (response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(paths.map((path) => `<a href="${path}">to</a>`).join(' '));
    },
    ...Object.fromEntries(paths.map((path) => [path, answer(path)])),
  });
async function set(origin: string, change: HostSettingsChange): Promise<HostView> {
  const response = await fetch(`${api.url}/v1/hosts/${encodeURIComponent(origin)}/settings`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as HostView;
}
const stateOf = (origin: string) =>
  desk.client.workflow.getHandle(hostWorkflowId(origin)).query(hostStateQuery);
/** Opens for an hour, two days from now. */
const inTwoDays = (): NonNullable<HostSettingsChange['windows']> => {
  const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' });
  const day = weekday.format(Date.now() + 2 * 86_400_000).toLowerCase() as 'mon';
  return { timeZone: 'UTC', open: [{ days: [day], from: '12:00', to: '13:00' }] };
};

it('a host that is closed sleeps on a durable timer of days, and goes on within seconds when it is opened', async () => {
  // The fourth request has no answer until the host is closed again.
  const closing = closedGate();
  const site = await linking(
    (path) =>
      (...request) =>
        (site.hits.length > 3 ? closing.behind(page(path)) : page(path))(...request),
  );
  await set(site.origin, { delaySeconds: 0.1, windows: inTwoDays() });
  const id = await desk.start([`${site.origin}/`], { allowPrivate: ['127.0.0.0/8'] });
  // One that was never asked has no workflow yet: its opening is waited for in its row.
  const closed = async () => (await fetch(`${api.url}/v1/hosts?state=closed`)).json();
  await expect.poll(closed).toMatchObject({ items: [{ origin: site.origin, closedBy: 'windows' }] });
  expect(site.hits).toEqual([]);
  await set(site.origin, { windows: null });
  const openedAt = performance.now();
  await expect.poll(() => site.hits.length).toBeGreaterThan(0);
  expect((site.hits[0]?.at ?? Infinity) - openedAt).toBeLessThan(30_000);
  // And the other way round, in the middle of it.
  await expect.poll(() => site.hits.length).toBeGreaterThan(3);
  await set(site.origin, { windows: inTwoDays(), delaySeconds: 0.4 });
  const closedAt = performance.now();
  closing.open();
  await expect
    .poll(async () => (await stateOf(site.origin)).nextVisit ?? 0)
    .toBeGreaterThan(Date.now() + 86_400_000);
  expect((site.hits.at(-1)?.at ?? Infinity) - closedAt).toBeLessThan(30_000);
  await set(site.origin, { windows: null, delaySeconds: 0 });
  expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
  expect(new Set(site.paths())).toEqual(new Set(['/robots.txt', '/', ...paths]));
  expect(site.paths()).toHaveLength(14);
});

it('a spent quota and a long delay are slept out, and end when they are set anew', async () => {
  const site = await linking();
  await set(site.origin, { delaySeconds: 0.05, quotaPerDay: 5 });
  const id = await desk.start([`${site.origin}/`], { allowPrivate: ['127.0.0.0/8'] });
  await expect.poll(() => site.hits.length).toBe(5);
  await expect.poll(async () => (await stateOf(site.origin)).nextVisit ?? 0).toBeGreaterThan(Date.now());
  await set(site.origin, { quotaPerDay: 1_000, delaySeconds: 3_600 });
  await expect
    .poll(async () => (await stateOf(site.origin)).nextVisit ?? 0)
    .toBeGreaterThan(Date.now() + 3_000_000);
  expect(site.hits).toHaveLength(5);
  const asked = performance.now();
  await desk.client.workflow
    .getHandle(hostWorkflowId(site.origin))
    .executeUpdate(setDelayUpdate, { args: [0] });
  expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
  expect((site.hits[5]?.at ?? Infinity) - asked).toBeLessThan(30_000);
  expect(site.paths()).toHaveLength(14);
});
