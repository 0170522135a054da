/** Seeds as they were sent, judged one by one before anything is done with them (F01). */
import type { CreatedCrawl } from '../contracts/http/crawls.ts';
import { readSeeds, rejectionSentence, type SeedLine } from '../storage/seeds.ts';
import { HttpProblem } from './problem.ts';

export interface JudgedSeeds {
  readonly seeds: readonly SeedLine[];
  readonly accepted: number;
  readonly rejected: CreatedCrawl['rejected'];
}

/** @param asked a list, or URLs with commas between them. @throws HttpProblem where none is good */
export function judgeSeeds(asked: string | readonly string[]): JudgedSeeds {
  const seeds = readSeeds(asked);
  const rejected = seeds.flatMap(rejection);
  const accepted = seeds.length - rejected.length;
  if (accepted === 0) {
    const many = seeds.length === 0 ? 'No seed was given.' : 'None of the seeds can be crawled.';
    throw new HttpProblem(422, many, { rejected });
  }
  return { seeds, accepted, rejected };
}

function rejection(seed: SeedLine): CreatedCrawl['rejected'] {
  if (seed.rejected === null) return [];
  return [
    { line: seed.line, url: seed.url, reason: `${seed.rejected}: it ${rejectionSentence(seed.rejected)}` },
  ];
}
