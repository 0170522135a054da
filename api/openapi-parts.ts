/** Answers as the OpenAPI document names them. */
import type { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import * as http from '../contracts/http.ts';

export const json = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/json': { schema } },
});

export const fails = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/problem+json': { schema: http.problem } },
});
