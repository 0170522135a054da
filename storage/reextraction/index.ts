/** Re-extractions: their jobs, what they have found, and which of them is in use. */
export { changeReextraction, startReextraction } from './changes.ts';
export {
  cancelReextraction,
  claimReextraction,
  dropReextraction,
  endReextraction,
  findReextraction,
  holdReextraction,
  listReextractions,
  noteEmptied,
  noteKept,
  noteReextracted,
  noteSettled,
  openReextractions,
  releaseReextraction,
  type ClaimedReextraction,
  type ReextractedPage,
  type ReextractionRow,
} from './jobs.sql.ts';
export { comparePages, keepReextracted, removeReextracted, walkPages, type WalkedPage } from './pages.sql.ts';
export { noPrint, turnPrints } from './prints.ts';
