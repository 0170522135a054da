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
      'A domain without scheme, port or path, in any case or script; or an IP address. It stands for all its subdomains and ports.',
    examples: ['example.com'],
  });

export const domainPath = z.strictObject({ domain });

export const newOptOut = z
  .strictObject({
    domain,
    reason: words(500).optional().meta({ description: 'Why; shown to people who look at the list later.' }),
    publicSuffix: z.boolean().optional().meta({
      description:
        'true: the domain may be a public suffix such as `com`, `co.uk` or `github.io`, under which others have theirs.',
    }),
    dryRun: z.boolean().optional().meta({
      description: 'true: the answer says what the opt-out would exclude, and nothing is changed.',
    }),
  })
  .meta({ id: 'NewOptOut' });

const optOutView = z
  .object({ domain: z.string(), reason: z.string().nullable(), createdAt: instant })
  .meta({ id: 'OptOut' });
export type OptOutView = z.infer<typeof optOutView>;

export const optOutAdded = optOutView
  .extend({
    added: z
      .boolean()
      .meta({ description: 'False: the domain was on the list already, and its entry is unchanged.' }),
    excluded: count.meta({
      description:
        'URLs that the opt-out excluded before this answer, including those that workers met in the meantime.',
    }),
  })
  .meta({ id: 'OptOutAdded' });
export type OptOutAdded = z.infer<typeof optOutAdded>;

export const optOutPreview = z
  .object({
    domain: z.string(),
    publicSuffix: z.boolean().meta({ description: 'True: others have domains under this one.' }),
    hosts: count.meta({ description: 'Hosts that crawls have met at the domain or below it.' }),
    urls: count.meta({ description: 'URLs that are queued there, and would be excluded.' }),
  })
  .meta({ id: 'OptOutPreview' });
export type OptOutPreview = z.infer<typeof optOutPreview>;

export const optOutRemoved = z
  .object({
    domain: z.string(),
    queued: count.meta({ description: 'Excluded URLs of open crawls that were queued again.' }),
    more: z
      .boolean()
      .meta({ description: 'True: time ran out. Send the same request again to queue the rest.' }),
  })
  .meta({ id: 'OptOutRemoved' });
export type OptOutRemoved = z.infer<typeof optOutRemoved>;

export const defaultOptOutLimit = 100;
export const optOutQuery = z.strictObject({
  cursor: domain.optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultOptOutLimit),
});
export const optOutList = z
  .object({ items: z.array(optOutView), next: nextCursor })
  .meta({ id: 'OptOutList' });

export const newComplaint = z
  .strictObject({
    domain,
    text: words(2_000).meta({ description: 'Text of the complaint, 2,000 characters at most.' }),
    contact: words(320).optional().meta({ description: 'How to reach the person who complains.' }),
  })
  .meta({ id: 'NewComplaint' });

export const complaintView = z
  .object({
    id: z.string(),
    domain: z.string(),
    text: z.string(),
    contact: z.string().nullable(),
    createdAt: instant,
    complaintsOfDomain: count.meta({ description: 'Number of complaints about this domain so far.' }),
  })
  .meta({ id: 'Complaint' });
export type ComplaintView = z.infer<typeof complaintView>;

export const defaultComplaintLimit = 20;
export const complaintQuery = z.strictObject({
  domain: domain.optional(),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(100, defaultComplaintLimit),
});
export const complaintList = z
  .object({ items: z.array(complaintView), next: nextCursor })
  .meta({ id: 'ComplaintList' });
