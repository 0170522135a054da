/**
 * How often a property is tried: in full by `npm run deep`, a quarter of it otherwise. Seeds are random, so what a quarter
 * misses today it meets in some days.
 */
export const runs = (full: number): number =>
  process.env['TEST_DEPTH'] === 'deep' ? full : Math.ceil(full / 4);

/**
 * Of how many pieces a hostile body is made: in full by `npm run deep`, a quarter of it otherwise, which must be read in
 * less time as well. What takes minutes for the whole takes longer than that for a quarter.
 */
export const pieces = (full: number): number => runs(full);
