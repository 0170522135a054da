/** Header fields of answers in the OpenAPI document: each field is described once and then referred to. */
import { z } from 'zod';
import type {
  ZodOpenApiHeaderObject,
  ZodOpenApiOperationObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { quotaNames } from '../../domain/quotas.ts';
import { quotaHeader } from '../crawls/quotas.ts';

const field = (description: string, schema: z.ZodType = z.string()): ZodOpenApiHeaderObject =>
  schema.meta({ description });

const quotaFields = Object.fromEntries(
  quotaNames.map((name) => [
    quotaHeader(name),
    field(
      `Sent if the tenant has a quota ${name}, such as \`limit=5, remaining=2\`.`,
      z.string().regex(/^limit=\d+, remaining=\d+$/),
    ),
  ]),
);

export const headerComponents: Record<string, ZodOpenApiHeaderObject> = {
  'X-Request-Id': field(
    'Id of the request, which the log has as well.',
    z.string().regex(/^[\w.:-]{8,128}$/),
  ),
  'Orbweaver-Version': field('Version of the program that answers.'),
  'Retry-After': field('Seconds to wait before trying again.', z.int().min(0)),
  RateLimit: field('Requests that are left, and when the limit starts anew (draft-ietf-httpapi-ratelimit).'),
  'RateLimit-Policy': field('The limit of requests to which RateLimit refers.'),
  'WWW-Authenticate': field('Which kind of key is needed, and what is wrong with the one that was sent.'),
  Location: field('Address of what was created.'),
  ETag: field(
    'Version of the resource, to be sent in If-Match or If-None-Match.',
    z.string().regex(/^"[^"]+"$/),
  ),
  'Idempotent-Replayed': field(
    'This answer is that of the first request with the same Idempotency-Key; nothing was done again.',
    z.literal('true'),
  ),
  ...quotaFields,
};

interface Reference {
  readonly $ref: string;
}

export const headers = (...names: readonly string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

type AnswerWithFields = Omit<ZodOpenApiResponseObject, 'headers'> & {
  readonly headers?: Readonly<Record<string, Reference>>;
};

/**
 * Adds to each answer of an operation the fields that come with its status and its route, besides the fields of its
 * own.
 */
export function withHeaders(
  method: string,
  operation: ZodOpenApiOperationObject,
  { isGuarded, countsQuotas }: { readonly isGuarded: boolean; readonly countsQuotas: boolean },
): ZodOpenApiOperationObject {
  const fieldsOf = (status: string): string[] => [
    'X-Request-Id',
    'Orbweaver-Version',
    ...(isGuarded ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(['429', '500', '503'].includes(status) ? ['Retry-After'] : []),
    ...(['401', '403'].includes(status) ? ['WWW-Authenticate'] : []),
    ...(isGuarded && method === 'POST' && status.startsWith('2') ? ['Idempotent-Replayed'] : []),
    ...(countsQuotas && /^2|403|404|429/.test(status) ? Object.keys(quotaFields) : []),
  ];
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const { headers: own, ...rest } = response as AnswerWithFields;
    return [status, { ...rest, headers: { ...headers(...fieldsOf(status)), ...own } }];
  });
  return { ...operation, responses: Object.fromEntries(responses) as ZodOpenApiOperationObject['responses'] };
}
