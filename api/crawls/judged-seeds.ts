/** Seeds as they were sent; each one is judged before anything is done with any of them (F01). */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { RejectedSeed } from '../../contracts/http/crawls.ts';
import { rejectedSeedsShown } from '../../contracts/http/seeds.ts';
import { rejectionSentence, seedEntries } from '../../domain/seeds.ts';
import { readSeeds, type SeedLine } from '../../storage/seeds/index.ts';
import { HttpProblem } from '../way-in/problem.ts';

export interface JudgedSeeds {
  readonly seeds: readonly SeedLine[];
  readonly accepted: number;
  readonly rejectedCount: number;
  /** The first rejected seeds only. */
  readonly rejected: readonly RejectedSeed[];
}

/** Entries that are judged before other requests have their turn: some milliseconds of work. */
const atATime = 100;

/**
 * Judges seeds. Many seeds come in a large body, of which a tenant has one worked on at a time.
 * @param asked a list, or URLs with commas between them. @throws HttpProblem if no seed is good
 */
export async function judgeSeeds(asked: string | readonly string[]): Promise<JudgedSeeds> {
  const entries = seedEntries(asked);
  const seeds: SeedLine[] = [];
  for (let at = 0; at < entries.length; at += atATime) {
    // Half a million seeds take seconds, in which no other request would be answered.
    if (at > 0) await othersTurn();
    seeds.push(...readSeeds(entries.slice(at, at + atATime), at));
  }
  const bad = seeds.filter(({ rejected: why }) => why !== null);
  const accepted = seeds.length - bad.length;
  // Otherwise a line of two bytes would come back as a hundred.
  const rejected = bad.slice(0, rejectedSeedsShown).flatMap(rejection);
  if (accepted === 0) {
    const many = seeds.length === 0 ? 'No seed was given.' : 'None of the seeds can be crawled.';
    throw new HttpProblem(422, many, { rejected });
  }
  return { seeds, accepted, rejectedCount: bad.length, rejected };
}

function rejection(seed: SeedLine): RejectedSeed[] {
  if (seed.rejected === null) return [];
  return [
    { line: seed.line, url: seed.url, reason: `${seed.rejected}: it ${rejectionSentence(seed.rejected)}` },
  ];
}
