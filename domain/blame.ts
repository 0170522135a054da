/**
 * Does a failure belong to the page or to the host? It belongs to the page until several different URLs of the host
 * have failed one after another, with no good answer in between: then the host is ill. `enoughInARow` says how many are
 * enough, by the kind of failure.
 *
 * A URL is known to be bad if it failed before and other URLs have been answered well since. A further failure of such
 * a URL says nothing about the host. Times are milliseconds on any one clock.
 *
 * Anybody can find URLs of a healthy host that fail. So a URL is kept with the tenant whose crawl asked for it: what
 * URLs of one tenant alone have shown is for this tenant alone (`alone`), until a URL of another tenant fails too.
 */
export interface Signs {
  /** Different URLs that failed since the last good answer, oldest first; at most `mostFailing`. */
  readonly failing: readonly string[];
  /** The last two different URLs that were answered 429 or 503, oldest first; empty once their stretch is over. */
  readonly complained: readonly string[];
  /** When a URL was last answered well; null: no good answer is remembered. */
  readonly wellAt: number | null;
}

export const noSigns: Signs = { failing: [], complained: [], wellAt: null };

/** How many different URLs must fail in a row to show that the host is in trouble, by how the last one failed. */
export const enoughInARow = { complaint: 2, timeout: 2, reset: 5, error: 5 } as const;
const mostFailing = 5;

/** How a URL stands among the signs. @param name the same for all crawls, without `@` */
export const signOf = (name: string, tenantId: number): string => `${name}@${String(tenantId)}`;
const nameOf = (sign: string): string => sign.split('@', 1)[0] ?? '';
const tenantOf = (sign: string): string => sign.slice(nameOf(sign).length);

/** Milliseconds for which a good answer shows that the host is well. */
const vouchMs = 3_600_000;
/** Two complaints belong to one stretch if fewer than 20 clean answers and less than an hour lie between them. */
const stretchAnswers = 20;
const stretchMs = 3_600_000;

/** What the signs say about the host when one more URL has failed. */
export interface Suspicion {
  /** Different URLs that failed in a row. Includes this URL, unless it is known to be bad. */
  readonly inARow: number;
  /** This URL failed before, and other URLs have been answered well since. */
  readonly knownBad: boolean;
  /** Another URL was answered 429 or 503 in the same stretch. */
  readonly othersComplained: boolean;
  /** The host answered a URL well within the last hour. */
  readonly well: boolean;
  /** No URL of another tenant is among the signs. */
  readonly alone: boolean;
}

/** @param url as in the signs (`signOf`) @param failedBefore the last request for this URL failed, perhaps by the URL's fault (`mayBeOwn`) */
export function suspicionOf(signs: Signs, url: string, failedBefore: boolean, now: number): Suspicion {
  const { failing, complained } = signs;
  const others = new Set(failing.map(nameOf).filter((each) => each !== nameOf(url))).size;
  const knownBad = failedBefore && !failing.some((each) => nameOf(each) === nameOf(url));
  return {
    inARow: others + (knownBad ? 0 : 1),
    knownBad,
    othersComplained: complained.some((each) => nameOf(each) !== nameOf(url)),
    well: signs.wellAt !== null && now - signs.wellAt < vouchMs,
    alone: [...failing, ...complained].every((each) => tenantOf(each) === tenantOf(url)),
  };
}

/** @param complained the URL was answered 429 or 503 */
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
