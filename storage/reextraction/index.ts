/** Re-extractions: their jobs, what they have found, and which of them is in use. */
export { cancelReextraction, changeReextraction, listReextractions, startReextraction } from './changes.ts';
export {
  holdReextraction,
  leaveReextraction,
  reextractionRows,
  stateOf,
  storeReextracted,
  type ReextractedPage,
  type ReextractionRow,
} from './jobs.sql.ts';
export { comparePages, keepReextracted, removeReextracted, walkPages, type WalkedPage } from './pages.sql.ts';
export { noPrint, turnPrints } from './prints.ts';
