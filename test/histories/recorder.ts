/** Saves histories of a stack's workflows, as its recording scenarios ask for them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { CrawlDesk } from '../support/crawling.ts';
import { urlsDone } from '../support/database/index.ts';
import { until } from '../support/until.ts';
import { saved } from './saved-histories.ts';

/** Stack traces name the folders of the machine they were recorded on. */
const withoutTraces = (key: string, value: unknown): unknown => (key === 'stackTrace' ? '' : value);

/** The history of a run of a workflow: the first, the latest, or by its id, as JSON that names its workflow id. */
export async function save(
  desk: Pick<CrawlDesk, 'client'>,
  name: string,
  workflowId: string,
  run: string,
): Promise<void> {
  const handle = desk.client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe();
  const firstRun = raw.workflowExtendedInfo?.resetRunId ?? undefined;
  const runs: string[] = [];
  for await (const each of desk.client.workflow.list({ query: `WorkflowId = "${workflowId}"` }))
    runs.push(each.runId);
  const runId = run === 'first' ? runs.at(-1) : run === 'latest' ? runs[0] : run;
  const history = await desk.client.workflow.getHandle(workflowId, runId ?? firstRun).fetchHistory();
  writeFileSync(
    join(saved, `${name}.json`),
    JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) as unknown }, withoutTraces, 1) +
      '\n',
  );
  console.log(`${name}: ${String(history.events?.length ?? 0)} events`);
}

export const host = (origin: string): string => `host/${origin}`;
export const settled = (desk: CrawlDesk, id: string, count: number): Promise<void> =>
  until(`${String(count)} are done`, async () => (await urlsDone(desk.pool, id)) >= count);

export async function hostMode(desk: CrawlDesk, origin: string, mode: string): Promise<void> {
  for (;;) {
    const view = await desk.client.workflow
      .getHandle(host(origin))
      .query<{ mode: string }>('state')
      .catch(() => null);
    if (view?.mode === mode) return;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** "Request Cancellation" in Temporal Web: what the run made of it that was cancelled. */
export async function cancelled(desk: CrawlDesk, name: string, workflowId: string): Promise<void> {
  const { runId } = await desk.client.workflow.getHandle(workflowId).describe();
  const run = desk.client.workflow.getHandle(workflowId, runId, { followRuns: false });
  await run.cancel();
  await run.result().catch(() => undefined);
  await save(desk, name, workflowId, runId);
}

/** "Reset" in Temporal Web, to the first workflow task and with none of its signals. Returns the run that goes on. */
export async function reset(desk: CrawlDesk, workflowId: string): Promise<string> {
  const { runId } = await desk.client.workflow.getHandle(workflowId).describe();
  const request: unknown = {
    ...{ namespace: 'default', workflowExecution: { workflowId, runId }, reason: 'to be recorded' },
    ...{ workflowTaskFinishEventId: 4, requestId: `${workflowId} ${runId}`, resetReapplyType: 2 },
  };
  return (await desk.client.workflowService.resetWorkflowExecution(request as never)).runId;
}
