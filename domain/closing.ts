/** Why a healthy host may not be asked now although its pace allows a request: its windows, or its daily quota. */
import { dailyQuota, usedOn, type CountedDay } from './quota.ts';
import { nextOpening, type Windows } from './windows.ts';
import { localDay } from './zone.ts';

export interface Closing {
  readonly by: 'windows' | 'quota';
  /** The instant at which the host may be asked again. */
  readonly until: number;
}

/** The calendar day at a host: in the time zone of its windows, else in UTC. */
export const hostDay = (windows: Windows | null, at: number): ReturnType<typeof localDay> =>
  localDay(windows?.timeZone ?? 'UTC', at);

/** Null if the host is open. @param budget as in `dailyQuota` */
export function closingAt(
  { windows, quotaPerDay }: { readonly windows: Windows | null; readonly quotaPerDay: number | null },
  budget: number | null,
  counted: CountedDay,
  at: number,
): Closing | null {
  const { day, endsAt } = hostDay(windows, at);
  const spent = usedOn(day, counted, 0) >= dailyQuota(quotaPerDay, budget);
  const until = nextOpening(windows, spent ? endsAt : at);
  return until <= at ? null : { by: spent ? 'quota' : 'windows', until };
}
