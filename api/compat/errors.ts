/** The compatible routes answer every refusal as `{error_message}`, whichever part of the API refuses. */
import type { RequestHandler } from 'express';
import { jobWords } from '../../contracts/http/compat.ts';
import { problemTypeOf } from '../../contracts/http/problem.ts';
import { rendersProblems, type ProblemRenderer, type RenderedProblem } from '../way-in/problem.ts';

/** Seconds after which a caller may ask again when the fault was ours. */
const ourFaultSeconds = '5';

const errorMessage = (status: number, error_message: string): RenderedProblem => ({
  status,
  contentType: 'application/json',
  body: { error_message },
});

const inOurWords: ProblemRenderer = ({ status, detail, rejected }) => {
  const [first] = rejected ?? [];
  return errorMessage(status, first === undefined ? detail : `${detail} ${first.url}: ${first.reason}`);
};

const quotaSpent = problemTypeOf('quota-spent');

/** That interface has one fixed sentence for each of these, and answers 404 when the quota of its user is spent. */
const inTheWordsOfJobs: ProblemRenderer = (problem) => {
  if (problem.type === quotaSpent) return errorMessage(404, jobWords.quotaSpent);
  if (problem.status < 500) return inOurWords(problem);
  const headers = { 'Retry-After': ourFaultSeconds };
  return { ...errorMessage(500, jobWords.ourFault), headers };
};

const families: readonly (readonly [paths: string[], ProblemRenderer])[] = [
  [['/seed/urls', '/url/limit', '/api/v1'], inOurWords],
  [['/v1/url/scan', '/v1/job', '/v1/urls'], inTheWordsOfJobs],
];

/** Mount before every handler that may refuse. */
export function compatErrors(): (readonly [paths: string[], RequestHandler])[] {
  return families.map(([paths, render]) => [paths, rendersProblems(render)]);
}
