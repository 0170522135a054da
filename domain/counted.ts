/** Counts in sentences for people. */

/** `1,200`. */
export const grouped = (count: number): string => Math.round(count).toLocaleString('en-US');

/** `1 host`, `1,200 hosts`; with `many`: `1 URL is`, `2 URLs are`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;
