/** The results of a crawl, for people and for programs. */
import { standsAs, urlStates, type UrlState } from '../../contracts/crawl.ts';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { CrawlOutlookView, ParkedHost } from '../../contracts/http/outlook.ts';
import { keptBackInWords } from '../../domain/crawl-life.ts';
import { cutKinds, cutPhrase, mostNeeded, needPhrases } from '../../domain/limits.ts';
import { printable } from '../output/table.ts';
import { waitText } from './waiting.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { bytes, duration } from '../output/words.ts';

const shown = 10;

/** Gone: the server says that the page does not exist. This is not a dead letter. */
const stateWord = (state: UrlState): string => (state === 'dead' ? 'gone' : state);

/**
 * Lines of a report. @param parked hosts that wait, most queued first @param waiting what the crawl waits for, parked
 * hosts among it; null: not looked up
 */
export function summaryLines(
  view: CrawlView,
  parked: readonly ParkedHost[],
  waiting: CrawlOutlookView['waiting'] | null = null,
): string[] {
  const { ledger, seeds } = view;
  const seconds = view.seconds ?? 0;
  const states = urlStates
    .filter((state) => ledger[state] > 0)
    .map((state) => `${grouped(ledger[state])} ${stateWord(state)}`);
  const others = (waiting?.items ?? []).filter(({ why }) => why !== 'parked');
  const rate = seconds > 0 ? `, ${(view.pages / seconds).toFixed(1)} pages/s` : '';
  const letters = Object.entries(view.deadLetters).map(([name, count]) => `${grouped(count)} ${name}`);
  const reasons = Object.entries(view.excluded).map(([name, count]) => `${grouped(count)} ${name}`);
  return [
    `Crawl ${view.id} ${standsAs(view.state)}${view.reason === null ? '' : ` (${view.reason})`} after ${duration(seconds)}${needWords(view.pages, view.cut)}.`,
    line(
      'pages',
      `${grouped(view.pages)} (${counted(view.fetches, 'request')}, ${bytes(view.bytes)}${rate})`,
    ),
    line(
      'URLs',
      `${grouped(ledger.discovered)} discovered${states.length === 0 ? '' : `: ${states.join(', ')}`}`,
    ),
    ...(view.rendering === 0 ? [] : [line('rendering', renderingWords(view.rendering))]),
    ...(view.needed === 0 ? [] : [line('needed', neededLine(view.needed))]),
    ...(view.unchanged === 0
      ? []
      : [
          line(
            'unchanged',
            `${grouped(view.unchanged)} of ${counted(view.pages, 'page')}: their hosts answered that nothing has changed`,
          ),
        ]),
    ...(seeds.waiting === 0
      ? []
      : [line('seeds', `${grouped(seeds.waiting)} of ${grouped(seeds.accepted)} are still to be taken in`)]),
    ...(reasons.length === 0 ? [] : [line('excluded', reasons.join(', '))]),
    ...(view.keptBack === 0 ? [] : [line('kept back', keptBackLine(view))]),
    ...(letters.length === 0 ? [] : [line('dead letters', letters.join(', '))]),
    ...cutLines(view.cut).map((text, at) => line(at === 0 ? 'left out' : '', text)),
    ...listed(
      'waiting',
      others.map((host) => `${waitText(host)}, ${counted(host.queued, 'URL')}`),
      Math.max(others.length, (waiting?.hosts ?? 0) - view.hosts.parked),
    ),
    ...listed(
      'parked hosts',
      parked.map(({ origin, queued, why, lastError }) => {
        const wait = counted(queued, 'URL waits', 'URLs wait');
        const out = why === 'logged-out' ? ': logged out' : '';
        return `${origin}, ${wait}${out}${lastError === null ? '' : `: ${printable(lastError)}`}`;
      }),
      Math.max(view.hosts.parked, parked.length),
    ),
    ...cures(parked, view.id),
    ...listed(
      'moved seeds',
      seeds.firstMoved.map(
        ({ from, to }) => `${printable(from)} leads to ${printable(to)}, which belongs to the crawl now`,
      ),
      seeds.moved,
    ),
    ...listed(
      'bad seeds',
      seeds.firstRejected.map(
        (seed) => `line ${String(seed.line)}: ${JSON.stringify(seed.url)} (${seed.reason})`,
      ),
      seeds.rejected,
    ),
  ];
}

/** What the pages of a crawl need to say anything, as the end of a sentence; empty: nothing. */
export const needWords = (pages: number, cut: CrawlView['cut']): string =>
  needPhrases(pages, cut)
    .map((phrase) => `; ${phrase}`)
    .join('');

const renderingWords = (pages: number): string =>
  `${counted(pages, 'page waits', 'pages wait')} for a browser, or for files that scripts asked for`;

const neededLine = (needed: number): string =>
  needed < mostNeeded
    ? counted(needed, 'file of pages waits', 'files of pages wait')
    : `${grouped(needed)} files of pages or more wait`;

const keptBackLine = ({ id, keptBack }: Pick<CrawlView, 'id' | 'keptBack'>): string =>
  `${keptBackInWords(keptBack)} (./orbweaver quarantine list ${id})`;

/** What limits left out, one line for each kind. */
export const cutLines = (cut: CrawlView['cut']): string[] =>
  cutKinds.flatMap((kind) => {
    const found = cut[kind];
    if (found === undefined) return [];
    const places =
      found.places === found.leftOut
        ? ''
        : `, at ${grouped(found.places)} ${found.places === 1 ? 'URL' : 'URLs'}`;
    const cure = kind === 'links' ? ' (--max-links-per-page)' : '';
    return [`${cutPhrase(kind, found.leftOut)}${places}${cure}`];
  });

/** Commands that help when hosts are parked, or have logged the crawl out. */
function cures(all: readonly ParkedHost[], crawlId: string): string[] {
  const parked = all.filter(({ why }) => why === 'parked');
  const [first, second] = parked;
  const another = `give the crawl another session with: ./orbweaver session add ${crawlId} --cookies FILE`;
  const login = parked.length === all.length ? [] : [line('', another)];
  if (first === undefined) return login;
  return second === undefined
    ? [...login, line('', `try it again with: ./orbweaver host retry ${first.origin}`)]
    : [...login, line('', 'try them again with: ./orbweaver host retry --state parked')];
}

export const line = (name: string, text: string): string => `  ${name.padEnd(13)} ${text}`;

function listed(name: string, entries: readonly string[], total: number): string[] {
  const more = total - Math.min(entries.length, shown);
  return [
    ...entries.slice(0, shown).map((entry, index) => line(index === 0 ? name : '', entry)),
    ...(more > 0 && entries.length > 0 ? [line('', `and ${grouped(more)} more`)] : []),
  ];
}

/**
 * One JSON object on one line; `seconds` are from start to end by Postgres' clock.
 * @param parked hosts that wait, most queued first @param error why the command ended before the crawl; null: it did
 * not
 * @param waiting what the crawl waits for, if it was given up; null: it was not given up
 */
export function summaryJson(
  view: CrawlView,
  parked: readonly ParkedHost[],
  error: string | null,
  waiting: CrawlOutlookView['waiting'] | null = null,
): string {
  return JSON.stringify({
    crawlId: view.id,
    state: view.state,
    reason: view.reason,
    label: view.label,
    seconds: view.seconds,
    pages: view.pages,
    fetches: view.fetches,
    bytes: view.bytes,
    ledger: view.ledger,
    hosts: view.hosts,
    deadLetters: view.deadLetters,
    unchanged: view.unchanged,
    excluded: view.excluded,
    keptBack: view.keptBack,
    cut: view.cut,
    parkedHosts: parked,
    seeds: { accepted: view.seeds.accepted, rejected: view.seeds.rejected },
    ...(waiting !== null && { waiting }),
    ...(error !== null && { error }),
  });
}
