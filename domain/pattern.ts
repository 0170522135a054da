/**
 * Glob patterns over whole strings: `*` stands for any run of characters, also none, `?` for any one character,
 * everything else for itself, case included. Used over canonical URLs, which are ASCII.
 *
 * Each literal between two `*` takes the leftmost place it can, which is always right, so there is no backtracking:
 * at most (length of pattern) × (length of text) steps.
 */

/** Characters of a pattern at most. */
const maxPatternLength = 1_000;

/** Says, in one sentence for people, why a pattern cannot be used; null: it can. */
export function validatePattern(pattern: string): string | null {
  if (pattern === '') return 'the pattern is empty';
  if (pattern.length > maxPatternLength) {
    return `the pattern has ${String(pattern.length)} characters; ${String(maxPatternLength)} are allowed`;
  }
  const stranger = /[^\x21-\x7e]/.exec(pattern)?.[0];
  if (stranger !== undefined) {
    return (
      `no URL can match ${JSON.stringify(stranger)}: canonical URLs are plain ASCII without spaces; ` +
      'write it percent-encoded (%20, %C3%A9), or in punycode within a host name'
    );
  }
  if (pattern.includes('#')) return 'no URL can match "#": fragments are not part of a canonical URL';
  return null;
}

export type PatternMatcher = (text: string) => boolean;

/** Compiled once, then cheap to ask. Takes any string; see `validatePattern` for those that make sense. */
export function compilePattern(pattern: string): PatternMatcher {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text.length === first.length && matchesAt(text, first, 0);
  const between = others.filter((literal) => literal !== '');
  const shortest = between.reduce((sum, literal) => sum + literal.length, first.length + last.length);
  return (text) => {
    if (text.length < shortest || !matchesAt(text, first, 0)) return false;
    const end = text.length - last.length;
    if (!matchesAt(text, last, end)) return false;
    let from = first.length;
    for (const literal of between) {
      const at = find(text, literal, from, end);
      if (at < 0) return false;
      from = at + literal.length;
    }
    return true;
  };
}

const questionMark = 0x3f;

/** Whether `literal`, in which `?` is any one character, stands in `text` at `at`. The caller knows that it fits. */
function matchesAt(text: string, literal: string, at: number): boolean {
  for (let i = 0; i < literal.length; i++) {
    const wanted = literal.charCodeAt(i);
    if (wanted !== questionMark && wanted !== text.charCodeAt(at + i)) return false;
  }
  return true;
}

/** First place of `literal` in `text` at or after `from` that ends at or before `end`; -1: none. */
function find(text: string, literal: string, from: number, end: number): number {
  const lastStart = end - literal.length;
  if (!literal.includes('?')) {
    const at = text.indexOf(literal, from);
    return at <= lastStart ? at : -1;
  }
  for (let at = from; at <= lastStart; at++) {
    if (matchesAt(text, literal, at)) return at;
  }
  return -1;
}
