/** Answers as the OpenAPI document names them. */
import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { problem } from '../../contracts/http/problem.ts';
import { headers } from './headers.ts';

export const json = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/json': { schema } },
});

/** As `json`, of what was made: Location says where it is. */
export const made = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  ...json(description, schema),
  headers: headers('Location'),
});

export const fails = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/problem+json': { schema: problem } },
});

/** As `json`, of what is edited (preconditions.ts). */
export const tagged = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  ...json(description, schema),
  headers: headers('ETag'),
});

/** Request header of reads whose answer is `tagged`, and how it is answered. */
export const ifNoneMatch = z.object({
  'If-None-Match': z.string().optional().meta({ description: 'ETags that are known already.' }),
});
export const notModified: ZodOpenApiResponseObject = {
  description: 'It has an ETag of If-None-Match still.',
  headers: headers('ETag'),
};

/** Request header of changes, and how they are refused. */
export const ifMatch = z.object({
  'If-Match': z.string().optional().meta({
    description:
      'ETags, one of which it has to have still; `*`: it has to be there. Absent: the last change wins.',
  }),
});
export const stale: ZodOpenApiResponseObject = {
  ...fails('If-Match does not hold: somebody else changed it. Its ETag is in the answer.'),
  headers: headers('ETag'),
};
