/** Parts that the whole wire format of the API shares: limits of requests, ids, counts, instants, cursors. */
import { z } from 'zod';

/** Bytes of a request body at most: about 100,000 seeds. */
export const maxRequestBytes = 10 * 1024 * 1024;

/** Bytes of a request's line and head together; a URL within a URL may take three bytes for each of its own. */
export const maxHeadBytes = 64 * 1024;

/** Characters of a URL in the path or query of a request, at most: twice what a crawl admits. */
export const maxUrlInUrl = 4_096;

export const wholeNumber = (least: number, most: number) => z.int().min(least).max(most);

/** Words for people. Postgres text, and JSON in it, hold neither NUL nor half of a surrogate pair. */
export const words = (most: number) =>
  z
    .string()
    .max(most)
    .transform((text) => text.replaceAll('\0', '\ufffd').toWellFormed().trim())
    .pipe(z.string().min(1, 'is empty'));

/**
 * A long list of texts. Reading stops at the first entry that is not a valid text: an error for each of millions would
 * take a gigabyte.
 */
export const texts = (mostTexts: number, mostCharacters: number) =>
  z
    .array(z.unknown().meta({ type: 'string', maxLength: mostCharacters }) as z.ZodType as z.ZodType<string>)
    .min(1)
    .max(mostTexts)
    .superRefine((entries, context) => {
      const isText = (entry: unknown): boolean => typeof entry === 'string' && entry.length <= mostCharacters;
      const bad = entries.findIndex((entry) => !isText(entry));
      if (bad < 0) return;
      const message = `not a text of at most ${String(mostCharacters)} characters`;
      context.addIssue({ code: 'custom', path: [bad], message });
    });

export const changeReason = z.strictObject({ reason: words(500).optional() }).meta({ id: 'ChangeReason' });

/** How the OpenAPI document describes a list in one text. */
export const commaSeparated = (words: readonly string[]): string =>
  `^(${words.join('|')})(,(${words.join('|')}))*$`;

/** How the OpenAPI document describes a number that comes as text, in a path or a query. */
export const asInteger = (least: number, most: number) => ({
  override: ({ jsonSchema }: { jsonSchema: object }): void => {
    if ('pattern' in jsonSchema) delete jsonSchema.pattern;
    Object.assign(jsonSchema, { type: 'integer', minimum: least, maximum: most });
  },
});

/** Query parameters come as text. */
export const limit = (most: number, standard: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'a whole number')
    .transform(Number)
    .pipe(wholeNumber(1, most))
    .optional()
    .meta({
      ...asInteger(1, most),
      description: `Largest number of entries in one answer: 1 to ${String(most)}; ${String(standard)} by default.`,
    });

/** Decimal, as answered when the crawl was created. */
export const crawlId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'it must be the number of a crawl')
  .meta({ description: 'Id of the crawl.', examples: ['1'] });

export const crawlPath = z.strictObject({ crawlId });

export const count = z.int().min(0);

/** Milliseconds are kept; ISO 8601 in UTC. */
export const instant = z.iso.datetime();
/** An instant that a client sends: one that Postgres can read. */
export const givenInstant = z.iso
  .datetime()
  .max(40)
  .refine((text) => !text.startsWith('0000'), 'there was no year 0');

export const nextCursor = z.string().nullable();

export const rangeHeader = z.object({
  Range: z.string().optional().meta({
    description:
      '`bytes=1000-`: from this byte on, for a download that broke off. `bytes=1000-1999`: these bytes. `bytes=-1000`: the last ones. Other forms get all.',
  }),
});
