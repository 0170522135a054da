/** Seeds as they were sent; each one is judged before anything is done with any of them (F01). */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { RejectedSeed } from '../../contracts/http/crawls.ts';
import { rejectedSeedsShown } from '../../contracts/http/seeds.ts';
import { rejectionSentence, seedEntries } from '../../domain/seeds.ts';
import { readSeeds, type SeedLine } from '../../storage/seeds/index.ts';
import { oneAtATime } from '../routes/in-line.ts';
import { HttpProblem } from '../way-in/problem.ts';

export interface JudgedSeeds {
  readonly seeds: readonly SeedLine[];
  readonly accepted: number;
  readonly rejectedCount: number;
  /** The first rejected seeds only. */
  readonly rejected: readonly RejectedSeed[];
}

/**
 * A request with more entries, or with a longer text, has many seeds. A seed takes some hundred bytes of memory while
 * it is stored.
 */
const many = { entries: 10_000, characters: 500_000 };
const inLine = oneAtATime(50);
/** Entries that are judged before other requests have their turn: some milliseconds of work. */
const atATime = 1_000;

/**
 * Judges seeds and has them stored. Requests with many seeds are judged and stored one after another: several at once
 * would take more memory than the process has.
 * @param asked a list, or URLs with commas between them. @throws HttpProblem if no seed is good
 */
export function withJudgedSeeds<T>(
  response: Response,
  asked: string | readonly string[],
  store: (judged: JudgedSeeds) => Promise<T>,
): Promise<T> {
  const work = async (): Promise<T> => store(await judgeSeeds(asked));
  const isLarge = asked.length > (typeof asked === 'string' ? many.characters : many.entries);
  return isLarge ? inLine(response, work) : work();
}

async function judgeSeeds(asked: string | readonly string[]): Promise<JudgedSeeds> {
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
