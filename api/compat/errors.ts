/** How the compatible routes word what they refuse: `{error_message}`, whoever refused it. */
import type { RequestHandler } from 'express';
import { problemTypes, rendersProblems, type ProblemRenderer } from '../problem.ts';

/** @param spentStatus of a quota that is spent; null: as everywhere */
const asErrorMessage =
  (spentStatus: number | null): ProblemRenderer =>
  ({ status, type, detail, rejected }) => {
    const [first] = rejected ?? [];
    const error_message = first === undefined ? detail : `${detail} ${first.url}: ${first.reason}`;
    return {
      status: type === problemTypes.quotaSpent ? (spentStatus ?? status) : status,
      contentType: 'application/json',
      body: { error_message },
    };
  };

const families: readonly (readonly [paths: string[], ProblemRenderer])[] = [
  [['/v1/job', '/v1/urls', '/seed/urls', '/url/limit', '/api/v1'], asErrorMessage(null)],
  // That interface answers 404 where the quota of its user is spent.
  [['/v1/url/scan'], asErrorMessage(404)],
];

/** To be mounted before whatever may refuse. */
export function compatErrors(): (readonly [paths: string[], RequestHandler])[] {
  return families.map(([paths, render]) => [paths, rendersProblems(render)]);
}
