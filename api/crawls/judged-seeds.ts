/** Seeds as they were sent, judged one by one before anything is done with them (F01). */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { RejectedSeed } from '../../contracts/http/crawls.ts';
import { rejectedSeedsShown } from '../../contracts/http/seeds.ts';
import { readSeeds, rejectionSentence, seedEntries, type SeedLine } from '../../storage/seeds.ts';
import { oneAtATime } from '../routes/in-line.ts';
import { HttpProblem } from '../way-in/problem.ts';

export interface JudgedSeeds {
  readonly seeds: readonly SeedLine[];
  readonly accepted: number;
  readonly rejectedCount: number;
  /** The first of them. */
  readonly rejected: readonly RejectedSeed[];
}

/** Entries, and characters of a text, above which seeds are many: some hundred bytes each while they are stored. */
const many = { entries: 10_000, characters: 500_000 };
const inLine = oneAtATime(50);
/** Entries judged before others have their turn: some milliseconds. */
const atATime = 1_000;

/**
 * Judges seeds and has them stored. Those of requests with many are judged and stored one request at a time, or several
 * would take more memory than the process has.
 * @param asked a list, or URLs with commas between them. @throws HttpProblem where none is good
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
    // Half a million take seconds, in which nobody else would be answered.
    if (at > 0) await othersTurn();
    seeds.push(...readSeeds(entries.slice(at, at + atATime), at));
  }
  const bad = seeds.filter(({ rejected: why }) => why !== null);
  const accepted = seeds.length - bad.length;
  // A line of two bytes would else come back as a hundred.
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
