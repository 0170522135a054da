/**
 * For people who repair a site and start its crawl again: if a crawl has seeds at parked hosts, each of these hosts is
 * probed once, and the crawl waits for the result. This function asks the hosts' workflows for the probe, again if no
 * answer has come.
 */
import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import { askHostSignal, hostWorkflowId } from '../contracts/workflows.ts';
import { retrying } from '../storage/postgres/index.ts';
import { claimAsks } from '../storage/hosts/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { unpark } from '../engine/letters/redrive.ts';
import { reopenCrawl } from './open-workflows.ts';

export async function askHosts(
  dependencies: Pick<Dependencies, 'pool' | 'wakeHosts'>,
  workflows: WorkflowClient,
  crawlId: string,
): Promise<void> {
  const hosts = await retrying(() => claimAsks(dependencies.pool, Number(crawlId)));
  await Promise.all(
    hosts.map(async ({ host_id: hostId, origin }) => {
      try {
        await workflows.getHandle(hostWorkflowId(origin)).signal(askHostSignal);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        // Somebody terminated the workflow: unparked, the host is found by the search for lost hosts.
        await unpark(dependencies, (id) => reopenCrawl(workflows, id), hostId);
      }
    }),
  );
}
