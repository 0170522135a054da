/**
 * Glob patterns over whole strings: `*` matches any run of characters, also an empty one, `?` any one character, and
 * any other character itself, case included. Used over canonical URLs, which are ASCII.
 *
 * Each literal between two `*` takes the leftmost place it can. That is always right, so there is no backtracking: at
 * most (length of pattern) × (length of text) steps, and a 32nd of that for a literal with `?` in it.
 */

/** Most characters of one pattern, and of all patterns of a list together. */
export const maxPatternLength = 1_000;
export const maxPatternsLength = 100_000;

/** Why a pattern cannot be used, in one sentence for people; null: it can. */
export function validatePattern(pattern: string): string | null {
  if (pattern === '') return 'the pattern is empty';
  if (pattern.length > maxPatternLength) {
    return `the pattern has ${String(pattern.length)} characters; ${String(maxPatternLength)} are allowed`;
  }
  if (pattern.startsWith('re:')) return 'regular expressions are for include and exclude only';
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

/** Compiles any string; `validatePattern` says which make sense. The matcher is cheap to call. */
export function compilePattern(pattern: string): PatternMatcher {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text.length === first.length && matchesAt(text, first, 0);
  const between = others.filter((literal) => literal !== '').map(compileLiteral);
  const shortest = between.reduce((sum, literal) => sum + literal.length, first.length + last.length);
  return (text) => {
    if (text.length < shortest || !matchesAt(text, first, 0)) return false;
    const end = text.length - last.length;
    if (!matchesAt(text, last, end)) return false;
    let from = first.length;
    for (const literal of between) {
      from = literal.endIn(text, from, end);
      if (from < 0) return false;
    }
    return true;
  };
}

const questionMark = 0x3f;

/** Is `literal`, in which `?` is any one character, in `text` at `at`? The caller must check that it fits there. */
function matchesAt(text: string, literal: string, at: number): boolean {
  for (let i = 0; i < literal.length; i++) {
    const wanted = literal.charCodeAt(i);
    if (wanted !== questionMark && wanted !== text.charCodeAt(at + i)) return false;
  }
  return true;
}

interface Literal {
  readonly length: number;
  /** The end of the literal's first occurrence in `text` between `from` and `end`; -1: there is none. */
  readonly endIn: (text: string, from: number, end: number) => number;
}

function compileLiteral(literal: string): Literal {
  const { length } = literal;
  if (literal.includes('?')) return { length, endIn: shiftAnd(literal) };
  return {
    length,
    endIn: (text, from, end) => {
      const at = text.indexOf(literal, from);
      return at >= 0 && at + length <= end ? at + length : -1;
    },
  };
}

const wordBits = 32;

/**
 * Searches for all beginnings of the literal at once, one bit each: R. Baeza-Yates and G. Gonnet, "A new approach to
 * text searching", Communications of the ACM 35 (1992).
 */
function shiftAnd(literal: string): Literal['endIn'] {
  const words = Math.ceil(literal.length / wordBits);
  const anywhere = new Int32Array(words);
  /** By ASCII code: the places in the literal where this character may stand. Undefined: only where `?` is. */
  const places: (Int32Array | undefined)[] = Array.from({ length: 128 });
  const mark = (mask: Int32Array, at: number): void => {
    const word = Math.floor(at / wordBits);
    mask[word] = (mask[word] ?? 0) | (1 << (at % wordBits));
  };
  for (let at = 0; at < literal.length; at++) {
    if (literal.charCodeAt(at) === questionMark) mark(anywhere, at);
  }
  for (let at = 0; at < literal.length; at++) {
    const code = literal.charCodeAt(at);
    if (code === questionMark) continue;
    const mask = (places[code] ??= anywhere.slice());
    mark(mask, at);
  }
  const lastBit = 1 << ((literal.length - 1) % wordBits);
  const found = new Int32Array(words);
  return (text, from, end) => {
    found.fill(0);
    for (let at = from; at < end; at++) {
      const mask = places[text.charCodeAt(at)] ?? anywhere;
      let carried = 1;
      for (let word = 0; word < words; word++) {
        const before = found[word] ?? 0;
        found[word] = ((before << 1) | carried) & (mask[word] ?? 0);
        carried = before >>> (wordBits - 1);
      }
      if (((found[words - 1] ?? 0) & lastBit) !== 0) return at + 1;
    }
    return -1;
  };
}
