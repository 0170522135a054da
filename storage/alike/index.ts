/** Near-duplicates: fingerprints of texts, and which pages are like which. */
export { judgeAlike } from './judge.ts';
export { countUnjudged, listClusters, printsLike, storePrints, type PrintRow } from './prints.sql.ts';
