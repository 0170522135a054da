/** Page-level robots directives: `<meta name="robots">` and the X-Robots-Tag field. */

/** Requests of a page to those who keep it or show it. The crawl itself obeys the first two. */
const flags = ['noindex', 'nofollow', 'noarchive', 'nosnippet', 'noai', 'noimageai'] as const;
type Flag = (typeof flags)[number];

export interface Directives extends Readonly<Record<Flag, boolean>> {
  /** As written; null: it does not say. */
  readonly unavailableAfter: string | null;
}

export const noDirectives: Directives = {
  ...(Object.fromEntries(flags.map((flag) => [flag, false])) as Record<Flag, boolean>),
  unavailableAfter: null,
};

/** Directives whose value follows a colon, so that their name is no agent. */
const valued = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);

/** The stricter of two: directives for all agents and for ours add up. */
export function combine(a: Directives, b: Directives): Directives {
  if (b === noDirectives) return a;
  const either = Object.fromEntries(flags.map((flag) => [flag, a[flag] || b[flag]])) as Record<Flag, boolean>;
  return { ...either, unavailableAfter: a.unavailableAfter ?? b.unavailableAfter };
}

/** Reads `noindex, nofollow` and their like; `none` is both of these. What nobody knows is ignored. */
export function parseDirectives(content: string): Directives {
  const dated = unavailable.exec(withoutWeekdays(content));
  const words = new Set(content.toLowerCase().split(/[,;\s]+/));
  const none = words.has('none');
  return {
    ...(Object.fromEntries(flags.map((flag) => [flag, words.has(flag)])) as Record<Flag, boolean>),
    ...(none && { noindex: true, nofollow: true }),
    unavailableAfter: dated?.[1]?.trim().slice(0, longestDate) ?? null,
  };
}

const longestDate = 60;
const unavailable = /unavailable_after\s*:\s*([^,;]+)/i;
/** `Friday, 25-Jun-2010 15:00:00 PST` has a comma that ends no directive. */
const withoutWeekdays = (text: string): string =>
  text.replace(/\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},\s*/gi, '');

/**
 * Reads X-Robots-Tag: `noindex`, `otherbot: noindex, nofollow`, several fields one a line. A prefix holds until the next
 * one or the end of its field. `agentTokens` are lower-case.
 */
export function parseRobotsTag(value: string | null, agentTokens: readonly string[]): Directives {
  if (value === null) return noDirectives;
  return value
    .split('\n')
    .map((field) => parseField(field, agentTokens))
    .reduce(combine, noDirectives);
}

function parseField(field: string, agentTokens: readonly string[]): Directives {
  let found = noDirectives;
  let ours = true;
  for (const item of withoutWeekdays(field).split(',')) {
    const prefixed = /^\s*([a-z][\w.-]*|\*)\s*:(.*)$/is.exec(item);
    const name = prefixed?.[1]?.toLowerCase();
    const isAgent = name !== undefined && !valued.has(name);
    if (isAgent) ours = name === '*' || agentTokens.includes(name);
    if (ours) found = combine(found, parseDirectives((isAgent ? prefixed?.[2] : item) ?? ''));
  }
  return found;
}
