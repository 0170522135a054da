/** What waits for a receiver, and what becomes of it while the webhook is edited (F38). */
import { expect, it } from 'vitest';
import {
  nextDelivery,
  settleFailed,
  type Delivery,
  createWebhook,
  editWebhook,
  replay,
} from '../../../storage/webhooks/index.ts';
import { moveCrawl, runningCrawl, withFrontier } from './frontier.ts';

const { pool } = withFrontier();

const made = async (crawlId: string | null): Promise<string> => {
  const webhook = await createWebhook(pool, 1, { url: 'https://old.example/hook', kinds: null, crawlId });
  if (webhook === null) throw new Error('there are too many webhooks');
  return webhook.body.id;
};
const delivery = async (id: string): Promise<Delivery> => {
  const next = await nextDelivery(pool, id);
  if (next === null || typeof next !== 'object') throw new Error(`nothing is due: ${String(next)}`);
  return next;
};

it.each([
  ['was its last', null],
  ['is to be followed by another', 3_600_000],
])('an edit saves the event whose attempt under way %s', async (_which, retryMs) => {
  const crawl = await runningCrawl(pool);
  const id = await made(String(crawl));
  await moveCrawl(pool, crawl, 'paused');
  const sent = await delivery(id);
  await editWebhook(pool, 1, id, { url: 'https://new.example/hook' }, null);
  await settleFailed(
    pool,
    sent,
    { status: 500, message: 'no', counts: true, retryMs, pauseMs: 600_000, disabledReason: null },
    5,
  );
  const again = await delivery(id);
  expect(again).toMatchObject({
    attempt: 1,
    messageId: sent.messageId,
    webhook: { url: 'https://new.example/hook' },
  });
});

it('edits and replays of one webhook at once all succeed', async () => {
  const crawls = await Promise.all(Array.from({ length: 30 }, () => runningCrawl(pool)));
  const id = await made(null);
  for (const crawl of crawls.toReversed()) await moveCrawl(pool, crawl, 'paused');
  const edits = Array.from({ length: 20 }, (_, n) =>
    editWebhook(pool, 1, id, { url: `https://new.example/${String(n)}` }, null),
  );
  const replays = Array.from({ length: 20 }, () => replay(pool, 1, id, { since: '2020-01-01T00:00:00Z' }));
  await Promise.all([...edits, ...replays]);
});
