/** `reextract start`, `list`, `show`, `compare`, `switch`, `undo`, `keep`, `cancel` and `remove`. */
import {
  comparison,
  reextractionView,
  type ReextractionComparison,
  type ReextractionView,
} from '../../contracts/http/reextractions.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { anyApi, withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { jobPath, jobsPath, listJobs, showJob, untilOver, type JobKind } from './jobs.ts';
import { moment, writeMade, writeOne, type Shown } from '../output/table.ts';

export interface StartOptions extends VerbOptions {
  readonly wait?: boolean;
  readonly id?: boolean;
}

export interface CompareOptions extends VerbOptions {
  readonly field?: string;
  readonly samples?: number;
}

/** Characters of a value that a line of a sample shows. */
const shownCharacters = 100;

const shown: Shown<ReextractionView> = {
  heads: ['id', 'since', 'extractor', 'state', 'pages', 'different', 'unread', 'in use'],
  row: (each) => [
    ...[each.id, moment(each.createdAt), each.extractor === null ? '' : String(each.extractor), each.state],
    ...[grouped(each.pages), grouped(each.different), grouped(unreadOf(each)), each.inUse ? 'yes' : ''],
  ],
  none: 'There are no re-extractions.',
};

const pathOf = (crawl: string, id: string): string => jobPath(kind, crawl, id);

export async function startReextraction(crawl: string, options: StartOptions): Promise<ExitCode> {
  const { wait = false, json = false } = options;
  const api = await anyApi(options);
  const started = await api.create(jobsPath(kind, crawl), reextractionView, {});
  if (!wait) {
    writeMade(started, options, () => [
      `Re-extraction ${started.id} of crawl ${crawl} has begun.`,
      `How far it is: orbweaver reextract show ${crawl} ${started.id}`,
    ]);
    return exitCodes.ok;
  }
  const ended = await untilOver(kind, api, started, !json);
  writeMade(ended, options, () => linesOf(ended));
  return exitCodeOf(ended);
}

export const listReextractions = (crawl: string, options: VerbOptions): Promise<ExitCode> =>
  listJobs(kind, crawl, options);

export const showReextraction = (
  crawl: string,
  id: string,
  options: VerbOptions & { readonly wait?: boolean },
): Promise<ExitCode> => showJob(kind, crawl, id, options);

export async function compareReextraction(
  crawl: string,
  id: string,
  options: CompareOptions,
): Promise<ExitCode> {
  const { field, samples, json = false } = options;
  const query = new URLSearchParams({
    ...(field !== undefined && { field }),
    ...(samples !== undefined && { samples: String(samples) }),
  });
  const compared = await withApi(options, (api) =>
    api.get(`${pathOf(crawl, id)}/comparison?${query.toString()}`, comparison),
  );
  writeOne(compared, json, () => comparisonLines(compared));
  return exitCodes.ok;
}

const done: Readonly<Record<'switch' | 'undo' | 'keep' | 'cancel' | 'remove', string>> = {
  switch: 'is in use: everybody reads it from now on.',
  undo: 'is in use no more: everybody reads what was read before.',
  keep: 'becomes the pages’ own; the earlier extraction goes.',
  cancel: 'is cancelled.',
  remove: 'is being removed.',
};

export async function changeReextraction(
  crawl: string,
  id: string,
  change: keyof typeof done,
  options: VerbOptions,
): Promise<ExitCode> {
  const path = pathOf(crawl, id);
  const view = await withApi(
    options,
    (api) =>
      change === 'remove'
        ? api.change('DELETE', path, reextractionView)
        : api.change('POST', `${path}/${change}`, reextractionView),
    'acting',
  );
  writeOne(view, options.json === true, () => [`Re-extraction ${id} ${done[change]}`]);
  return exitCodes.ok;
}

const unreadOf = ({ unread }: Pick<ReextractionView, 'unread'>): number =>
  Object.values(unread).reduce((sum, pages) => sum + pages, 0);

const exitCodeOf = ({ state }: ReextractionView): ExitCode =>
  state === 'failed' || state === 'cancelled' ? exitCodes.failed : exitCodes.ok;

const isIdle = ({ state, settled }: ReextractionView): boolean =>
  settled && !['waiting', 'running', 'keeping', 'removing'].includes(state);

function figuresOf(
  view: Pick<ReextractionView, 'pages' | 'different' | 'unread'> & { ofPages?: number },
): string {
  const { pages, ofPages, different } = view;
  const reasons = Object.entries(view.unread).map(([reason, many]) => `${reason} ${grouped(many)}`);
  const of = ofPages === undefined ? '' : ` of ${grouped(ofPages)}`;
  return `${grouped(pages)}${of} pages read, ${grouped(different)} different${reasons.length === 0 ? '' : `; not read: ${reasons.join(', ')}`}`;
}

function linesOf(view: ReextractionView): string[] {
  const { id, crawlId, state, reason, inUse, settled } = view;
  const name = `Re-extraction ${id} of crawl ${crawlId}`;
  if (state === 'waiting') return [`${name} waits for a worker.`];
  if (state === 'running') return [`${name} goes on: ${figuresOf(view)}.`];
  if (state !== 'finished')
    return [`${name} is ${state}${reason === null ? '' : `: ${reason}`}.`, `${figuresOf(view)}.`];
  return [
    `${name} is finished${inUse ? ' and in use' : ''}: ${figuresOf(view)}.`,
    ...(settled ? [] : ['What follows from the last switch is being told.']),
    inUse
      ? `Back: orbweaver reextract undo ${crawlId} ${id}; for good: orbweaver reextract keep ${crawlId} ${id}`
      : `What differs: orbweaver reextract compare ${crawlId} ${id}`,
  ];
}

const kind: JobKind<ReextractionView> = {
  ...{ name: 'reextractions', view: reextractionView, shown, isOver: isIdle },
  ...{ progressOf: figuresOf, linesOf, exitCodeOf },
};

function comparisonLines(compared: ReextractionComparison): string[] {
  const { linksFound, linksGone, fields, unreadPages } = compared;
  const lines = [
    `${figuresOf(compared)}.`,
    `Links to follow: ${counted(linksFound, 'new one')}, ${grouped(linksGone)} no longer found. New ones are not followed by themselves.`,
  ];
  for (const { field, pages, samples } of fields) {
    lines.push('', `${field}: ${counted(pages, 'page')}`);
    for (const { url, before, after } of samples)
      lines.push(`  ${url}`, `    - ${valueOf(before)}`, `    + ${valueOf(after)}`);
  }
  for (const { reason, urls } of unreadPages)
    lines.push('', `not read, ${reason}:`, ...urls.map((url) => `  ${url}`));
  return lines;
}

/** On one line, and not too long. */
function valueOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
