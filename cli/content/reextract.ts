/** The verbs below `reextract`. */
import {
  comparison,
  reextractionView,
  type ReextractionComparison,
  type ReextractionView,
} from '../../contracts/http/reextractions.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { anyApi } from '../api/target.ts';
import { numberOf, ofCrawl, upTo } from '../arguments.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { moment, writeMade } from '../output/table.ts';
import { asks, does, type Verb } from '../verb.ts';
import { showJob, untilOver, type JobKind } from './jobs.ts';

const one = {
  ...ofCrawl,
  '<reextraction>': {
    about: 'id of the re-extraction, as reextract list shows it',
    read: numberOf('a re-extraction'),
  },
} as const;

/** What a verb does to a re-extraction, and what has been done then. */
const changes = {
  switch: {
    summary: 'Have everybody read this extraction, of all pages of the crawl at one moment.',
    done: 'is in use: everybody reads it from now on.',
  },
  undo: {
    summary: 'Have everybody read again what they read before the switch, at one moment.',
    done: 'is in use no more: everybody reads what was read before.',
  },
  keep: {
    summary: 'Make the extraction in use the pages’ own. The earlier one goes, and cannot come back.',
    done: 'becomes the pages’ own; the earlier extraction goes.',
  },
  cancel: {
    summary: 'Cancel a re-extraction. What it has found is removed.',
    done: 'is cancelled.',
  },
  remove: {
    summary: 'Remove a re-extraction that is not in use, with all that it has found.',
    done: 'is being removed.',
  },
} as const;

const path = '/v1/crawls/{crawl}/reextractions/{reextraction}';
const changeVerb = (change: keyof typeof changes): Verb =>
  asks({
    words: `reextract ${change}`,
    summary: changes[change].summary,
    takes: { ...one, '--json': 'as JSON' },
    examples: ['3 7'],
    needs: 'acting',
    route: change === 'remove' ? `DELETE ${path}` : `POST ${path}/${change}`,
    answer: reextractionView,
    print: ({ id }) => [`Re-extraction ${id} ${changes[change].done}`],
  });

export const verbs = [
  does({
    words: 'reextract start',
    summary:
      'Have the stack read the stored bodies again. Pages say what they said until reextract switch. The job survives crashes and restarts.',
    takes: {
      ...ofCrawl,
      '--wait': 'wait until all bodies were read',
      '--id': 'print only the id of the re-extraction',
      '--json': 'as JSON',
    },
    examples: ['3 --wait'],
    run: async ({ crawl, wait, ...given }) => {
      const api = await anyApi(given);
      const started = await api.create(kind.pathOf(crawl), reextractionView, {});
      if (!wait) {
        writeMade(started, given, () => [
          `Re-extraction ${started.id} of crawl ${crawl} has begun.`,
          `How far it is: orbweaver reextract show ${crawl} ${started.id}`,
        ]);
        return exitCodes.ok;
      }
      const ended = await untilOver(kind, api, started, !given.json);
      writeMade(ended, given, () => linesOf(ended));
      return exitCodeOf(ended);
    },
  }),
  asks({
    words: 'reextract list',
    summary: 'List the re-extractions of a crawl, the latest first.',
    takes: { ...ofCrawl, '--json': 'as JSON, one object a line' },
    examples: ['3'],
    route: 'GET /v1/crawls/{crawl}/reextractions',
    perPage: null,
    answer: reextractionView,
    print: {
      heads: ['id', 'since', 'extractor', 'state', 'pages', 'different', 'unread', 'in use'],
      row: (each) => [
        each.id,
        moment(each.createdAt),
        String(each.extractor ?? ''),
        each.state,
        grouped(each.pages),
        grouped(each.different),
        grouped(unreadOf(each)),
        each.inUse ? 'yes' : '',
      ],
      none: 'There are no re-extractions.',
    },
  }),
  does({
    words: 'reextract show',
    summary: 'Show how far a re-extraction is.',
    takes: { ...one, '--wait': 'wait until it has nothing left to do', '--json': 'as JSON' },
    examples: ['3 7 --wait'],
    run: ({ crawl, reextraction, ...given }) => showJob(kind, crawl, reextraction, given),
  }),
  asks({
    words: 'reextract compare',
    summary: 'Show what a re-extraction has found that the pages do not say: counts by field, and samples.',
    takes: {
      ...one,
      '--field <name>': 'samples of this field alone, such as title or meta.headings',
      '--samples <number>': { about: 'samples of each field, at most 20 (default: 3)', read: upTo(20) },
      '--json': 'as JSON',
    },
    examples: ['3 7 --field title --samples 20'],
    route: `GET ${path}/comparison`,
    query: ({ field, samples }) => ({ field, samples }),
    answer: comparison,
    print: comparisonLines,
  }),
  ...(['switch', 'undo', 'keep', 'cancel', 'remove'] as const).map(changeVerb),
];

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
    ...(settled ? [] : ['The changes that the last switch made are still being reported.']),
    inUse
      ? `Back: orbweaver reextract undo ${crawlId} ${id}; for good: orbweaver reextract keep ${crawlId} ${id}`
      : `What differs: orbweaver reextract compare ${crawlId} ${id}`,
  ];
}

const kind: JobKind<ReextractionView> = {
  pathOf: (crawl) => `/v1/crawls/${crawl}/reextractions`,
  view: reextractionView,
  isOver: isIdle,
  progressOf: figuresOf,
  linesOf,
  exitCodeOf,
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

/** Characters of a value that a line of a sample shows. */
const shownCharacters = 100;

/** On one line, and not too long. */
function valueOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
