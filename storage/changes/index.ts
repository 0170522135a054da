/** Versions of pages, and what changed between them. */
export {
  answersAfter,
  changesPlace,
  changesProgress,
  claimChanges,
  countDropped,
  followedCrawl,
  followedCrawls,
  forgetChanges,
  listVersions,
  releaseChanges,
  storeVersions,
  type ChangesPlace,
  type FollowedAnswer,
  type NewVersion,
  type StoredVersion,
} from './following.sql.ts';
