/**
 * What folding would change: white space or a control character other than a space (`[^\S ]|\p{Cc}`, spelt out), and two
 * spaces. One search for either takes longer than these two.
 */
const uneven = /[\0-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;
const doubled = / {2}/;
/** Runs that are no single space, which most runs are. */
const runs =
  /(?: ?[\0-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2})[\s\0-\x1f\x7f-\x9f]*/g;

/** Every run of white space as one space. Control characters count: none belongs in text, and Postgres refuses some. */
export const foldWhiteSpace = (text: string): string =>
  uneven.test(text) || doubled.test(text) ? text.replace(runs, ' ') : text;
