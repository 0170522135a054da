/** Dead letters (G7) on the wire: how they are listed and driven again. */
import { z } from 'zod';
import { deadLetterClasses } from '../domain/dead-letter.ts';
import { canonicalize } from '../domain/url.ts';
import { hostOrigin } from './hosts.ts';
import { count, instant, limit, nextCursor } from './http/shared.ts';

const letterClass = z
  .enum(deadLetterClasses)
  .meta({ description: 'Why the URL was given up; docs/operations.md says what each class means.' });

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
  cursor: z.string().max(200).optional().meta({ description: '`next` of the previous answer.' }),
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
        'Only dead letters of this host. If url and class are absent and the caller may change hosts, a parked host is tried again as well.',
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
    status: z.int().nullable().meta({ description: 'Status of the last answer; null: there was no answer.' }),
    message: z.string(),
    headers: z.record(z.string(), z.string()).nullable().meta({
      description:
        'Header fields of the last answer: 20 fields and 2 KB at most, never cookies or credentials.',
    }),
    attemptedAt: z.array(instant).meta({
      description: 'Times at which requests ended without a final outcome: the latest 20, oldest first.',
    }),
    failedAt: instant,
    notBefore: instant.nullable().meta({
      description:
        'Earliest time at which the URL can be queued again: seven days after a 401 or 403. Null: it can be queued again at any time.',
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
    done: z
      .boolean()
      .meta({ description: 'False: the re-drive goes on by itself, and the numbers are those so far.' }),
    queued: count.meta({
      description: 'Dead letters whose URLs are queued again, each with its full number of tries.',
    }),
    waitingAtParkedHosts: count.meta({
      description: 'How many of the queued URLs wait at hosts that are still parked.',
    }),
    resting: count.meta({
      description: 'Dead letters that stay: those with a 401 or 403 less than seven days ago.',
    }),
    notBefore: instant.nullable().meta({
      description: 'When the first of the `resting` dead letters can be queued again; null: there are none.',
    }),
    unparked: z.boolean().meta({ description: 'True: the host was parked and is tried again.' }),
  })
  .meta({ id: 'Redrive' });
export type RedriveAnswer = z.infer<typeof redriveAnswer>;
