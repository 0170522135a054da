/**
 * "The site was down, I mended it, I run it again": a crawl with seeds at parked hosts has each of them asked once, and
 * waits for that answer. Their workflows are told from here, again where one was not heard of.
 */
import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import { askHostSignal, hostWorkflowId } from '../contracts/workflows.ts';
import { retrying } from '../storage/retry.ts';
import { claimAsks } from '../storage/statements/claim-asks.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { unpark } from './redrive.ts';

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
        // Somebody terminated it: then the search for lost hosts finds this one.
        await unpark(dependencies, workflows, hostId);
      }
    }),
  );
}
