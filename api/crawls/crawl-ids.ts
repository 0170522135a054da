import { HttpProblem } from '../way-in/problem.ts';

/** What is answered where a crawl is not there, is another tenant's, or its id cannot be one. */
export function noSuchCrawl(id: string): never {
  throw new HttpProblem(404, `There is no crawl ${id}.`);
}
