/** The saved histories, and their replay on workflow code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Worker } from '@temporalio/worker';
import { loadConfig } from '../../config/config.ts';
import { workflowBundle } from '../../workers/workflow-bundle.ts';
import { quietRuntime } from '../support/quiet-runtime.ts';

export const saved = join(import.meta.dirname, 'saved');

export interface SavedHistory {
  readonly workflowId: string;
  readonly history: { readonly events: readonly Record<string, unknown>[] };
}

/** Names of the saved histories, the shortest first. */
export function savedNames(): readonly string[] {
  const files = readdirSync(saved).filter((name) => name.endsWith('.json'));
  const bytes = new Map(files.map((file) => [file, readFileSync(join(saved, file)).length]));
  return files
    .sort((a, b) => (bytes.get(a) ?? 0) - (bytes.get(b) ?? 0))
    .map((file) => file.slice(0, -'.json'.length));
}

export const load = (name: string): SavedHistory =>
  JSON.parse(readFileSync(join(saved, `${name}.json`), 'utf8')) as SavedHistory;

/** The type of the workflow that a history is of. */
export function workflowType({ history }: SavedHistory): string {
  const started = history.events[0]?.['workflowExecutionStartedEventAttributes'] as
    | { workflowType: { name: string } }
    | undefined;
  return started?.workflowType.name ?? '';
}

/** The workflow code of this folder as one script, from the cache if it has not changed. */
export async function presentCode(): Promise<string> {
  const file = await workflowBundle(loadConfig().cacheDir);
  // Nobody reads traces here, and each worker would parse the map.
  const none = Buffer.from(
    '{"version":3,"file":"workflows.js","sources":[],"names":[],"mappings":""}',
  ).toString('base64');
  const code = readFileSync(file, 'utf8');
  return code.replace(/(sourceMappingURL=data:application\/json;[^,]*base64),\S*/, `$1,${none}`);
}

/** Replays that go wrong are expected here: nobody reads what the SDK logs of them. */
export function silenceReplays(): void {
  quietRuntime({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { forward: {} } },
    shutdownSignals: [],
  });
}

/**
 * Replays histories one after the other. Answers the place of the first that differs and its error; null: none does.
 * @param most that a workflow may compute at a time: code that was changed may have a loop without an end
 */
export async function firstDifference(
  code: string,
  histories: readonly SavedHistory[],
  most: '10s' | '120s' = '10s',
): Promise<{ readonly at: number; readonly error: Error } | null> {
  // In this thread, which starts ten times as fast; a loop without an end is stopped as it is by a worker in use.
  const options = { workflowBundle: { code }, debugMode: true, isolateExecutionTimeout: most };
  let at = 0;
  const parsed = histories.map(({ workflowId, history }) => ({
    workflowId,
    history: historyFromJSON(history),
  }));
  for await (const { error } of Worker.runReplayHistories(options, parsed)) {
    if (error !== undefined) return { at, error };
    at++;
  }
  // The SDK ends without a word where a worker is lost.
  return at === histories.length ? null : { at, error: new Error('the replay ended before its time') };
}
