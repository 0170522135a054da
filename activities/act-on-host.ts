/**
 * What an operator does to a host, from outside its workflow. An action is recorded, in Postgres or as a signal, before
 * it is answered. That needs no worker, so it works on a stack without workers too.
 */
import type { WorkflowClient } from '@temporalio/client';
import type { HostAction } from '../contracts/hosts.ts';
import { pauseHostSignal, resumeHostSignal, retryHostSignal } from '../contracts/workflows.ts';
import { dropQueue } from '../storage/hosts/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { unpark } from '../engine/letters/redrive.ts';
import { hostWorkflow, reopenCrawl } from './open-workflows.ts';
import { wakeHost } from './wake-host.ts';

export interface Acted {
  /** URLs that were excluded. */
  readonly dropped: number;
  /** Time was up before all was done: the caller may call again to go on. */
  readonly more: boolean;
}

export type ActOnHost = (
  host: { readonly id: string; readonly origin: string },
  action: HostAction,
  reason: string | null,
) => Promise<Acted>;

/** Milliseconds after which one call ends; the workflow, or another call, does the rest. */
const actMs = 5_000;

export async function actOnHost(
  pool: Pool,
  workflows: WorkflowClient,
  ...[host, action, reason]: Parameters<ActOnHost>
): Promise<Acted> {
  const until = performance.now() + actMs;
  const common = hostWorkflow({ hostId: host.id, origin: host.origin });
  const none = { dropped: 0, more: false };
  switch (action) {
    case 'retry':
      // No wake here: the signal below tells the host.
      await unpark(
        { pool, wakeHosts: () => undefined },
        (crawlId) => reopenCrawl(workflows, crawlId),
        host.id,
        until,
      );
      await workflows.signalWithStart('host', { ...common, signal: retryHostSignal });
      return none;
    case 'pause':
      await workflows.signalWithStart('host', { ...common, signal: pauseHostSignal, signalArgs: [reason] });
      return none;
    case 'resume':
      await workflows.signalWithStart('host', { ...common, signal: resumeHostSignal });
      return none;
    case 'drop': {
      const dropped = await dropQueue(pool, host.id, reason ?? 'dropped by an operator', until);
      // The drop is done already; the signal only refreshes the host's page in Temporal Web.
      await wakeHost(workflows, host.origin);
      return dropped;
    }
  }
}
