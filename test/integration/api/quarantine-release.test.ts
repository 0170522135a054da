/** A release of shapes tells how many URLs are queued again, whoever queues them. */
import { expect, it } from 'vitest';
import { quarantineJudged, type QuarantineView } from '../../../contracts/http/quarantine.ts';
import { listQuarantine, tendQuarantine } from '../../../storage/traps/index.ts';
import { addUrl, like, tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { ask } from './asking.ts';
import { newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();

it('counts the URLs that a worker queues while the API waits', async () => {
  const crawl = await newRunningCrawl(pool);
  const host = 'https://calendar.example';
  const shape = '/day/{n}';
  await addUrl(pool, crawl, `${host}/about`);
  for (let day = 1; day <= 14; day++) await addUrl(pool, crawl, `${host}/day/${String(day)}`);
  const path = `/v1/crawls/${crawl}/quarantine`;
  const held = await ask<QuarantineView>(api.url, null, 'POST', path, { host, shape });
  expect(held.status).toBe(201);
  const keptBack = { state: 'excluded', reason: 'trap', detail: `${held.body.id}: ${shape}` } as const;
  await tables.url.change(pool, { crawl_id: Number(crawl), url: like('%/day/%') }, keptBack);
  const answer = ask(api.url, null, 'POST', `${path}/release`, {});
  await until('a worker has queued the URLs', async () => {
    await tendQuarantine(pool, 10, 5_000);
    const [row] = await listQuarantine(pool, {
      crawlId: crawl,
      verdicts: ['released'],
      limit: 1,
      counted: 100,
    });
    return row?.urls === 0;
  });
  expect(quarantineJudged.parse((await answer).body)).toEqual({ shapes: 1, urls: 14, more: false, left: 0 });
});
