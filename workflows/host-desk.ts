/** What an operator sees of a host in Temporal Web: its current details, in Markdown. Pure. */
import type { WantedBy } from '../contracts/activities.ts';
import { crawlWorkflowId, type HostMode } from '../contracts/workflows.ts';
import { counted, grouped } from '../domain/counted.ts';
import { plainMarkdown } from '../domain/plain-markdown.ts';
import { reasons, type ClosedBy } from '../domain/waits/reasons.ts';
import { consoleLink, workflowLink } from './workflow-link.ts';

export interface DeskState {
  readonly origin: string;
  readonly mode: HostMode;
  readonly fetched: number;
  readonly queued: number;
  readonly deadLetters: number;
  readonly delayMs: number;
  readonly pausedReason: string | null;
  readonly lastError: string | null;
  readonly troubleSince: number | null;
  readonly nextVisit: number | null;
  /** While the host is parked: what the last probe found; null: nothing yet. */
  readonly lastProbe: string | null;
  /** Why the host waits for its next visit; null: because of pace or trouble. */
  readonly closedBy: ClosedBy | null;
  readonly wantedBy: WantedBy;
  readonly namespace: string;
  /** Its screen in the console; absent: nobody knows where that is. */
  readonly screen?: unknown;
}

const seconds = (ms: number): string => `${String(Math.round(ms / 100) / 10)} s`;
const at = (time: number): string => new Date(time).toISOString();

const headlines: Readonly<Record<HostMode, string>> = {
  active: 'is being crawled',
  backoff: 'is in backoff: it is left alone for a while',
  closed: 'is closed: no request may be sent to it now',
  'opted-out': 'has opted out of being crawled',
  paused: 'is paused by an operator',
  parked: 'is parked: its retries are spent',
};

const buttons: Readonly<Record<HostMode, string>> = {
  active:
    'Signal `pause` stops the host after the request in flight; update `setDelay` changes its delay; update `redrive` queues its dead letters again.',
  closed:
    'The host goes on by itself. Signal `pause` keeps it closed; update `drop` excludes its queued URLs.',
  'opted-out': 'None: its queued URLs are excluded until the opt-out is removed.',
  backoff: 'The host goes on by itself. Update `retry` tries it now; update `drop` excludes its queued URLs.',
  paused: 'Signal `resume` lets the host go on.',
  parked:
    'Update `retry` tries the host again, with the dead letters of this trouble; update `redrive` tries it with all its dead letters; update `drop` excludes its queued URLs.',
};

/** A few lines: what is wrong, since when, what comes next, and which buttons help. */
export function deskMarkdown(state: DeskState): string {
  const { fetched, queued, deadLetters, delayMs } = state;
  const lines = [
    `### ${plainMarkdown(state.origin)} ${headlines[state.mode]}${consoleLink(state.screen)}`,
    '',
    // A line at the top: of a table at the end Temporal Web, which shows some lines only, would cut off the last row.
    `**URLs:** ${grouped(fetched)} settled, ${grouped(queued)} queued, ${counted(deadLetters, 'dead letter')}; delay ${seconds(delayMs)}`,
    '',
  ];
  if (state.lastError !== null) {
    const since = state.troubleSince === null ? '' : ` (since ${at(state.troubleSince)})`;
    lines.push(`**What is wrong:** ${plainMarkdown(state.lastError)}${since}`, '');
  }
  if (state.pausedReason !== null) lines.push(`**Why paused:** ${plainMarkdown(state.pausedReason)}`, '');
  if (state.closedBy !== null) lines.push(`**Why it waits:** ${reasons[state.closedBy].desk}`, '');
  const next = whatComesNext(state);
  if (next !== null) lines.push(`**What comes next:** ${next}`, '');
  lines.push(`**Buttons:** ${buttons[state.mode]}`, '');
  const { crawls, more } = state.wantedBy;
  if (crawls.length > 0) {
    const links = crawls.map((id) => workflowLink(state.namespace, crawlWorkflowId(id), `crawl ${id}`));
    lines.push(`**Wanted by:** ${links.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`, '');
  }
  return lines.slice(0, -1).join('\n');
}

/** What comes next, for people; null: nothing to say. */
function whatComesNext({ mode, nextVisit, lastProbe }: DeskState): string | null {
  const found = lastProbe === null ? '' : ` The last probe found: ${plainMarkdown(lastProbe)}.`;
  switch (mode) {
    case 'active':
    case 'closed':
      return nextVisit === null ? null : `the next visit at ${at(nextVisit)}`;
    case 'backoff':
      return nextVisit === null
        ? 'a visit, which Temporal retries: the pending activity shows the attempt, the last failure and the next time'
        : `the next visit at ${at(nextVisit)}`;
    case 'opted-out':
      return null;
    case 'paused':
      return 'nothing, until somebody resumes the host';
    case 'parked':
      return nextVisit === null
        ? null
        : `a probe at ${at(nextVisit)}: robots.txt is requested, and if it can be read, the host goes on by itself. Each further wait is twice as long, up to a day.${found}`;
  }
}
