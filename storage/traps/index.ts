/** Traps: what pages showed of their hosts, and the quarantine of shapes of URLs. */
export { holdBySign, holdMissing, holdRepeated, tendSoft404 } from './soft-404.ts';
export { claimMadeUp, claimSecond, noteJudged, openMadeUp, pagesReadBefore } from './soft-404.sql.ts';
export { addWatched, firstSampleSeconds, sweepRelease, tendQuarantine } from './traps.ts';
export {
  giveVerdict,
  holdShape,
  listQuarantine,
  urlsToShape,
  verdictsAfter,
  type QuarantineRow,
} from './quarantine.sql.ts';
