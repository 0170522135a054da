/** Bodies in append-only archive segments (docs/decisions/0011-segments.md). */
export type { BodyStore, Kept, Place } from './body-store.ts';
export {
  bodyAlone,
  headless,
  infoRecord,
  madeRecord,
  makingOf,
  metadataRecord,
  payloadDigest,
  placeOf,
  readRecord,
  responseRecords,
  revisitRecords,
  saysUnchanged,
  withBody,
  withoutBody,
  type Capture,
  type Made,
  type ReadRecord,
  type RefersTo,
} from './warc.ts';
export { Archive, ArchiveReader, NotHereYet } from './archive.ts';
export {
  formatOf,
  pack,
  packSmall,
  segmentFormats,
  segmentName,
  unpack,
  unpackAside,
  unpackBoth,
  type SegmentFormat,
} from './member.ts';
export type { OwnSegment, SegmentRules } from './own-segment.ts';
export { keepRobots, robotsKey, robotsRecords } from './robots-records.sql.ts';
export type { FoundRecord } from './records.sql.ts';
export { openObjects, openSegments, type ObjectStore } from './open.ts';
export { RecentBodies } from './recent-bodies.ts';
export type { SegmentStore } from './segment-store.ts';
export { SegmentFolder } from './segment-folder.ts';
export { bytesToSettle, lookSoon } from './segments.sql.ts';
export { SegmentUpkeep } from './upkeep.ts';
