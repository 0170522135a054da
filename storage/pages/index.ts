/** Stored pages: listed, read, judged for copies. */
export {
  claimContents,
  claimNewContents,
  contentOwners,
  earlierCopies,
  type ContentClaim,
  type ContentOwner,
  type EarlierCopy,
} from './copies.sql.ts';
export {
  findStored,
  hostShare,
  isOurs,
  listPages,
  listPagesOfHost,
  pagesHorizon,
  storedRecords,
} from './lists.sql.ts';
export {
  extractionColumns,
  extractionJson,
  extractionOf,
  extractionSet,
  extractionTypes,
  listedColumns,
  type ExtractionRow,
} from './extraction.ts';
export { readingOf, standsForItsBody } from './copy-ranking.ts';
export { judgeCopies } from './judge-copies.ts';
export { rankCopies } from './rank-copies.sql.ts';
export { rankingLock } from './ranking-lock.sql.ts';
export { filterParams, nearDuplicateOf, revisitOf } from './page-feed.ts';
export { packOutlinks, unpackOutlinks } from './outlinks.ts';
export { bodyFields, readPage, readPages, pageBatches, type TextReader } from './pages.ts';
export {
  bodiesInStage,
  hostsInStage,
  outOfReach,
  advanceStages,
  upsertPages,
  requeueLostBodies,
  turnIntoSitemap,
  renderedWithout,
  requisiteLevel,
  sitemapLevel,
  type LaneStage,
  type StagedBody,
  type StageRow,
  type PageRow,
} from './stages.sql.ts';
