/** Starts crawls in a test's own world without the API, and waits for their results. */
import { Client, Connection } from '@temporalio/client';
import { startMissing } from '../../activities/open-workflows.ts';
import { type Pool, createPool } from '../../storage/postgres/index.ts';
import { createCrawl } from '../../storage/starting/index.ts';
import { readSeeds } from '../../storage/seeds/index.ts';
import { defaultCrawlConfig, type CrawlConfig } from '../../contracts/crawl.ts';
import { crawlWorkflowId, type CrawlResult } from '../../contracts/workflows.ts';
import { given } from './given.ts';
import type { World } from './world.ts';

export interface CrawlDesk {
  readonly pool: Pool;
  readonly client: Client;
  /** @param tenantId absent: the default tenant */
  start(seeds: readonly string[], config?: Partial<CrawlConfig>, tenantId?: number): Promise<string>;
  /** The crawl's result, once its workflow has ended. */
  ended(crawlId: string): Promise<CrawlResult>;
  close(): Promise<void>;
}

export async function openDesk(
  world: Pick<World, 'databaseUrl' | 'temporalAddress' | 'namespace'>,
): Promise<CrawlDesk> {
  const pool = createPool(world.databaseUrl, 4, () => undefined);
  const connection = await Connection.connect({ address: world.temporalAddress });
  const client = new Client({ connection, namespace: world.namespace });
  return {
    pool,
    client,
    async start(seeds, config = {}, tenantId?) {
      const id = await createCrawl(pool, { ...defaultCrawlConfig, ...config }, readSeeds(seeds), tenantId);
      // The patrol may have started the workflow already.
      await startMissing.crawl(client.workflow, id);
      return id;
    },
    ended: (crawlId) => client.workflow.getHandle(crawlWorkflowId(crawlId)).result() as Promise<CrawlResult>,
    async close() {
      await pool.end();
      await connection.close();
    },
  };
}

/** A desk for the tests of a file. */
export const withDesk = (world: Parameters<typeof openDesk>[0]): CrawlDesk =>
  given(
    () => openDesk(world),
    (desk) => desk.close(),
  );
