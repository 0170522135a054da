/** Every saved history replays on today's workflow code (F41): a difference would break workflows that are running. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';

const saved = join(import.meta.dirname, 'saved');
const names = readdirSync(saved).filter((name) => name.endsWith('.json'));
let workflowBundle: WorkflowBundleWithSourceMap;

interface SavedHistory {
  readonly workflowId: string;
  readonly history: { readonly events: readonly Record<string, unknown>[] };
}
const load = (name: string): SavedHistory =>
  JSON.parse(readFileSync(join(saved, name), 'utf8')) as SavedHistory;

async function replay({ workflowId, history }: SavedHistory): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle }, historyFromJSON(history), workflowId);
}

beforeAll(async () => {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  const workflowsPath = join(import.meta.dirname, '..', '..', 'workflows', 'index.ts');
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
});

describe('saved histories', () => {
  it('cover every workflow, backoff, pause, parking, continue-as-new, cancellation and reset', () => {
    const kinds = new Set(names.map((name) => name.slice(0, -'.json'.length)));
    for (const kind of [
      'crawl-ordinary',
      'crawl-paused',
      'crawl-cancelled',
      'scheduler-ordinary',
      'host-ordinary',
      'host-paused',
      'host-parked',
      'host-parked-retried',
      'host-probed-redriven',
      'redrive-crawl',
      'edit-applied',
      'webhook-retried',
      'host-continued-first',
      'host-continued-latest',
      'host-cancelled-visiting',
      'host-cancelled-paused',
      'host-cancelled-parked',
      'host-visit-lost',
      'host-reset',
      'crawl-reset',
      'scheduler-cancelled',
      'crawl-cancelled-in-web',
    ]) {
      expect(kinds).toContain(kind);
    }
    const last = load('host-continued-first.json').history.events.at(-1);
    expect(last?.['eventType']).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
  });

  it.each(names)('%s replays', async (name) => {
    await expect(replay(load(name))).resolves.toBeUndefined();
  });

  it('a changed workflow is found out', async () => {
    const { workflowId, history } = load('host-ordinary.json');
    const changed = history.events.map((event) => {
      const scheduled = event['activityTaskScheduledEventAttributes'] as
        { activityType: { name: string } } | undefined;
      return scheduled?.activityType.name === 'fetchSlice'
        ? {
            ...event,
            activityTaskScheduledEventAttributes: { ...scheduled, activityType: { name: 'other' } },
          }
        : event;
    });
    await expect(replay({ workflowId, history: { events: changed } })).rejects.toThrow(/nondeterminism/i);
  });
});
