/** Exports: their jobs in Postgres, and the files that these make. */
export { Draft, DraftLost, syncFolder } from './draft.ts';
export { ExportFiles, hasNoRoom } from './files.ts';
export {
  addExport,
  exportRows,
  exportsInUse,
  exportsToClear,
  noteCleared,
  type ExportRow,
} from './jobs.sql.ts';
