/** `replay`: checks whether the present histories still fit the present workflows. */
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker, type ReplayHistoriesIterable } from '@temporalio/worker';
import { loadConfig } from '../config/config.ts';
import { entryScript } from '../config/package.ts';
import type { StackInfo } from '../stack/info.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { runningStack } from './running-stack.ts';
import { withOwnStack } from './stack.ts';

/** @param workflowId null: all open workflows, `limit` at most */
export async function replay(workflowId: string | null, limit: number): Promise<ExitCode> {
  const config = loadConfig();
  const running = runningStack(config.dataDir, 'services');
  const work = (stack: StackInfo): Promise<ExitCode> => replayFrom(stack, workflowId, limit);
  return running === null ? withOwnStack(config, 'services', work) : work(running);
}

async function replayFrom(
  stack: Pick<StackInfo, 'temporalAddress' | 'temporalNamespace'>,
  workflowId: string | null,
  limit: number,
): Promise<ExitCode> {
  // Log lines of a workflow were written when it ran.
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined), shutdownSignals: [] });
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const client = new Client({ connection, namespace: stack.temporalNamespace });
    const histories = workflowId === null ? openHistories(client, limit) : oneHistory(client, workflowId);
    return await judge(histories);
  } finally {
    await connection.close();
  }
}

async function judge(histories: ReplayHistoriesIterable): Promise<ExitCode> {
  let replayed = 0;
  let different = 0;
  const results = Worker.runReplayHistories({ workflowsPath: entryScript('workflows/index') }, histories);
  for await (const { workflowId, error } of results) {
    replayed++;
    if (error === undefined) continue;
    different++;
    process.stdout.write(`${workflowId} differs: ${error.message.split('\n')[0] ?? ''}\n`);
  }
  if (replayed === 0) process.stdout.write('There is no open workflow.\n');
  else process.stdout.write(`${String(replayed)} replayed, ${String(different)} differ.\n`);
  return different === 0 ? exitCodes.ok : exitCodes.failed;
}

async function* openHistories(client: Client, limit: number): ReplayHistoriesIterable {
  let taken = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    if (taken++ >= limit) return;
    yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
  }
}

async function* oneHistory(client: Client, workflowId: string): ReplayHistoriesIterable {
  const history = await client.workflow
    .getHandle(workflowId)
    .fetchHistory()
    .catch((error: unknown) => {
      throw new CommandError(`There is no workflow ${workflowId}.`, exitCodes.badUse, { cause: error });
    });
  yield { workflowId, history };
}
