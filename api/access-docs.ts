/** What the table of access.ts means for the OpenAPI document: who may, and how the others are refused. */
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { accessTable, type Guarded } from './access.ts';
import { fails } from './openapi-parts.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Adds to every operation its security, and to guarded ones their refusals. @throws for one the table does not know */
export function withAccess(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const operations = methods.flatMap((method) => {
        const operation = item[method];
        return operation === undefined
          ? []
          : [[method, described(`${method.toUpperCase()} ${path}`, operation)]];
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

function described(route: string, operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const access = accessTable[route];
  if (access === undefined) throw new Error(`${route} is not in the table of access`);
  if (access === 'public') return { ...operation, security: [] };
  const existing = operation.responses;
  return {
    ...operation,
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
