/**
 * The change feed on the whole embedded stack: two crawls of a site, and a standing one, while workers are killed and
 * the receiver of the webhook is down for a while (G15).
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import type { changeList, PageDiff } from '../../contracts/http/changes.ts';
import type { CreatedWebhook } from '../../contracts/http/webhooks.ts';
import { createPool, type Pool } from '../../storage/postgres/index.ts';
import { startSite, type Answer, type Site } from '../integration/activities/site.ts';
import { startReceiver, status, taken, type Receiver } from '../integration/webhooks/receiver.ts';
import { fromNow, tables } from '../support/database/index.ts';
import { startEmbedded, type Embedded } from '../support/embedded.ts';
import { until } from '../support/until.ts';

const pages = 120;
const patienceMs = 240_000;

let embedded: Embedded;
let receiver: Receiver;
let pool: Pool;
beforeAll(async () => {
  receiver = await startReceiver();
  embedded = await startEmbedded({
    ...{ allowPrivate: ['127.0.0.0/8'], webhookAllowPrivate: ['127.0.0.0/8'] },
  });
  pool = createPool(embedded.stack.config.databaseUrl ?? '', 2, () => undefined);
});
afterAll(async () => {
  await pool.end();
  await embedded.close();
  await receiver.stop();
});

const pathOf = (at: number): string => `/page-${String(at)}`;

/** Pages whose bytes differ with each answer; their texts by their editions. */
function answers(editions: ReadonlyMap<number, number>): Record<string, Answer> {
  const links = Array.from({ length: pages }, (_, at) => `<a href="${pathOf(at)}">${String(at)}</a>`);
  const home: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Home</title>${links.join(' ')}`);
  };
  const page =
    (at: number): Answer =>
    (response, _request, count) => {
      const edition = String(editions.get(at) ?? 0);
      const text = Array.from({ length: 60 }, (_, word) => `word${String(at)}x${String(word)}`).join(' ');
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          `<title>Page ${String(at)}</title><!-- ${String(count)} --><p>${text}</p><p>Edition ${edition}.</p>`,
        );
    };
  return {
    '/': home,
    ...Object.fromEntries(Array.from({ length: pages }, (_, at) => [pathOf(at), page(at)])),
  };
}

type Feed = z.infer<typeof changeList>;

async function feed(crawlId: string): Promise<Feed['items']> {
  const items: Feed['items'] = [];
  for (let cursor = ''; ;) {
    const answer: Feed = await embedded.ask(`/v1/crawls/${crawlId}/changes?limit=7${cursor}`);
    items.push(...answer.items);
    if (!answer.more || answer.next === null) break;
    cursor = `&cursor=${encodeURIComponent(answer.next)}`;
  }
  return items;
}

const isOver = async (crawlId: string): Promise<boolean> =>
  (await embedded.ask<Feed>(`/v1/crawls/${crawlId}/changes?limit=1000`)).next === null;

/** Exactly these pages, each once, in the order in which they were answered. */
async function expectFeed(crawlId: string, site: Site, changed: readonly number[]): Promise<string[]> {
  const items = await feed(crawlId);
  expect(items.map(({ url }) => url).toSorted()).toEqual(
    changed.map((at) => site.origin + pathOf(at)).toSorted(),
  );
  const times = items.map(({ fetchedAt }) => fetchedAt);
  expect(times).toEqual(times.toSorted());
  for (const { fields, wordsAdded, wordsRemoved } of items)
    expect([fields, wordsAdded, wordsRemoved]).toEqual([['text'], 1, 1]);
  return items.map(({ event }) => event);
}

it('names what changed between two crawls, whatever is killed, and the webhook has it once it is up again', async () => {
  const editions = new Map<number, number>();
  const site = await startSite(answers(editions));
  const body = { seeds: [`${site.origin}/`], delaySeconds: 0, allowPrivate: ['127.0.0.0/8'] };
  const first = await embedded.crawl(body);
  expect(await embedded.ended(first.id, patienceMs)).toMatchObject({ state: 'finished' });

  const changed = Array.from({ length: pages }, (_, at) => at).filter((at) => at % 5 === 2);
  for (const at of changed) editions.set(at, 1);
  receiver.answer('/hook', status(503));
  await embedded.ask<CreatedWebhook>('/v1/webhooks', {
    url: `${receiver.url}/hook`,
    kinds: ['page.changed'],
  });
  const second = await embedded.crawl({ ...body, changes: true });
  for (const part of ['worker', 'postgres', 'worker'] as const) {
    const before = (await feed(second.id)).length;
    await until('further changes are told', async () => {
      const told = (await feed(second.id)).length;
      return told > before || told === changed.length;
    });
    await embedded.kill(part);
  }
  await embedded.ended(second.id, patienceMs);
  await until('everything is compared', () => isOver(second.id), patienceMs);
  const events = await expectFeed(second.id, site, changed);

  const last = site.origin + pathOf(changed[0] ?? 0);
  const where = `/v1/crawls/${second.id}/diff?url=${encodeURIComponent(last)}`;
  const diff = await embedded.ask<PageDiff>(where);
  expect(diff).toMatchObject({ from: `${first.id}-0`, to: `${second.id}-1`, fields: [] });
  const told = diff.text?.parts.flatMap(({ kind, text }) => (kind === 'same' ? [] : [[kind, text]]));
  expect(told?.map(([kind]) => kind)).toEqual(['removed', 'added']);

  // Nothing was taken while the receiver was down.
  await until('a delivery was tried', () => receiver.at('/hook').length > 0);
  const from = receiver.at('/hook').length;
  receiver.answer('/hook', taken);
  const sent = (): string[] => [
    ...new Set(
      receiver
        .at('/hook')
        .slice(from)
        .map(({ message }) => message.id),
    ),
  ];
  await until('the webhook has sent all', () => sent().length === events.length, patienceMs);
  expect(sent()).toEqual(events);
});

it('names what changes in a standing crawl, edition after edition', async () => {
  const editions = new Map<number, number>();
  const site = await startSite(answers(editions));
  // No page is news: the floor of news says how often is looked at what is due.
  const [often, hourly] = [50, 3_600].map((seconds) => ({ floorSeconds: seconds, ceilingSeconds: seconds }));
  const crawl = await embedded.crawl({
    ...{ seeds: [`${site.origin}/`], delaySeconds: 0, allowPrivate: ['127.0.0.0/8'], changes: true },
    keepFresh: { requestsPerDay: 1_000_000, intervals: { news: often, generic: hourly, dormant: hourly } },
  });
  const visited = async (visits: number): Promise<boolean> => {
    const rows = await tables.history.rows(pool, { crawl_id: crawl.id });
    return rows.length === pages + 1 && rows.every((row) => row.visits >= visits && row.next_due !== null);
  };
  await until('all pages are fetched and noted', () => visited(1), patienceMs);
  const expected: number[] = [];
  for (const edition of [1, 2]) {
    const changed = Array.from({ length: pages }, (_, at) => at).filter((at) => at % 10 === edition);
    for (const at of changed) editions.set(at, edition);
    expected.push(...changed);
    await tables.history.change(pool, { crawl_id: crawl.id }, { next_due: fromNow(-1) });
    await tables.standing.change(pool, { crawl_id: crawl.id }, { allowed_at: fromNow(-2 * 86_400) });
    if (edition === 1) await embedded.kill('worker');
    await until(
      `all pages are fetched again for edition ${String(edition)}`,
      () => visited(edition + 1),
      patienceMs,
    );
  }
  await expectFeed(crawl.id, site, expected);
});
