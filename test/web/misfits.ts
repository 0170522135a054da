/** Hosts that misbehave: what each does, and what a crawl may be held to there. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, deflateRawSync } from 'node:zlib';
import type { Misfit } from './options.ts';
import { addResource, type Site, type Trap } from './site.ts';

/** Page requests that `busy` turns away before it serves. */
export const busyTurnsAway = 2;

/** Whether `limited` turns its nth page request away, counted from 1: three of the first nine. */
export const isTurnedAway = (nth: number): boolean => nth % 3 === 2 && nth < 9;

/** Whether `flaky` fails at a page's nth request, counted from 1; never five in a row over all its pages. */
export const isFailing = (page: number, nth: number): boolean => page % 2 === 1 && nth <= 2;

/** Crawl-delay of `patient`, in seconds: longer than it takes until a killed worker's hosts are taken over. */
export const patientDelay = 12;

/** robots.txt requests that `reluctant` turns away before it serves. */
export const reluctantTurnsAway = 2;

/** Redirects a crawl may follow (design: at most five); the carousel's later stops are out of bounds. */
export const mostRedirects = 5;

/** Failures of these count against the host, so when its sound pages are fetched is the crawler's own policy. */
const hostLevel: ReadonlySet<Misfit> = new Set([
  'failing',
  'refused',
  'unruly',
  'hang',
  'header',
  'reset',
  'garbage',
]);

/** True where each sound page must still be fetched exactly once. */
export function staysComplete(misfit: Misfit): boolean {
  return !hostLevel.has(misfit);
}

const wholeHost: ReadonlySet<Misfit> = new Set([
  'slow',
  'patient',
  'failing',
  'busy',
  'limited',
  'flaky',
  'refused',
  'unruly',
  'reluctant',
]);

/** Beyond the days of a month, so that no day is taken for the number of the page. */
const firstMonth = 101;
const entrances: Partial<Record<Misfit, string>> = {
  carousel: '/turn/0',
  calendar: `/calendar/${String(firstMonth)}`,
};
const trapPath = (misfit: Misfit): string => entrances[misfit] ?? '/trap';

export function addTraps(site: Site): void {
  if (site.misfit === null || wholeHost.has(site.misfit)) return;
  const trap: Trap = { kind: 'trap', site, path: trapPath(site.misfit), index: site.resources.length };
  addResource(trap);
  site.pages[0]?.fixed.push({ to: trap, rel: 'follow' });
}

/** The carousel's stop, 0 for its entrance; null for other paths. */
export function carouselStop(path: string): number | null {
  const match = /^\/turn\/(\d{1,9})$/.exec(path);
  return match === null ? null : Number(match[1]);
}

/** The month of the calendar, `firstMonth` for its entrance; null for other paths. */
export function calendarMonth(path: string): number | null {
  const match = /^\/calendar\/(\d{1,9})$/.exec(path);
  return match === null ? null : Number(match[1]);
}

/** A trap's pages beside its entrance. */
export const isInside = (misfit: Misfit | null, path: string): boolean =>
  (misfit === 'carousel' && carouselStop(path) !== null) ||
  (misfit === 'calendar' && calendarMonth(path) !== null);

const filler = Buffer.alloc(64 * 1024, '<p>more and more of the same</p>\n');

/** Writes `chunk` as fast as the reader takes it, `times` times or until the connection ends. */
function pour(res: ServerResponse, chunk: Buffer, times: number, last?: Buffer): void {
  let left = times;
  const more = (): void => {
    while (left > 0 && !res.destroyed) {
      left--;
      if (!res.write(chunk)) {
        res.once('drain', more);
        return;
      }
    }
    if (!res.destroyed) res.end(last);
  };
  more();
}

const tenGigabytes = 10 * 1024 ** 3;
const bombBlock = 1024 * 1024;

/**
 * A gzip stream of 10 GB in about 10 MB: one full-flushed block of zeros over and over (RFC 1951, section 3.2.4),
 * then the final empty block. Its CRC is wrong; a reader that gets so far has lost already.
 */
function gzipBomb(res: ServerResponse): void {
  const block = deflateRawSync(Buffer.alloc(bombBlock), { finishFlush: constants.Z_FULL_FLUSH });
  res.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
  res.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]));
  pour(res, block, tenGigabytes / bombBlock, Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
}

const depth = 100_000;

/** What a trap answers. Never ends by itself for hang and endless. */
export function answerTrap(misfit: Misfit, req: IncomingMessage, res: ServerResponse): void {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  switch (misfit) {
    case 'endless':
      res.writeHead(200, html);
      pour(res, filler, Infinity);
      return;
    case 'huge':
      res.writeHead(200, { ...html, 'content-length': String(tenGigabytes) });
      pour(res, filler, tenGigabytes / filler.length);
      return;
    case 'bomb':
      gzipBomb(res);
      return;
    case 'header':
      res.writeHead(200, { ...html, 'x-filler': 'x'.repeat(1024 * 1024) });
      res.end('<p>after a long header</p>');
      return;
    case 'nested':
      res.writeHead(200, html);
      res.end(`<title>Deep</title>${'<div>'.repeat(depth)}<p>at the bottom</p>${'</div>'.repeat(depth)}`);
      return;
    case 'carousel': {
      const stop = carouselStop(req.url ?? '') ?? 0;
      res.writeHead(302, { location: `/turn/${String(stop + 1)}` });
      res.end();
      return;
    }
    case 'calendar': {
      const month = calendarMonth(req.url ?? '') ?? firstMonth;
      const days = Array.from({ length: 30 }, (_, day) => `<td>${String(day + 1)}</td>`).join('');
      const link = (to: number, text: string): string => `<a href="/calendar/${String(to)}">${text}</a>`;
      res.writeHead(200, html);
      res.end(
        `<title>Month ${String(month)}</title><p>No events are planned for month ${String(month)}.</p>` +
          `<table><tr>${days}</tr></table>${link(Math.max(firstMonth, month - 1), 'earlier')} ${link(month + 1, 'later')}`,
      );
      return;
    }
    case 'reset':
      res.writeHead(200, { ...html, 'content-length': '100000' });
      res.write(filler.subarray(0, 5_000), () => {
        res.socket?.resetAndDestroy();
      });
      return;
    case 'garbage':
      res.socket?.end('THIS IS NOT HTTP\r\n\r\n');
      return;
    case 'hang':
    case 'slow':
    case 'patient':
    case 'failing':
    case 'busy':
    case 'limited':
    case 'flaky':
    case 'refused':
    case 'unruly':
    case 'reluctant':
      return;
  }
}
