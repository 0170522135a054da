/** A webhook whose receiver refuses the first event once and takes the rest. Answers the workflow's id. */
import { jobWorkflowId } from '../../contracts/jobs.ts';
import { createWebhook } from '../../storage/webhooks/index.ts';
import { setCrawlState } from '../../storage/crawls/index.ts';
import { startReceiver, status, taken } from '../integration/webhooks/receiver.ts';
import type { CrawlDesk } from '../support/crawling.ts';
import { tables } from '../support/database/index.ts';
import { until } from '../support/until.ts';

export async function refusedOnce(desk: CrawlDesk): Promise<string> {
  const { pool } = desk;
  const receiver = await startReceiver();
  receiver.answer('/hook', (received, response) => {
    (receiver.got.length === 1 ? status(500) : taken)(received, response);
  });
  const { id: crawl } = await tables.crawl.add(pool, { config: {}, state: 'paused' });
  const wanted = { url: `${receiver.url}/hook`, kinds: null, crawlId: String(crawl) };
  const made = await createWebhook(pool, 1, wanted);
  if (made === null) throw new Error('there are too many webhooks');
  const { id } = made.body;
  const settled = (events: number): Promise<void> =>
    until('they are delivered', async () =>
      (await tables.cursor.rows(pool, { webhook_id: id })).some((cursor) => cursor.settled >= events),
    );
  // The patrol finds it, and ends it for want of URLs, or this does: one more event either way.
  await setCrawlState(pool, crawl, 'running', null, null);
  await settled(1);
  await setCrawlState(pool, crawl, 'cancelled', 'cancelled', null);
  await settled(2);
  await until('the webhook rests', async () => (await tables.webhook.row(pool, { id })).tended_at === null);
  await receiver.stop();
  return jobWorkflowId('webhook', id);
}
