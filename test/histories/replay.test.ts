/** Every saved history replays on today's workflow code (F41): a difference would break workflows that are running. */
import { beforeAll, describe, expect, it } from 'vitest';
import { replayFault } from '../../domain/replay-fault.ts';
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
/** What is wrong, and what to do; null: nothing is. */
const replay = async (saved: SavedHistory): Promise<string | null> => {
  const difference = await firstDifference(code, [saved], '120s');
  return difference === null ? null : replayFault(saved.history.events, difference.error.message);
};

beforeAll(async () => {
  silenceReplays();
  code = await presentCode();
});

/** Names of the activities that were scheduled. */
const scheduled = (events: SavedHistory['history']['events']): readonly string[] =>
  events.flatMap((event) => {
    const attributes = event['activityTaskScheduledEventAttributes'] as
      | { activityType: { name: string } }
      | undefined;
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

  it.each(['crawl-paused', 'host-operated', 'scheduler-ordinary', 'job-made'])(
    '%s replays with the header of a trace as well: workflows hand it on, and do nothing else for it',
    async (name) => {
      const { workflowId, history } = load(name);
      const fields = { '_tracer-data': { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'e30=' } };
      const attributes = /^workflowExecution(Started|Signaled)EventAttributes$/;
      const events = history.events.map((event) =>
        Object.fromEntries(
          Object.entries(event).map(([field, value]) => [
            field,
            attributes.test(field) ? { ...(value as object), header: { fields } } : value,
          ]),
        ),
      );
      expect(await replay({ workflowId, history: { events } })).toBeNull();
    },
  );

  it('a changed workflow is found out: workflow, event and what to do are named', async () => {
    const { workflowId, history } = load('host-ordinary');
    const at = history.events.findIndex((event) => scheduled([event])[0] === 'fetchSlice');
    const { eventId, eventTime, taskId, ...event } = history.events[at] ?? {};
    const replayed = (other: object): Promise<string | null> => {
      const events = history.events.with(at, { eventId, eventTime, taskId, ...other });
      return replay({ workflowId, history: { events } });
    };
    const place = `the workflow host takes another step than its history has at event ${String(eventId)}`;
    const advice =
      "; put the new way behind patched('…') and keep the old way beside it (CONTRIBUTING.md, “Changing a workflow”)";
    const attributes = event['activityTaskScheduledEventAttributes'] as object;
    const renamed = {
      ...event,
      activityTaskScheduledEventAttributes: { ...attributes, activityType: { name: 'other' } },
    };
    expect(await replayed(renamed)).toBe(
      `${place}: Activity type of scheduled event 'other' does not match activity type of activity command 'fetchSlice'${advice}`,
    );
    const timer = {
      eventType: 'EVENT_TYPE_TIMER_STARTED',
      timerStartedEventAttributes: { timerId: '1', startToFireTimeout: '5s' },
    };
    expect(await replayed(timer)).toMatch(`${place} (TimerStarted): Activity machine does not handle`);
  });

  it('a workflow that fails is told apart from one that goes another way', async () => {
    const { workflowId, history } = load('host-ordinary');
    const [first, ...events] = history.events;
    const attributes = first?.['workflowExecutionStartedEventAttributes'] as object;
    const unknown = {
      ...first,
      workflowExecutionStartedEventAttributes: { ...attributes, workflowType: { name: 'nobody' } },
    };
    expect(await replay({ workflowId, history: { events: [unknown, ...events] } })).toBe(
      "the workflow nobody fails: Failed to initialize workflow of type 'nobody': no such function is exported by the workflow bundle",
    );
  });
});
