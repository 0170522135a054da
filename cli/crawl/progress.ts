/**
 * The progress of a crawl: one live line on a terminal, otherwise a plain line now and then; sentences go in between.
 */
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { CrawlOutlookView } from '../../contracts/http/outlook.ts';
import type { Say } from '../output/lines.ts';
import { waitText } from '../look/waiting.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { isWhole, outageName } from '../../domain/outage.ts';
import { duration } from '../output/words.ts';

export interface Progress {
  readonly say: Say;
  /** @param outlook null: the outlook is not known */
  update(view: CrawlView, outlook?: CrawlOutlookView | null): void;
  /** Removes the live line. */
  clear(): void;
}

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Seconds over which the rate is measured. */
const rateWindow = 5;
const plainEveryMs = 10_000;
const eraseLine = '\r\x1b[K';

/** @param quiet without lines of progress; sentences still come */
export function createProgress(
  screen: Screen,
  quiet: boolean,
  now: () => number = () => performance.now(),
): Progress {
  const live = screen.isTTY === true && !quiet;
  const rate = createRate();
  let shown = '';
  let plainAt = -Infinity;
  const clear = (): void => {
    if (shown !== '') screen.write(eraseLine);
    shown = '';
  };
  return {
    clear,
    say: (sentence) => {
      const line = shown;
      clear();
      screen.write(`${sentence}\n`);
      if (line !== '') screen.write(line);
      shown = line;
    },
    update: (view, outlook = null) => {
      if (quiet) return;
      const text = progressLine(view, rate(now(), view.pages), outlook);
      if (live) {
        shown = text.slice(0, (screen.columns ?? 80) - 1);
        screen.write(`${eraseLine}${shown}`);
      } else if (now() - plainAt >= plainEveryMs) {
        plainAt = now();
        screen.write(`${text}\n`);
      }
    },
  };
}

/** Pages a second over the last few seconds. */
function createRate(): (nowMs: number, pages: number) => number {
  const samples: { readonly at: number; readonly pages: number }[] = [];
  return (at, pages) => {
    samples.push({ at, pages });
    while (samples.length > 2 && at - (samples[1]?.at ?? at) > rateWindow * 1_000) samples.shift();
    const [oldest] = samples;
    if (oldest === undefined || at <= oldest.at) return 0;
    return Math.max(0, ((pages - oldest.pages) * 1_000) / (at - oldest.at));
  };
}

function progressLine(view: CrawlView, perSecond: number, outlook: CrawlOutlookView | null): string {
  const { ledger, hosts } = view;
  const waiting = outlook === null ? null : waitingWords(outlook);
  const whole = outlook?.outages.find(isWhole);
  // If waiting hosts are all that is left, they stand first, so that a line that is cut still names them.
  const isAll = outlook?.onlyWaiting === true && waiting !== null;
  const doing = view.state === 'running' ? 'crawling' : view.state;
  return [
    // The beginning of a line is seen even if the line is cut.
    whole === undefined ? (isAll ? waiting : doing) : `outage: ${outageName(whole.dependency)} is out`,
    counted(view.pages, 'page'),
    ...(isAll ? [] : [`${perSecond.toFixed(1)}/s`]),
    `${grouped(ledger.queued + ledger.leased)} queued`,
    `${counted(hosts.total, 'host')}${hosts.parked > 0 ? ` (${grouped(hosts.parked)} parked)` : ''}`,
    counted(ledger.dead + ledger.failed, 'error'),
    duration(view.seconds ?? 0),
    ...(whole === undefined ? [] : [`since ${whole.since}${whole.why === null ? '' : `, ${whole.why}`}`]),
    ...(isAll || waiting === null ? [] : [waiting]),
  ].join('  ');
}

/**
 * The hosts that the crawl waits for, until when and why. Parked hosts are left out, since no crawl waits for them.
 * Null: there are no such hosts.
 */
function waitingWords({ waiting: { items } }: CrawlOutlookView): string | null {
  const awaited = items.filter(({ why }) => why !== 'parked');
  const [first, ...others] = awaited.length > 0 ? awaited : items;
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` and ${String(others.length)} more`;
  return `waiting for ${waitText(first)}${more}`;
}
