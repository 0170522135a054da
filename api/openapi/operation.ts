/**
 * A route in the OpenAPI document: its own description, and the refusals that follow from its inputs and its access.
 */
import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { fails, ifMatch, ifNoneMatch, notModified, stale, type Answer } from '../routes/answers.ts';
import type { Documented, Route } from '../routes/route.ts';
import type { Guarded } from '../way-in/access.ts';
import { withHeaders } from './headers.ts';
import { tagOf } from './tags.ts';

/** By path, in the order of the routes; pages for people are left out. */
export function pathsOf(routes: readonly Route[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    if (route.docs === null) continue;
    const method = route.method.toLowerCase();
    paths[route.path] = { ...paths[route.path], [method]: operationOf(route, route.docs) };
  }
  return paths;
}

function operationOf({ method, path, access }: Route, docs: Documented): ZodOpenApiOperationObject {
  const { id, summary, params, query, callbacks } = docs;
  const takesKey = access !== 'public' && method === 'POST' && takesIdempotencyKey(docs);
  const header = takesKey ? z.object({ ...docs.header?.shape, ...idempotencyKey.shape }) : docs.header;
  const isTenants = access !== 'public' && !access.instance;
  const requestParams = {
    ...(params !== undefined && { path: params }),
    ...(query !== undefined && { query: isTenants ? withSealedCursor(query) : query }),
    ...(header !== undefined && { header }),
  };
  const operation: ZodOpenApiOperationObject = {
    tags: [tagOf(path)],
    operationId: id,
    summary,
    description: access === 'public' ? 'Needs no key.' : who(access),
    security: access === 'public' ? [] : [{ bearer: [] }, { header: [] }],
    ...(Object.keys(requestParams).length > 0 && { requestParams }),
    ...requestBody(docs),
    ...(callbacks !== undefined && { callbacks }),
    responses: {
      ...responses(access === 'public' ? publicRefusals : guardedRefusals),
      ...(takesKey && responses(keyRefusals)),
      ...responses(usualAnswers(path, docs)),
      ...responses(docs.answers),
    },
  };
  return withHeaders(method, operation, {
    isGuarded: access !== 'public',
    countsQuotas: docs.countsQuotas === true,
  });
}

function who({ least, scopes, instance }: Guarded): string {
  const whole = instance ? ' of the whole instance' : '';
  return `Needs the role ${least}${whole} and the scope ${scopes.join(' or ')}.`;
}

/** The API seals cursors on the way out (gate.ts); the contracts know the content. */
const sealedCursor = z
  .string()
  .regex(/^[\w-]{38,400}$/)
  .optional()
  .meta({ description: '`next` of the previous answer.' });

const withSealedCursor = (query: z.ZodObject): z.ZodObject =>
  'cursor' in query.shape ? z.strictObject({ ...query.shape, cursor: sealedCursor }) : query;

function requestBody({ bodyIsOptional, ...docs }: Documented): Partial<ZodOpenApiOperationObject> {
  const bodies = bodiesOf(docs);
  if (bodies.length === 0) return {};
  const content = Object.fromEntries(bodies.map(([type, schema]) => [type, { schema }]));
  return { requestBody: { required: bodyIsOptional !== true, content } };
}

const bodiesOf = ({ body, bodies }: Pick<Documented, 'body' | 'bodies'>): [type: string, z.ZodType][] =>
  Object.entries({ ...(body !== undefined && { 'application/json': body }), ...bodies });

type Answers = Readonly<Record<number, Answer>>;

const responses = (answers: Answers): ZodOpenApiResponsesObject =>
  Object.fromEntries(Object.entries(answers).map(([status, { response }]) => [status, response]));

const ourFaults: Answers = {
  500: fails('Something went wrong here; the log has more under the id of the request.'),
  503: fails('The API, or something that it needs, cannot serve the request now. Try again soon.'),
};

const publicRefusals: Answers = {
  431: fails('The request line and the header fields are too long.'),
  ...ourFaults,
};

const guardedRefusals: Answers = {
  ...ourFaults,
  401: fails('The request has no key or token, or one that is not accepted.'),
  403: fails('The role, the scopes or the tenant of the caller do not allow the request.'),
  429: fails('Too many requests; Retry-After says when to try again.'),
};

const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[!-~]{1,255}$/)
    .optional()
    .meta({
      description:
        'A request that is sent again with its key within a day is done once, and gets the first answer again.',
      param: { id: 'idempotencyKey' },
    }),
});

/** As the API obeys it (way-in/idempotency.ts): with a JSON body, or none. */
function takesIdempotencyKey(docs: Documented): boolean {
  const types = bodiesOf(docs).map(([type]) => type);
  return types.length === 0 || types.includes('application/json');
}

const keyRefusals: Answers = {
  400: fails('The Idempotency-Key, or the body, is not valid.'),
  409: fails('The first request with this Idempotency-Key is under way, or its answer was not kept.'),
  422: fails('The Idempotency-Key was used for another request.'),
};

const bodyRefusals: Answers = {
  400: fails('The body is not valid JSON.'),
  413: fails('The body is too large.'),
  415: fails('The body is not JSON.'),
  422: fails('The body is not valid.'),
};

const heavyRefusals: Answers = {
  429: fails(
    'Too many requests, or too many costly requests of the tenant are under way; Retry-After says when to try again.',
  ),
  503: fails(
    'Too many costly requests are under way, or something that the API needs does not answer; Retry-After says when to try again.',
  ),
};

const usualAnswers = (path: string, { query, header, isHeavy, ...docs }: Documented): Answers => ({
  ...(isHeavy && heavyRefusals),
  ...(bodiesOf(docs).length > 0 && bodyRefusals),
  ...(query !== undefined && { 400: fails('The query is not valid.') }),
  ...(path.includes('{crawlId}') && { 404: fails('There is no such crawl.') }),
  ...(header === ifNoneMatch && { 304: notModified }),
  ...(header === ifMatch && { 412: stale }),
});
