/** What a crawl waits for, in words. */
import type { WaitingHost } from '../../contracts/http/outlook.ts';
import { printable } from '../output/table.ts';

const reasons: Readonly<Record<WaitingHost['why'], string>> = {
  paused: 'paused by an operator',
  parked: 'parked',
  'logged-out': 'the site has logged the crawl out',
  backoff: 'in backoff',
  closed: 'closed by its windows or quota',
  delay: 'its delay is long',
  retry: 'its URLs are tried again later',
};

/** `https://a.example until 14:05:10 (server-errors: answered 500)`. */
export function waitText(host: WaitingHost, now = new Date()): string {
  const { origin, why, lastError, until } = host;
  const isTrouble = why === 'backoff' || why === 'parked' || why === 'retry';
  const reason = isTrouble && lastError !== null ? lastError : reasons[why];
  const told = why === 'parked' && lastError !== null ? `parked, ${reason}` : reason;
  return printable(`${origin}${until === null ? '' : ` until ${clock(new Date(until), now)}`} (${told})`);
}

/** By the clock of the reader; with the date if it is another day. */
export function clock(instant: Date, now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [instant.getHours(), instant.getMinutes(), instant.getSeconds()].map(two).join(':');
  if (instant.toDateString() === now.toDateString()) return time;
  return `${String(instant.getFullYear())}-${two(instant.getMonth() + 1)}-${two(instant.getDate())} ${time}`;
}
