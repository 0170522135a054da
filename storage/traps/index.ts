/** Traps: what pages showed of their hosts, and the quarantine of shapes of URLs. */
export { addWatched, firstSampleSeconds, sweepRelease, tendQuarantine } from './traps.ts';
export {
  giveVerdict,
  holdShape,
  listQuarantine,
  urlsToShape,
  verdictsAfter,
  type QuarantineRow,
} from './quarantine.sql.ts';
