/** Opt-outs and complaints (F15) on the wire: what the API takes and answers. */
import { z } from 'zod';
import { readDomain } from '../domain/opt-out.ts';
import { count, instant, limit, nextCursor, words } from './http/shared.ts';

/** Read into the form it has in URLs; see `readDomain`. */
const domain = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const read = readDomain(text);
    if (read.ok) return read.domain;
    context.addIssue({ code: 'custom', message: `${JSON.stringify(text.slice(0, 100))} ${read.problem}` });
    return z.NEVER;
  })
  .meta({
    description:
      'A domain, in any case or script, without scheme, port or path; or an IP address. Stands for all that is below it, at every port.',
    examples: ['example.com'],
  });

export const domainPath = z.strictObject({ domain });

export const newOptOut = z
  .strictObject({
    domain,
    reason: words(500).optional().meta({ description: 'For whoever looks at the list later.' }),
  })
  .meta({ id: 'NewOptOut' });

const optOutView = z
  .object({ domain: z.string(), reason: z.string().nullable(), createdAt: instant })
  .meta({ id: 'OptOut' });
export type OptOutView = z.infer<typeof optOutView>;

export const optOutAdded = optOutView
  .extend({
    added: z.boolean().meta({ description: 'False: it was on the list already, and stands as it was.' }),
    excluded: count.meta({
      description:
        'URLs that it excluded before this was answered, those among them that workers met meanwhile.',
    }),
  })
  .meta({ id: 'OptOutAdded' });
export type OptOutAdded = z.infer<typeof optOutAdded>;

export const optOutRemoved = z
  .object({
    domain: z.string(),
    queued: count.meta({ description: 'Excluded URLs of open crawls that are queued again.' }),
    more: z.boolean().meta({ description: 'Time was up: ask again to have the rest queued.' }),
  })
  .meta({ id: 'OptOutRemoved' });
export type OptOutRemoved = z.infer<typeof optOutRemoved>;

export const defaultOptOutLimit = 100;
export const optOutQuery = z.strictObject({
  cursor: domain.optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(1_000, defaultOptOutLimit),
});
export const optOutList = z
  .object({ items: z.array(optOutView), next: nextCursor })
  .meta({ id: 'OptOutList' });

export const newComplaint = z
  .strictObject({
    domain,
    text: words(2_000).meta({ description: 'What they say, 2,000 characters at most.' }),
    contact: words(320).optional().meta({ description: 'Where to reach them.' }),
  })
  .meta({ id: 'NewComplaint' });

export const complaintView = z
  .object({
    id: z.string(),
    domain: z.string(),
    text: z.string(),
    contact: z.string().nullable(),
    createdAt: instant,
    complaintsOfDomain: count.meta({ description: 'About this domain so far.' }),
  })
  .meta({ id: 'Complaint' });
export type ComplaintView = z.infer<typeof complaintView>;

export const defaultComplaintLimit = 20;
export const complaintQuery = z.strictObject({
  domain: domain.optional(),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not one that this API gave')
    .optional()
    .meta({ description: '`next` of the answer before.' }),
  limit: limit(100, defaultComplaintLimit),
});
export const complaintList = z
  .object({ items: z.array(complaintView), next: nextCursor })
  .meta({ id: 'ComplaintList' });
