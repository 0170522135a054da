import { HttpProblem } from '../way-in/problem.ts';

/** The answer when there is no such crawl, when it belongs to another tenant, and when the id cannot be one. */
export function noSuchCrawl(id: string): never {
  throw new HttpProblem(404, `There is no crawl ${id}.`);
}
