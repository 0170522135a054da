/**
 * Is it the page or the host? A page that fails is the page's own trouble until other signs say that its host is ill:
 * several different URLs that failed one after another, with no good answer in between. How many are enough depends on
 * what they say (`enoughInARow`).
 *
 * A URL that failed before, while others have been answered well since, is known to be bad: that it fails again says
 * nothing of the host. Times are milliseconds on any one clock.
 */
export interface Signs {
  /** Different URLs that failed since the last good answer, oldest first; at most `mostFailing`. */
  readonly failing: readonly string[];
  /** Different URLs that were answered 429 or 503, oldest first, the last two; forgotten after a stretch without. */
  readonly complained: readonly string[];
  /** When a URL was last answered well; null: never, as far as anybody remembers. */
  readonly wellAt: number | null;
}

export const noSigns: Signs = { failing: [], complained: [], wellAt: null };

/** Different URLs in a row that show that the host is in trouble, by how the last of them failed. */
export const enoughInARow = { complaint: 2, timeout: 2, reset: 5, error: 5 } as const;
const mostFailing = 5;

/** A good answer vouches for the host for so long. */
const vouchMs = 3_600_000;
/** Complaints are held together that have fewer clean answers between them, and less than an hour. */
const stretchAnswers = 20;
const stretchMs = 3_600_000;

/** What the signs say where one more URL has failed. */
export interface Suspicion {
  /** Different URLs that failed in a row, this one included unless it is known to be bad. */
  readonly inARow: number;
  /** It failed before, and others were answered well since. */
  readonly knownBad: boolean;
  /** Another URL has complained in the same stretch. */
  readonly othersComplained: boolean;
  /** The host has answered well not long ago. */
  readonly well: boolean;
}

/** @param failedBefore its last request failed, in a way that may have been its own */
export function suspicionOf(signs: Signs, url: string, failedBefore: boolean, now: number): Suspicion {
  const others = signs.failing.filter((each) => each !== url).length;
  const knownBad = failedBefore && !signs.failing.includes(url);
  return {
    inARow: others + (knownBad ? 0 : 1),
    knownBad,
    othersComplained: signs.complained.some((each) => each !== url),
    well: signs.wellAt !== null && now - signs.wellAt < vouchMs,
  };
}

/** @param complained with 429 or 503 */
export function noteFailing(signs: Signs, url: string, complained: boolean): Signs {
  const add = (urls: readonly string[]): readonly string[] => (urls.includes(url) ? urls : [...urls, url]);
  return {
    ...signs,
    failing: add(signs.failing).slice(0, mostFailing),
    complained: complained ? add(signs.complained).slice(-2) : signs.complained,
  };
}

/** @param sinceComplaint clean answers since the last complaint, this one included; @param complainedAt when that was */
export function noteWell(
  signs: Signs,
  { sinceComplaint, complainedAt }: { readonly sinceComplaint: number; readonly complainedAt: number | null },
  now: number,
): Signs {
  const over = sinceComplaint >= stretchAnswers || complainedAt === null || now - complainedAt >= stretchMs;
  return { failing: [], complained: over ? [] : signs.complained, wellAt: now };
}
