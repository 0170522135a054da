/**
 * What an operator does to a host, from outside its workflow. Each is on record once it is answered, in Postgres or as a
 * signal, and needs no worker for that: a stack without workers takes it too.
 */
import type { WorkflowClient } from '@temporalio/client';
import type { HostAction } from '../contracts/hosts.ts';
import {
  hostWorkflowId,
  pauseHostSignal,
  resumeHostSignal,
  retryHostSignal,
  taskQueues,
} from '../contracts/workflows.ts';
import { dropQueue } from '../storage/hosts.ts';
import type { Pool } from '../storage/pool.ts';
import { unpark } from './redrive.ts';
import { wakeHost } from './wake-host.ts';

export interface Acted {
  /** URLs that were excluded. */
  readonly dropped: number;
  /** Time was up: asked again it goes on. */
  readonly more: boolean;
}

export type ActOnHost = (
  host: { readonly id: string; readonly origin: string },
  action: HostAction,
  reason: string | null,
) => Promise<Acted>;

/** How long one call goes on where much waits at the host; the workflow, or another call, does the rest. */
const actMs = 5_000;

export async function actOnHost(
  pool: Pool,
  workflows: WorkflowClient,
  ...[host, action, reason]: Parameters<ActOnHost>
): Promise<Acted> {
  const until = performance.now() + actMs;
  const common = {
    workflowId: hostWorkflowId(host.origin),
    taskQueue: taskQueues.control,
    args: [{ hostId: host.id, origin: host.origin }],
    workflowTaskTimeout: '5 seconds',
    memo: { host: host.origin },
    staticSummary: host.origin,
  } as const;
  const none = { dropped: 0, more: false };
  switch (action) {
    case 'retry':
      // The host itself is told below.
      await unpark({ pool, wakeHosts: () => undefined }, workflows, host.id, until);
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
      // It holds in any case; its page in Temporal Web shows it a little later.
      await wakeHost(workflows, host.origin);
      return dropped;
    }
  }
}
