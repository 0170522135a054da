/** Refusals of the compatible routes, in the shape of those routes, for the OpenAPI document. */
import { errorMessage } from '../../contracts/http/compat.ts';
import { byHand, json, type Answer } from '../routes/answers.ts';

export const says = (description: string): Answer<never> => byHand(json(description, errorMessage).response);

/** Refusals that every one of these routes has. */
export const refusals = {
  401: says('The request has no key or token, or one that is not accepted.'),
  403: says('The role, the scopes or a lasting quota of the caller do not allow the request.'),
  429: says('Too many requests, or a spent quota that refills; Retry-After says when to try again.'),
  500: says('Something went wrong here.'),
  503: says('Something that the API needs, such as Temporal or a worker, did not answer in time.'),
};
export const bodyRefusals = {
  400: says('The body is not valid JSON.'),
  413: says('The body is too large.'),
  415: says('The body is not JSON.'),
  422: says('The body is not valid.'),
};
