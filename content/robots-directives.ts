/** Page-level robots directives: `<meta name="robots">` and the X-Robots-Tag field. */

export interface Directives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export const noDirectives: Directives = { noindex: false, nofollow: false };

/** Directives whose value follows a colon, so that their name is no agent. */
const valued = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);

/** The stricter of two: directives for all agents and for ours add up. */
export function combine(a: Directives, b: Directives): Directives {
  return { noindex: a.noindex || b.noindex, nofollow: a.nofollow || b.nofollow };
}

/** Reads `noindex, nofollow` and `none`; everything else is ignored. */
export function parseDirectives(content: string): Directives {
  return content
    .toLowerCase()
    .split(/[,;\s]+/)
    .map(directive)
    .reduce(combine, noDirectives);
}

function directive(word: string): Directives {
  return { noindex: word === 'noindex' || word === 'none', nofollow: word === 'nofollow' || word === 'none' };
}

/**
 * Reads X-Robots-Tag: `noindex`, `otherbot: noindex, nofollow`, several fields one a line. A prefix holds until the next
 * one or the end of its field. `agentTokens` are lower-case.
 */
export function parseRobotsTag(value: string | null, agentTokens: readonly string[]): Directives {
  return (value ?? '')
    .split('\n')
    .map((field) => parseField(field, agentTokens))
    .reduce(combine, noDirectives);
}

function parseField(field: string, agentTokens: readonly string[]): Directives {
  let found = noDirectives;
  let ours = true;
  for (const item of field.toLowerCase().split(',')) {
    const prefixed = /^\s*([a-z][\w.-]*|\*)\s*:(.*)$/s.exec(item);
    const name = prefixed?.[1];
    const isAgent = name !== undefined && !valued.has(name);
    if (isAgent) ours = name === '*' || agentTokens.includes(name);
    if (ours) found = combine(found, parseDirectives((isAgent ? prefixed?.[2] : item) ?? ''));
  }
  return found;
}
