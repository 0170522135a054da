/** What backups need of Postgres: its own backup mode, what segments hold, what holds after a restore, what was done. */
export {
  beginBackup,
  beginOnlyBackup,
  endBackup,
  endFrozenBackup,
  endLeftCopies,
  holdArchive,
  holdsArchive,
  serverFacts,
  silentSeconds,
  takeTime,
  walBetween,
} from './making.sql.ts';
export { allCrawls, committedSegments, sampleBodies } from './contents.sql.ts';
export {
  connectedOthers,
  countHostsAsAsked,
  countTurnsAsTaken,
  endSignIns,
  moveIdsOn,
  spendQuotas,
  tellOfRestore,
} from './restoring.sql.ts';
export { lastBackup, noteBackup, noteFailedTry, type BackupNote } from './noted.sql.ts';
