/** What the table of access.ts means for the OpenAPI document: who may, and how the others are refused. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { accessTable, type Guarded } from '../way-in/access.ts';
import { fails } from './parts.ts';
import { withHeaders } from './headers.ts';
import { tagOf } from './tags.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Adds to every operation its security, and to guarded ones their refusals. @throws for one the table does not know */
export function withAccess(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const operations = methods.flatMap((method) => {
        const operation = item[method];
        return operation === undefined ? [] : [[method, described(method, path, operation)]];
      });
      return [path, { ...item, ...(Object.fromEntries(operations) as typeof item) }];
    }),
  );
}

/** What is answered to any body that cannot be read. */
const unreadBodies = {
  '400': fails('The body is not valid JSON.'),
  '413': fails('The body is too large.'),
  '415': fails('The body is not JSON.'),
};

/** Sealed where it leaves the API (gate.ts): the contracts know what is within. */
const sealedCursor = z
  .string()
  .regex(/^[\w-]{38,400}$/)
  .optional()
  .meta({ description: '`next` of the answer before.' });

function withSealedCursor({
  requestParams,
  ...operation
}: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const query = requestParams?.query;
  if (!(query instanceof z.ZodObject) || !('cursor' in query.shape))
    return { ...operation, ...(requestParams && { requestParams }) };
  const sealed = z.strictObject({ ...query.shape, cursor: sealedCursor });
  return { ...operation, requestParams: { ...requestParams, query: sealed } };
}

function described(
  method: string,
  path: string,
  operation: ZodOpenApiOperationObject,
): ZodOpenApiOperationObject {
  const judged = judgedByTable(`${method.toUpperCase()} ${path}`, operation);
  return { tags: [tagOf(path)], ...withHeaders(method, judged, judged.security?.length !== 0) };
}

function judgedByTable(route: string, operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const access = accessTable[route];
  if (access === undefined) throw new Error(`${route} is not in the table of access`);
  if (access === 'public')
    return {
      ...operation,
      description: 'Takes no key.',
      security: [],
      responses: {
        ...operation.responses,
        '431': fails('The request line and the header fields are too long.'),
      },
    };
  const existing = operation.responses;
  return {
    ...(access.instance ? operation : withSealedCursor(operation)),
    description: [operation.description, who(access)].filter(Boolean).join(' '),
    security: [{ bearer: [] }, { header: [] }],
    responses: {
      ...(operation.requestBody !== undefined && unreadBodies),
      ...existing,
      '401': existing['401'] ?? fails('No key or token that is accepted was sent.'),
      '403': existing['403'] ?? fails('The role, the scopes or the tenant of the caller do not allow it.'),
      '429': existing['429'] ?? fails('Too many requests; Retry-After says when to go on.'),
    },
  };
}

function who({ least, scope, instance }: Guarded): string {
  const whole = instance ? ' of the whole instance' : '';
  return `Takes the role ${least}${whole}; scope ${scope}.`;
}
