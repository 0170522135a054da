/** What came of a crawl, for people and for programs. */
import { urlStates } from '../contracts/crawl.ts';
import type { CrawlView } from '../contracts/http/crawls.ts';
import type { ParkedHost } from '../storage/statements/list-parked-hosts.ts';
import { cutKinds, cutPhrase } from '../domain/limits.ts';
import { bytes, duration, grouped } from './words.ts';

const shown = 10;

/** Lines of a report. @param parked hosts that wait, most queued first */
export function summaryLines(view: CrawlView, parked: readonly ParkedHost[]): string[] {
  const { ledger, seeds } = view;
  const seconds = view.seconds ?? 0;
  const states = urlStates
    .filter((state) => ledger[state] > 0)
    .map((state) => `${grouped(ledger[state])} ${state}`);
  const rate = seconds > 0 ? `, ${(view.pages / seconds).toFixed(1)} pages/s` : '';
  const letters = Object.entries(view.deadLetters).map(([name, count]) => `${grouped(count)} ${name}`);
  const reasons = Object.entries(view.excluded).map(([name, count]) => `${grouped(count)} ${name}`);
  return [
    `Crawl ${view.id} is ${view.state}${view.reason === null ? '' : ` (${view.reason})`} after ${duration(seconds)}.`,
    line('pages', `${grouped(view.pages)} (${grouped(view.fetches)} requests, ${bytes(view.bytes)}${rate})`),
    line(
      'URLs',
      `${grouped(ledger.discovered)} discovered${states.length === 0 ? '' : `: ${states.join(', ')}`}`,
    ),
    ...(seeds.waiting === 0
      ? []
      : [line('seeds', `${grouped(seeds.waiting)} of ${grouped(seeds.accepted)} are not taken in`)]),
    ...(reasons.length === 0 ? [] : [line('excluded', reasons.join(', '))]),
    ...(letters.length === 0 ? [] : [line('dead letters', letters.join(', '))]),
    ...cutLines(view.cut).map((text, at) => line(at === 0 ? 'left out' : '', text)),
    ...listed(
      'parked hosts',
      parked.map(
        ({ origin, queued, last_error }) =>
          `${origin}, ${grouped(queued)} URLs wait${last_error === null ? '' : `: ${last_error}`}`,
      ),
      view.hosts.parked,
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

/** What limits left out, a line for each kind. */
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

const line = (name: string, text: string): string => `  ${name.padEnd(13)} ${text}`;

function listed(name: string, entries: readonly string[], total: number): string[] {
  const more = total - Math.min(entries.length, shown);
  return [
    ...entries.slice(0, shown).map((entry, index) => line(index === 0 ? name : '', entry)),
    ...(more > 0 && entries.length > 0 ? [line('', `and ${grouped(more)} more`)] : []),
  ];
}

/**
 * One JSON object on one line; `seconds` are from start to end by Postgres' clock.
 * @param parked hosts that wait, most queued first @param error what ended the command before the crawl; null: nothing
 */
export function summaryJson(view: CrawlView, parked: readonly ParkedHost[], error: string | null): string {
  const { id: crawlId, state, reason, label, seconds, pages, fetches, bytes: received } = view;
  const { ledger, hosts, deadLetters, seeds, excluded, cut } = view;
  return JSON.stringify({
    ...{
      crawlId,
      state,
      reason,
      label,
      seconds,
      pages,
      fetches,
      bytes: received,
      ledger,
      hosts,
      deadLetters,
      excluded,
      cut,
    },
    parkedHosts: parked.map(({ origin, queued, last_error: lastError }) => ({ origin, queued, lastError })),
    seeds: { accepted: seeds.accepted, rejected: seeds.rejected },
    ...(error !== null && { error }),
  });
}
