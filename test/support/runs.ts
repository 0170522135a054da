/**
 * How often a property is tried: in full by `npm run deep`, a quarter of it otherwise. Seeds are random, so what a quarter
 * misses today it meets in some days.
 */
export const runs = (full: number): number =>
  process.env['TEST_DEPTH'] === 'deep' ? full : Math.ceil(full / 4);
