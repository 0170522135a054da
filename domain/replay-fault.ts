/** Why a history does not replay on the present workflows, in one sentence that says what to do. */

/** An event as the JSON of a history has it. */
export type HistoryEvent = Readonly<Record<string, unknown>>;

const advice =
  "put the new way behind patched('…') and keep the old way beside it (CONTRIBUTING.md, “Changing a workflow”)";

/** @param message of the SDK's error, which has what its core says as the text of a Rust value */
export function replayFault(events: readonly HistoryEvent[], message: string): string {
  const type = startedType(events);
  const [, quoted] = /message: "((?:[^"\\]|\\.)*)"/s.exec(message) ?? [];
  const [said = ''] = (quoted?.replace(/\\(["'\\])/g, '$1') ?? message).split(/\n|\\n/);
  if (!/nondeterminism|TMPRL1100/i.test(message)) return `the workflow ${type} fails: ${said}`;
  const why = said.replace(/^(?:\[\w+\] )?(?:Nondeterminism error: )?/, '');
  return `the workflow ${type} takes another step than its history has at ${placeOf(events, why)}: ${why}; ${advice}`;
}

function startedType([first]: readonly HistoryEvent[]): string {
  const started = first?.['workflowExecutionStartedEventAttributes'] as
    | { readonly workflowType?: { readonly name?: string } }
    | undefined;
  return started?.workflowType?.name ?? 'of an unknown type';
}

/** The core names an event, or only what was scheduled, of which there may be several. */
function placeOf(events: readonly HistoryEvent[], why: string): string {
  const [, id, kind] = /HistoryEvent\(id: (\d+), (\w+)\)/.exec(why) ?? [];
  if (id !== undefined) return `event ${id} (${String(kind)})`;
  const [, name] = /(?:scheduled|initiated) event '([^']*)'/.exec(why) ?? [];
  const [first, another] =
    name === undefined
      ? []
      : events.filter((event) => isOf(event, name)).map(({ eventId }) => String(eventId));
  if (first === undefined) return 'an event that the SDK does not name';
  return another === undefined ? `event ${first}` : `event ${first}, or a later one of its kind`;
}

interface Scheduled {
  readonly activityType?: { readonly name?: string };
  readonly activityId?: string;
  readonly workflowType?: { readonly name?: string };
  readonly workflowId?: string;
}

/** An activity or a child that has this type or id. */
function isOf(event: HistoryEvent, name: string): boolean {
  const of = (event['activityTaskScheduledEventAttributes'] ??
    event['startChildWorkflowExecutionInitiatedEventAttributes']) as Scheduled | undefined;
  return [of?.activityType?.name, of?.activityId, of?.workflowType?.name, of?.workflowId].includes(name);
}
