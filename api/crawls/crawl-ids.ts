/** The crawl that a route names. */
import type { Request } from 'express';
import { crawlId as crawlIdSchema } from '../../contracts/http/shared.ts';
import { HttpProblem } from '../way-in/problem.ts';

/** An id that cannot be one names no crawl. */
export function crawlIdOf(request: Request): string {
  const id = String(request.params['crawlId']);
  return crawlIdSchema.safeParse(id).success ? id : noSuchCrawl(id);
}

export function noSuchCrawl(id: string): never {
  throw new HttpProblem(404, `There is no crawl ${id}.`);
}
