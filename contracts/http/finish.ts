/** Finish criteria on the wire (domain/finish-criteria.ts). */
import { z } from 'zod';
import { validatePattern } from '../../domain/pattern.ts';
import type { Criterion, FinishCriteria } from '../../domain/finish-criteria.ts';

const mostCriteria = 20;

const matching = z
  .strictObject({
    count: z.int().min(1).max(1e12),
    url: z
      .string()
      .max(500)
      .superRefine((text, context) => {
        const problem = validatePattern(text);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      })
      .optional()
      .meta({ description: 'Glob that must match the canonical URL.' }),
    title: z
      .string()
      .min(1)
      .max(100)
      .regex(/^\P{C}*$/u, 'printable text')
      .optional()
      .meta({ description: 'Text that the title must contain, in upper or lower case.' }),
    language: z
      .string()
      .regex(/^[a-z]{2}$/, 'an ISO 639-1 code such as "en"')
      .optional(),
  })
  .refine(({ url, title, language }) => (url ?? title ?? language) !== undefined, {
    message: 'must say by url, title or language which pages match',
  });

const criterion = z
  .union(
    [
      z.strictObject({ pages: z.int().min(1).max(1e12) }),
      z.strictObject({ bytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER) }),
      z.strictObject({ seconds: z.number().positive().max(1e9) }),
      z.strictObject({ depth: z.int().min(0).max(30_000) }),
      z.strictObject({ exhausted: z.literal(true) }),
      z.strictObject({ matching }),
    ],
    'must be one of pages, bytes, seconds, depth, exhausted, matching',
  )
  .meta({ id: 'Criterion' }) satisfies z.ZodType<Criterion>;

const some = z.array(criterion).min(1).max(mostCriteria).readonly();

export const finishCriteria = z
  .union(
    [
      z.strictObject({
        any: z
          .array(z.union([criterion, z.strictObject({ all: some })]))
          .min(1)
          .max(mostCriteria)
          .readonly(),
      }),
      z.strictObject({
        all: z
          .array(z.union([criterion, z.strictObject({ any: some })]))
          .min(1)
          .max(mostCriteria)
          .readonly(),
      }),
    ],
    'criteria under "any" or under "all"',
  )
  .meta({
    id: 'Finish',
    description:
      'When the crawl has fetched enough. It then ends as finished, and URLs that are still queued are excluded. Null: the crawl ends when nothing is left to fetch, or when a limit is reached.',
    examples: [
      {
        any: [{ pages: 1_000 }, { all: [{ seconds: 600 }, { matching: { count: 5, url: '*/product/*' } }] }],
      },
    ],
  }) satisfies z.ZodType<FinishCriteria>;
