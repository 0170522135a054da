/**
 * White space or a control character other than a single space: what folding would change. As `[^\S ]|\p{Cc}| {2}`,
 * spelt out, which a page's text is searched with in half the time.
 */
const uneven = /[\0-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/;
const runs = /[\s\p{Cc}]+/gu;

/** Every run of white space as one space. Control characters count: none belongs in text, and Postgres refuses some. */
export const foldWhiteSpace = (text: string): string => (uneven.test(text) ? text.replace(runs, ' ') : text);
