/** Versions of a crawl's settings, and what a new one does to its URLs. */
export {
  storeEdit,
  lifeAfter,
  findConfig,
  readConfigs,
  readPlace,
  applyBatch,
  noteReread,
  endEdit,
  type Edit,
  type EditOutcome,
  type EditPlace,
  type JudgedBatch,
} from './crawl-edits.ts';
export {
  urlsToJudge,
  limitedUrls,
  hostsAtLimit,
  pagesToReread,
  type RuledUrl,
  type JudgedUrl,
  type HostAtLimit,
  type StoredLinks,
} from './judging.sql.ts';
export {
  changesScores,
  pendingConfig,
  pendingEdits,
  type ConfigRow,
  type PendingConfig,
} from './versions.sql.ts';
