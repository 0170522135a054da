/** Answers of routes, for the OpenAPI document, and the values that handlers return for them. */
import { z } from 'zod';
import type { ZodOpenApiMediaTypeObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { problem } from '../../contracts/http/problem.ts';
import { headers } from '../openapi/headers.ts';

/** Carries the type of the handler's value; at run time the property does not exist. */
declare const value: unique symbol;

/** One of the answers of a route. T: what the handler returns for it. */
export interface Answer<T = unknown> {
  readonly response: ZodOpenApiResponseObject;
  /** Sent with its ETag (preconditions.ts). */
  readonly isTagged?: true;
  readonly [value]?: T;
}

/** A value that fits a schema, whether readonly or not. */
type Sendable<T> = T extends readonly (infer E)[]
  ? readonly Sendable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Sendable<T[K]> }
    : T;
type Output<S extends z.ZodType> = Sendable<z.output<S>>;

const content = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/json': { schema } },
});

/** @param fields header fields that the handler sets; openapi/headers.ts adds those that all routes have */
export const json = <S extends z.ZodType>(
  description: string,
  schema: S,
  ...fields: readonly string[]
): Answer<Output<S>> => ({
  response: { ...content(description, schema), ...(fields.length > 0 && { headers: headers(...fields) }) },
});

/** As `json`, for a resource that was made: the handler sets Location. */
export const made = <S extends z.ZodType>(description: string, schema: S): Answer<Output<S>> =>
  json(description, schema, 'Location');

/**
 * As `json`, for a resource that can be edited: the handler returns it with its version, and it is sent with its ETag.
 */
export const tagged = <S extends z.ZodType>(
  description: string,
  schema: S,
): Answer<{ readonly version: number; readonly body: Output<S> }> => ({
  response: json(description, schema, 'ETag').response,
  isTagged: true,
});

/** An answer that the handler itself may also send as another media type. */
export const alsoAs = <T>(
  type: string,
  media: ZodOpenApiMediaTypeObject,
  { response }: Answer<T>,
): Answer<T> => ({ response: { ...response, content: { ...response.content, [type]: media } } });

/** An answer that the handler sends itself. */
export const byHand = (response: ZodOpenApiResponseObject): Answer<never> => ({ response });

export const fails = (description: string): Answer<never> =>
  byHand({ description, content: { 'application/problem+json': { schema: problem } } });

/** Request header of reads whose answer is `tagged`, and the answer to it. */
export const ifNoneMatch = z.object({
  'If-None-Match': z.string().optional().meta({ description: 'ETags that the client knows already.' }),
});
export const notModified = byHand({
  description: 'The resource still has an ETag from If-None-Match.',
  headers: headers('ETag'),
});

/** Request header of changes, and the refusals that it brings. */
export const ifMatch = z.object({
  'If-Match': z.string().optional().meta({
    description:
      'ETags; the resource must still have one of them. `*`: the resource must exist. Absent: the last change wins.',
  }),
});
export const stale = byHand({
  ...fails(
    'If-Match does not hold, because somebody else has changed the resource. The answer has the present ETag.',
  ).response,
  headers: headers('ETag'),
});
