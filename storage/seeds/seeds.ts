/** Seeds as they are stored: judged, each with its place. */
import { judgeSeeds, type JudgedSeed } from '../../domain/seeds.ts';
import { seedPlace } from './seed-places.ts';

export interface SeedLine extends Omit<JudgedSeed, 'canonical'> {
  /** Where the seed lies (seed-places.ts); null: the seed is not a URL. */
  readonly place: string | null;
}

/** As `judgeSeeds`. */
export const readSeeds = (seeds: string | readonly string[], before = 0): readonly SeedLine[] =>
  judgeSeeds(seeds, before).map(({ canonical, ...seed }) => ({
    ...seed,
    place: canonical === null ? null : seedPlace(canonical),
  }));
