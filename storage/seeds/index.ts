/** Seeds: stored as they were given, and admitted part by part. */
export { appendSeeds, nextSeeds, claimSeeds, lockForSeeds, noteSeeded } from './intake.sql.ts';
export { listSeeds, hasSeedAt, pendingSeed, seededSites } from './lists.sql.ts';
export { spentFor, storeSeeds } from './seed-intake.ts';
export { bringPlace, isWithin, type KnownPlaces } from './seed-places.ts';
export { registrableDomain } from './registrable-domain.ts';
export { readSeeds, type SeedLine } from './seeds.ts';
