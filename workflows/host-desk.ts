/** What an operator sees of a host in Temporal Web: its current details, in Markdown. Pure. */
import type { HostMode } from '../contracts/workflows.ts';

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
}

const seconds = (ms: number): string => `${String(Math.round(ms / 100) / 10)} s`;
const at = (time: number): string => new Date(time).toISOString();

const headlines: Readonly<Record<HostMode, string>> = {
  active: 'is being crawled',
  backoff: 'is left alone for a while',
  paused: 'is paused by an operator',
  parked: 'is parked: its retries are spent',
};

const buttons: Readonly<Record<HostMode, string>> = {
  active: 'Signal `pause` stops it after the request in flight; update `setDelay` changes its pace.',
  backoff: 'It goes on by itself. Update `retry` tries now; update `drop` gives its queue up.',
  paused: 'Signal `resume` goes on.',
  parked:
    'Update `retry` tries again, dead letters of this trouble included; update `drop` gives its queue up.',
};

/** A few lines: what is wrong, since when, what comes next, which buttons help. */
export function deskMarkdown(state: DeskState): string {
  const lines = [`### ${state.origin} ${headlines[state.mode]}`, ''];
  if (state.lastError !== null) {
    const since = state.troubleSince === null ? '' : ` (since ${at(state.troubleSince)})`;
    lines.push(`**What is wrong:** ${state.lastError}${since}`, '');
  }
  if (state.pausedReason !== null) lines.push(`**Why paused:** ${state.pausedReason}`, '');
  if (state.nextVisit !== null) lines.push(`**Next visit:** ${at(state.nextVisit)}`, '');
  // Above the table: Temporal Web shows the first few lines only.
  lines.push(`**Buttons:** ${buttons[state.mode]}`, '');
  lines.push(
    `| settled | queued | dead letters | delay |`,
    `|---|---|---|---|`,
    `| ${String(state.fetched)} | ${String(state.queued)} | ${String(state.deadLetters)} | ${seconds(state.delayMs)} |`,
  );
  return lines.join('\n');
}
