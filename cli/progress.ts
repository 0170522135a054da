/** How a crawl gets on: one live line on a terminal, else a plain line now and then; sentences go in between. */
import type { CrawlView } from '../contracts/http/crawls.ts';
import type { Say } from './stack.ts';
import { duration, grouped } from './words.ts';

export interface Progress {
  readonly say: Say;
  update(view: CrawlView): void;
  /** Takes the live line away. */
  clear(): void;
}

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Seconds the rate is measured over. */
const rateWindow = 5;
const plainEveryMs = 10_000;
const eraseLine = '\r\x1b[K';

/** @param quiet no lines of progress; sentences still come */
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
    update: (view) => {
      if (quiet) return;
      const text = progressLine(view, rate(now(), view.pages));
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

function progressLine(view: CrawlView, perSecond: number): string {
  const { ledger, hosts } = view;
  return [
    view.state === 'running' ? 'crawling' : view.state,
    `${grouped(view.pages)} pages`,
    `${perSecond.toFixed(1)}/s`,
    `${grouped(ledger.queued + ledger.leased)} queued`,
    `${grouped(hosts.total)} hosts${hosts.parked > 0 ? ` (${grouped(hosts.parked)} parked)` : ''}`,
    `${grouped(ledger.dead + ledger.failed)} errors`,
    duration(view.seconds ?? 0),
  ].join('  ');
}
