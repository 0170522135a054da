/**
 * Server errors of a host (docs/design.md §6): five among a hundred answers within 24 hours, and it counts as down for
 * an hour, twice as long each time that happens again within a day. Fewer among more are broken pages of a host that
 * is well. Times are milliseconds on any one clock.
 */
export interface ServerErrors {
  /** The first error of the stretch that is counted; null: none is. */
  readonly since: number | null;
  readonly errors: number;
  /** Answers since then, the errors included. */
  readonly answers: number;
  /** Outages, each within a day of the end of the one before. */
  readonly outages: number;
  readonly outageAt: number | null;
}

export const noServerErrors: ServerErrors = {
  since: null,
  errors: 0,
  answers: 0,
  outages: 0,
  outageAt: null,
};

/** Errors that make an outage. */
export const errorsOfOutage = 5;
const stretchAnswers = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The memory after one more answer. */
export function noteAnswer(memory: ServerErrors, isError: boolean, now: number): ServerErrors {
  const { since, errors, answers } = memory;
  const over = since === null || now - since >= dayMs || answers >= stretchAnswers;
  if (over) return { ...memory, ...(isError ? { since: now, errors: 1, answers: 1 } : nothing) };
  return { ...memory, errors: isError ? errors + 1 : errors, answers: answers + 1 };
}

/** Do the errors, the last answer included, make an outage? */
export const isOutage = ({ errors }: ServerErrors): boolean => errors >= errorsOfOutage;

/** How long the host is left alone when an outage begins now. */
export const outageMs = (memory: ServerErrors, now: number): number =>
  Math.min(hourMs * 2 ** Math.min(recentOutages(memory, now), 10), dayMs);

/** The memory once an outage has begun: the errors that made it are not counted again. */
export const afterOutage = (memory: ServerErrors, now: number): ServerErrors => ({
  ...nothing,
  outages: recentOutages(memory, now) + 1,
  outageAt: now,
});

const nothing = { since: null, errors: 0, answers: 0 } as const;

/** Outages that make the next one longer; the last may itself have lasted a day. */
const recentOutages = ({ outages, outageAt }: ServerErrors, now: number): number =>
  outageAt !== null && now - outageAt < 2 * dayMs ? outages : 0;
