/** Dead letters (G7) on the wire: how they are listed and driven again. */
import { z } from 'zod';
import { deadLetterClasses } from '../domain/dead-letter.ts';
import { canonicalize } from '../domain/url.ts';
import { hostOrigin } from './hosts.ts';
import { count, instant, limit, nextCursor } from './http/shared.ts';

const letterClass = z
  .enum(deadLetterClasses)
  .meta({ description: 'Why they were given up; docs/operations.md tells what each class means.' });

const url = z
  .string()
  .max(100_000)
  .transform((text, context) => {
    const read = canonicalize(text.trim());
    if (read.ok) return read.value.url;
    context.addIssue({ code: 'custom', message: 'is not a URL that a crawl can have' });
    return z.NEVER;
  })
  .meta({ description: 'Any spelling of the URL.' });

export const defaultDeadLetterLimit = 100;
const page = {
  class: letterClass.optional(),
  cursor: z.string().max(200).optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(1_000, defaultDeadLetterLimit),
};

export const deadLetterQuery = z.strictObject({ ...page, host: hostOrigin.optional() });
export const hostDeadLetterQuery = z.strictObject({ ...page, host: hostOrigin });

/** With none of these fields: every dead letter of the crawl. */
export const newRedrive = z
  .strictObject({
    url: url.optional(),
    class: letterClass.optional(),
    host: hostOrigin.optional().meta({
      description:
        'Alone, without url and class, it also has a parked host tried again, for whoever may change hosts.',
    }),
  })
  .meta({ id: 'NewRedrive' });
export type NewRedrive = z.infer<typeof newRedrive>;

const deadLetterView = z
  .object({
    crawlId: z.string(),
    url: z.string(),
    host: z.string(),
    hostParked: z.boolean(),
    class: z.enum(deadLetterClasses),
    status: z.int().nullable().meta({ description: 'Of the last answer; null: there was none.' }),
    message: z.string(),
    headers: z.record(z.string(), z.string()).nullable().meta({
      description: 'Of the last answer: 20 fields and 2 KB at most, never cookies or credentials.',
    }),
    attemptedAt: z.array(instant).meta({
      description: 'When requests ended without a final outcome: the latest 20, oldest first.',
    }),
    failedAt: instant,
    notBefore: instant.nullable().meta({
      description: 'Before this it is not driven again: seven days after a 401 or 403. Null: at any time.',
    }),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetterView = z.infer<typeof deadLetterView>;

export const deadLetterList = z
  .object({ items: z.array(deadLetterView), next: nextCursor })
  .meta({ id: 'DeadLetterList' });

export const redriveAnswer = z
  .object({
    crawlId: z.string(),
    done: z.boolean().meta({ description: 'False: it goes on; the figures are those so far.' }),
    queued: count.meta({ description: 'Letters whose URLs are queued again, with all their tries.' }),
    waitingAtParkedHosts: count.meta({ description: 'Of the queued: at hosts that are still parked.' }),
    resting: count.meta({ description: 'Letters left alone: 401 and 403 within their seven days.' }),
    notBefore: instant.nullable().meta({ description: 'When the first of the resting may go.' }),
    unparked: z.boolean().meta({ description: 'The host had been parked and is tried again.' }),
  })
  .meta({ id: 'Redrive' });
export type RedriveAnswer = z.infer<typeof redriveAnswer>;
