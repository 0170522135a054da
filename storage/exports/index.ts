/** Exports: their jobs in Postgres, and the files that these make. */
export { Draft, DraftLost } from './draft.ts';
export { ExportFiles, hasNoRoom } from './files.ts';
export {
  addExport,
  cancelExport,
  claimExport,
  dropExport,
  endExport,
  exportsInUse,
  exportsToClear,
  findExport,
  listExports,
  noteCleared,
  noteExport,
  openExports,
  releaseExport,
  type ClaimedExport,
  type ExportRow,
} from './jobs.sql.ts';
