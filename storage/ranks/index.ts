/** The imported ranking of domains. */
export { countRanks, hasRanks, ranksOf } from './ranks.sql.ts';
export { dropRanks, importRanks, OvertakenImport, type Ranked } from './ranks.ts';
