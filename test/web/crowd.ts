/** How much a group of hosts, such as those at one address, was asked together, by the web's own log. Pure. */
import type { RequestRecord } from './log.ts';

type Exchange = Pick<RequestRecord, 'start' | 'end'>;

/** Most requests that began within any `windowMs`, its end not included. */
export function mostWithin(records: readonly Exchange[], windowMs: number): number {
  const starts = records.map(({ start }) => start).toSorted((a, b) => a - b);
  let from = 0;
  let most = 0;
  for (const [at, start] of starts.entries()) {
    while (start - (starts[from] ?? start) >= windowMs) from++;
    most = Math.max(most, at - from + 1);
  }
  return most;
}

/** Most requests in flight at an instant. One that ends when another begins is over. */
export function mostTogether(records: readonly Exchange[]): number {
  const moments = records
    .flatMap(({ start, end }) => [
      { at: start, by: 1 },
      { at: end ?? Infinity, by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let most = 0;
  for (const { by } of moments) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
