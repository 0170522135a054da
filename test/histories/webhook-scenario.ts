/** A webhook whose receiver refuses the first event once and takes the rest. Answers the workflow's id. */
import { createWebhook } from '../../storage/webhooks/index.ts';
import { setCrawlState } from '../../storage/crawls/index.ts';
import { webhookWorkflowId } from '../../contracts/workflows.ts';
import { startReceiver, status, taken } from '../integration/webhooks/receiver.ts';
import type { CrawlDesk } from '../support/crawling.ts';

export async function refusedOnce(desk: CrawlDesk): Promise<string> {
  const { pool } = desk;
  const receiver = await startReceiver();
  receiver.answer('/hook', (received, response) => {
    (receiver.got.length === 1 ? status(500) : taken)(received, response);
  });
  const { rows } = await pool.query<{ id: number }>(
    `insert into crawl (config, state) values ('{}', 'paused') returning id`,
  );
  const crawl = rows[0]?.id ?? 0;
  const wish = { url: `${receiver.url}/hook`, kinds: null, crawlId: String(crawl) };
  const made = await createWebhook(pool, 1, wish);
  if (made === null) throw new Error('there are too many webhooks');
  const { id } = made.body;
  const settled = `select coalesce(max(settled), 0) >= $2 as yes from webhook_cursor where webhook_id = $1`;
  // The patrol finds it, and ends it for want of URLs, or this does: one more event either way.
  await setCrawlState(pool, crawl, 'running', null, null);
  await desk.until(settled, [id, 1]);
  await setCrawlState(pool, crawl, 'cancelled', 'cancelled', null);
  await desk.until(settled, [id, 2]);
  await desk.until('select tended_at is null as yes from webhook where id = $1', [id]);
  await receiver.stop();
  return webhookWorkflowId(id);
}
