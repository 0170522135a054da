/** Seeds as they are stored: judged, and with the place of each. */
import { judgeSeeds, type JudgedSeed } from '../../domain/seeds.ts';
import { seedPlace } from './seed-places.ts';

export interface SeedLine extends Omit<JudgedSeed, 'canonical'> {
  /** Where it lies (seed-places.ts); null: it is no URL. */
  readonly place: string | null;
}

/** As `judgeSeeds`. */
export const readSeeds = (seeds: string | readonly string[], before = 0): readonly SeedLine[] =>
  judgeSeeds(seeds, before).map(({ canonical, ...seed }) => ({
    ...seed,
    place: canonical === null ? null : seedPlace(canonical),
  }));
