/** What hosts that have a cap together were asked, in a second and at an instant, by the web's own log. Pure. */
import { mostTogether, mostWithin } from '../web/crowd.ts';
import type { RequestRecord } from '../web/log.ts';
import type { Figure } from './figure.ts';
import type { Strike } from './timeline.ts';

export interface Crowd {
  /** Of the groups. */
  readonly name: 'addresses' | 'domains';
  /** The group of a host (an authority). */
  readonly groupOf: (host: string) => string;
  /** Requests that a group may be sent in a second, and have in flight. */
  readonly cap: number;
}

/** What a frozen process holds open counts until its lease has run out. */
export function crowdFigure(
  { name, groupOf, cap }: Crowd,
  records: readonly RequestRecord[],
  strikes: readonly Strike[],
  leaseMs: number,
): Figure {
  const frozen = strikes.filter(
    ({ fault, hit }) => hit && (fault.kind === 'freeze' || fault.kind === 'duel'),
  );
  const counted = records.map((record) => {
    const end = record.end ?? Infinity;
    const held = frozen.filter(({ from }) => record.start <= from && end > from + leaseMs);
    return { ...record, end: Math.min(end, ...held.map(({ from }) => from + leaseMs)) };
  });
  const groups = [...Map.groupBy(counted, ({ host }) => groupOf(host))].map(([group, list]) => ({
    group,
    begun: mostWithin(list, 1_000),
    together: mostTogether(list),
  }));
  const details = groups
    .filter(({ begun, together }) => begun > cap || together > cap)
    .map(
      ({ group, begun, together }) =>
        `${group}: ${String(begun)} in a second, ${String(together)} in flight, of ${String(cap)}`,
    );
  const [most, crowd] = [groups.map(({ begun }) => begun), groups.map(({ together }) => together)].map(
    (list) => String(Math.max(0, ...list)),
  );
  return {
    name: `${name} asked more than their cap`,
    value: `${String(details.length)} of ${String(groups.length)} (at most ${most ?? ''} in a second, ${crowd ?? ''} in flight, of ${String(cap)})`,
    ok: details.length === 0,
    details,
  };
}
