/** The audit log on the wire: who asked for which change or took which bodies, and how it was answered. */
import { z } from 'zod';
import { count, givenInstant, instant, limit, nextCursor } from './shared.ts';
import { roles } from '../tenancy.ts';

const auditMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Characters that are kept of a requested path, and of the words that handlers add. */
export const maxAuditTarget = 2_048;
export const maxAuditDetail = 500;

/**
 * An entry is kept until it is this many days old. One that is not about keys, tenants, webhooks or deletions goes sooner
 * if its tenant has so many newer ones of its kind.
 */
export const auditDays = 400;
export const auditEntries = 1_000_000;

const auditEntry = z
  .object({
    at: instant,
    actor: z.string().meta({ description: '`key <id>`, or `token <subject>`.' }),
    role: z.enum(roles),
    method: z.enum(auditMethods),
    route: z.string().meta({
      description: 'The route, as this document writes it.',
      examples: ['/v1/crawls/{crawlId}/pause'],
    }),
    target: z.string().meta({ description: 'The requested path, without the query.' }),
    requestId: z.string().meta({ description: '`X-Request-Id` of the answer.' }),
    status: z.int().nullable().meta({
      description:
        'Status of the answer; null: the request is under way, or the process ended before it answered, and the change may have been made.',
    }),
    detail: z.string().nullable(),
    times: count.meta({
      description:
        'How many requests the entry stands for. More than one: requests of the actor to the route, within an hour, that did nothing, such as leases of no URL.',
    }),
    lastAt: instant
      .nullable()
      .meta({ description: 'When the last of them came; null: the entry is of one request.' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditList = z.object({ items: z.array(auditEntry), next: nextCursor }).meta({ id: 'AuditList' });

export const defaultAuditLimit = 100;
const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\0]*$/, 'no NUL');
export const auditQuery = z.strictObject({
  actor: text(300)
    .optional()
    .meta({ description: 'Only what this actor asked for.', examples: ['key 7f9c…'] }),
  method: z.enum(auditMethods).optional(),
  target: text(maxAuditTarget)
    .optional()
    .meta({ description: 'Only paths that begin with this text.', examples: ['/v1/crawls/7'] }),
  since: givenInstant.optional(),
  until: givenInstant.optional().meta({ description: 'Only entries before this time.' }),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultAuditLimit),
});
export type AuditQuery = z.infer<typeof auditQuery>;
