/**
 * A process that watches a crawl as a control worker does until its seeds are admitted, and prints how much memory that
 * took. Argument: the crawl's id.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import { createCrawlActivities } from '../../../activities/crawls.ts';
import { loadServiceConfig } from '../../../config/config.ts';
import { nextSeeds } from '../../../storage/seeds/index.ts';
import { openDependencies } from '../../../workers/dependencies.ts';
import { asActivity } from '../../support/activity.ts';

const crawlId = process.argv[2] ?? '';
const config = loadServiceConfig();
const { workflow, schedule } = new Client({
  connection: Connection.lazy({ address: config.temporalAddress }),
});
const { dependencies } = await openDependencies(
  config,
  randomUUID(),
  { workflow, schedule },
  pino({ level: 'silent' }),
);
const { watchCrawl } = createCrawlActivities({ ...dependencies, wakeHosts: () => undefined }, workflow);
while ((await nextSeeds(dependencies.pool, Number(crawlId), 1)).length > 0)
  await asActivity(() => watchCrawl({ crawlId, watchMs: 0 }));
writeSync(1, 'admitted\n');
process.exit();
