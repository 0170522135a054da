/** The quarantine of a crawl on the wire: shapes of URLs that look like traps. */
import { z } from 'zod';
import { trapRules } from '../../domain/traps/rules.ts';
import { verdicts } from '../../domain/traps/verdict.ts';
import { hostOrigin } from '../hosts.ts';
import { commaSeparated, count, instant, limit, nextCursor } from './shared.ts';

export const defaultQuarantineLimit = 100;
/** URLs of one shape are counted up to this number. */
export const quarantineCounted = 10_000;

const quarantineId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'it must be the number of a quarantined shape')
  .meta({ description: 'Id of the shape in quarantine.', examples: ['17'] });

const shape = z
  .string()
  .min(1)
  .max(2_100)
  .regex(/^[\x20-\x7e]+$/, 'not a shape of URLs')
  .meta({
    description:
      'Shape of URLs: a path in which `{n}` stands for digits and `{t}` for a token, with the names of the query or `?*` for any query, a folder with all below it (`/calendar/**`), or one of the names that the preview of a URL shows.',
    examples: ['/calendar/{n}/{n}'],
  });

export const quarantineView = z
  .object({
    id: quarantineId,
    host: z.string().meta({ description: 'Origin of the host.' }),
    shape,
    kind: z.enum(['trap', 'soft-404']).meta({
      description:
        'What is kept back. trap: URLs of the shape, before they are fetched. soft-404: pages of the host that were fetched, and that are not there although the server says so with no status.',
    }),
    rule: z.enum(trapRules).meta({ description: 'The rule that has found it.' }),
    why: z.string().meta({ description: 'The evidence in words.' }),
    evidence: z
      .record(z.string(), z.number())
      .meta({ description: 'The figures by which the rule decided; shares are from 0 to 1.' }),
    verdict: z.enum(verdicts).meta({
      description:
        'suspected: its URLs go behind the others; cleared: no longer suspected; held: its URLs are kept back, and a few a day are let through as samples; confirmed: a person calls it a trap, and none is let through; released: its URLs are free, and no rule holds the shape again.',
    }),
    urls: count.meta({
      description: `URLs that are kept back, counted up to ${String(quarantineCounted)}.`,
    }),
    letThrough: count.meta({ description: 'URLs that were let through as samples.' }),
    sampled: count.meta({ description: 'Pages of the shape that were read since.' }),
    novel: count.meta({
      description:
        'How many of these said something new. Five samples, four fifths of them new, release the shape.',
    }),
    since: instant,
    judgedBy: z
      .string()
      .nullable()
      .meta({ description: 'Key or subject of a token that gave the verdict; null: the rules.' }),
    judgedAt: instant.nullable(),
  })
  .meta({ id: 'QuarantinedShape' });
export type QuarantineView = z.infer<typeof quarantineView>;

const verdictFilter = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(verdicts)).min(1))
  .optional()
  .meta({
    description: 'Only shapes with these verdicts, comma-separated; absent: held and confirmed.',
    pattern: commaSeparated(verdicts),
    examples: ['held,suspected'],
  });

export const quarantineQuery = z.strictObject({
  cursor: z.string().max(100).optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultQuarantineLimit),
  verdict: verdictFilter,
  host: hostOrigin.optional(),
});

export const quarantineList = z
  .object({ items: z.array(quarantineView), next: nextCursor })
  .meta({ id: 'QuarantineList' });

/** Which shapes are meant; no field: all that are held. */
export const quarantineChoice = z
  .strictObject({
    ids: z.array(quarantineId).min(1).max(1_000).optional(),
    host: hostOrigin.optional().meta({ description: 'Only shapes of this host.' }),
    rule: z.enum(trapRules).optional().meta({ description: 'Only shapes that this rule has found.' }),
  })
  .meta({ id: 'QuarantineChoice', examples: [{ ids: ['17'] }, { rule: 'nothing-new' }] });
export type QuarantineChoice = z.infer<typeof quarantineChoice>;

export const quarantineJudged = z
  .object({
    shapes: count.meta({ description: 'Shapes whose verdict has changed.' }),
    urls: count.meta({
      description:
        'URLs that are let go: those of traps are queued again; pages that were held as soft 404 are pages of the crawl again, without a request.',
    }),
    more: z.boolean().meta({ description: 'True: further URLs are let go in the background.' }),
    left: count.meta({
      description: `How many of these follow, counted up to ${String(quarantineCounted)} a shape.`,
    }),
  })
  .meta({ id: 'QuarantineJudged' });
export type QuarantineJudged = z.infer<typeof quarantineJudged>;

export const quarantineTry = z
  .union([
    z.strictObject({ url: z.string().min(1).max(8_192).meta({ description: 'All shapes of this URL.' }) }),
    z.strictObject({ host: hostOrigin, shape }),
  ])
  .meta({ id: 'QuarantineTry', examples: [{ url: 'https://example.com/calendar/2031/7' }] });

const shapeEffect = z
  .object({
    shape,
    urls: count.meta({ description: 'Pages of the crawl at the host that have the shape, in any state.' }),
    queued: count.meta({ description: 'How many of these are queued: they would be kept back.' }),
    everything: z.boolean().meta({
      description: 'True: all queued URLs of the host have the shape, so it cannot be put into quarantine.',
    }),
    examples: z.array(z.string()).meta({ description: 'Some of the queued URLs.' }),
  })
  .meta({ id: 'ShapeEffect' });

export const quarantinePreview = z
  .object({
    host: z.string(),
    shapes: z.array(shapeEffect),
    queued: count.meta({ description: 'Queued pages of the crawl at the host, seeds aside.' }),
    complete: z
      .boolean()
      .meta({ description: 'False: there were too many URLs to look at all of them in time.' }),
  })
  .meta({ id: 'QuarantinePreview' });
export type QuarantinePreview = z.infer<typeof quarantinePreview>;

export const newQuarantine = z
  .strictObject({ host: hostOrigin, shape })
  .meta({ id: 'NewQuarantine', examples: [{ host: 'https://example.com', shape: '/calendar/{n}/{n}' }] });
