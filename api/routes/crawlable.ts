/** Questions about a URL that no crawl can have are refused. */
import { rejectionSentence } from '../../domain/seeds.ts';
import { rejectionOf } from '../../engine/explain/explain.ts';
import { HttpProblem } from '../way-in/problem.ts';

/** @throws HttpProblem 422 */
export function refuseUncrawlable(url: string): void {
  const rejected = rejectionOf(url);
  if (rejected === null) return;
  const detail = `This URL cannot be crawled: it ${rejectionSentence(rejected)}.`;
  throw new HttpProblem(422, detail, { errors: [{ path: 'url', message: rejected }] });
}
