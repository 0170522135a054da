/** Every saved history replays on today's workflow code (F41): a difference would break workflows that are running. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  firstDifference,
  load,
  presentCode,
  savedNames,
  silenceReplays,
  type SavedHistory,
} from './saved-histories.ts';
import { crawlScripts } from './scripted/crawls.ts';
import { hostScripts } from './scripted/hosts.ts';
import { otherScripts } from './scripted/others.ts';

const names = savedNames();
let code: string;
const replay = async (history: SavedHistory): Promise<string | null> =>
  (await firstDifference(code, [history], '120s'))?.error.message ?? null;

beforeAll(async () => {
  silenceReplays();
  code = await presentCode();
});

/** Names of the activities that were scheduled. */
const scheduled = (events: SavedHistory['history']['events']): readonly string[] =>
  events.flatMap((event) => {
    const attributes = event['activityTaskScheduledEventAttributes'] as
      { activityType: { name: string } } | undefined;
    return attributes === undefined ? [] : [attributes.activityType.name];
  });

describe('saved histories', () => {
  it('cover every workflow, backoff, pause, parking, continue-as-new, cancellation and reset', () => {
    const scripted = [...hostScripts, ...crawlScripts, ...otherScripts].map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['crawl-ordinary', 'crawl-paused', 'crawl-cancelled', 'crawl-reset', 'crawl-cancelled-in-web'],
        ...['crawl-cancelled-paused'],
        ...['host-ordinary', 'host-paused', 'host-parked', 'host-parked-retried', 'host-probed-redriven'],
        ...['host-continued-first', 'host-continued-latest', 'host-visit-lost', 'host-reset'],
        ...['host-cancelled-visiting', 'host-cancelled-paused', 'host-cancelled-parked', 'host-asked'],
        ...['scheduler-ordinary', 'scheduler-cancelled', 'redrive-crawl', 'edit-applied', 'webhook-retried'],
        ...scripted,
      ]),
    );
    for (const name of names.filter((each) => /-continued(-first)?$/.test(each))) {
      const last = load(name).history.events.at(-1);
      expect(last?.['eventType'], name).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
    }
  });

  it.each(names)('%s replays', async (name) => {
    expect(await replay(load(name))).toBeNull();
  });

  it('a scheduler whose run is too long feeds on while its lanes end', () => {
    const { events } = load('scheduler-lanes-ended-continued').history;
    const at = events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED');
    expect(at).toBeGreaterThan(0);
    const since = scheduled(events.slice(at));
    expect(since.filter((name) => name === 'feed').length).toBeGreaterThanOrEqual(4);
    expect(since).not.toContain('dedup');
    expect(since).not.toContain('extract');
  });

  it('a crawl is looked up and paused within the task that asks for it; an ordinary activity resumes it', () => {
    const activities = scheduled(load('crawl-all-at-once').history.events);
    expect(activities).not.toContain('lookAtCrawl');
    // At its beginning, when it was found paused, and for both resumes: nobody watches a paused crawl, so what Temporal
    // might lose would leave it running unwatched.
    expect(activities.filter((name) => name === 'setCrawlState')).toHaveLength(3);
  });

  it('a changed workflow is found out', async () => {
    const { workflowId, history } = load('host-ordinary');
    const changed = history.events.map((event) => {
      const [name] = scheduled([event]);
      const attributes = event['activityTaskScheduledEventAttributes'] as object | undefined;
      return name === 'fetchSlice'
        ? {
            ...event,
            activityTaskScheduledEventAttributes: { ...attributes, activityType: { name: 'other' } },
          }
        : event;
    });
    expect(await replay({ workflowId, history: { events: changed } })).toMatch(/nondeterminism/i);
  });
});
