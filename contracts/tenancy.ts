/** Tenants, their keys and quotas (F36) on the wire. */
import { z } from 'zod';
import { count, givenInstant, instant, limit, nextCursor } from './http/shared.ts';

/** What a caller may do within its tenant; each role may also do what the roles before it may. */
export const roles = ['reader', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Parts of the API to which a key can be confined; docs/routes.md says which route belongs to which part. */
export const scopes = [
  'crawls',
  'fetch',
  'hosts',
  'opt-outs',
  'keys',
  'tenants',
  'metrics',
  'webhooks',
] as const;
export type Scope = (typeof scopes)[number];

/** The tenant that the migration makes. Its callers may also use the routes of the whole instance. */
export const defaultTenant = 1;

/** Every API key begins with this text, so that people and programs recognise a key wherever it turns up. */
export const keyStart = 'owk_';

const name = z
  .string()
  .max(100)
  .regex(/^[^\p{C}\s]([^\p{C}]*[^\p{C}\s])?$/u, 'printable text without spaces at its ends');

const quota = (description: string) =>
  z
    .int()
    .min(0)
    .max(1e15)
    .nullable()
    .meta({ description: `${description}; null: no limit.` });

export const quotasView = z
  .object({
    crawlsAtOnce: quota('Crawls that are open at the same time, paused ones included'),
    crawlsPerDay: quota('Crawls created per day (UTC)'),
    urlsPerDay: quota('URLs discovered per day (UTC)'),
    urlsTotal: quota('URLs discovered by all crawls together'),
    storedBytes: quota(
      'Bytes of all bodies together, as they came over the wire, and of screenshots and PDFs',
    ),
    requestsPerSecond: quota('Requests to the API per second'),
    jobsPerUser: quota('Open jobs of one `user_id` at the same time'),
  })
  .meta({ id: 'Quotas' });
export type Quotas = z.infer<typeof quotasView>;

const quotasAsked = z.strictObject(quotasView.shape).partial().meta({ id: 'QuotasAsked' });
export type QuotasAsked = z.infer<typeof quotasAsked>;

/** Decimal, as answered when the tenant was created. */
const tenantId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'it must be the number of a tenant')
  .meta({ description: 'Id of the tenant.', examples: ['1'] });
export const tenantPath = z.strictObject({ tenantId });

const tenantName = name
  .refine((text) => !/^\d+$/.test(text), 'must not be digits only')
  .meta({ description: 'Name of the tenant. It is unique, and tokens may name the tenant by it.' });
export const newTenant = z
  .strictObject({ name: tenantName, quotas: quotasAsked.optional() })
  .meta({ id: 'NewTenant' });

export const tenantChange = z
  .strictObject({ name: tenantName, quotas: quotasAsked })
  .partial()
  .meta({ id: 'TenantChange', description: 'Quotas that are not named stay as they are.' });

export const tenantView = z
  .object({
    id: z.string(),
    name: z.string(),
    quotas: quotasView,
    createdAt: instant,
    closedAt: instant.nullable().meta({
      description:
        'When the tenant was closed; its keys and tokens are refused since then. Null: it is not closed.',
    }),
  })
  .meta({ id: 'Tenant' });
export type TenantView = z.infer<typeof tenantView>;

export const tenantDetail = tenantView
  .extend({
    used: z
      .object({
        crawlsAtOnce: count,
        crawlsPerDay: count,
        urlsPerDay: count,
        urlsTotal: count,
        storedBytes: count,
      })
      .meta({ description: 'How much of each quota is used, by the name of the quota.' }),
  })
  .meta({ id: 'TenantDetail' });
export type TenantDetail = z.infer<typeof tenantDetail>;
export type Used = TenantDetail['used'];

export const defaultTenantLimit = 100;
export const tenantQuery = z.strictObject({
  cursor: tenantId.optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultTenantLimit),
});
export const tenantList = z
  .object({ items: z.array(tenantView), next: nextCursor })
  .meta({ id: 'TenantList' });

const keyId = z.uuid().meta({ description: 'Id of the key (not the key).' });
export const keyPath = z.strictObject({ keyId });

export const newKey = z
  .strictObject({
    name: name.meta({ description: 'What the key is for, in words for people.' }),
    role: z.enum(roles),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).optional().meta({
      description: 'Parts of the API to which the key is confined; absent: everything that its role allows.',
    }),
    expiresAt: givenInstant
      .optional()
      .meta({ description: 'When the key expires; absent: it never expires.' }),
    tenantId: tenantId
      .optional()
      .meta({ description: 'Tenant of the key, for admins of the instance; absent: your own tenant.' }),
  })
  .meta({ id: 'NewKey' });
export type NewKey = z.infer<typeof newKey>;

export const keyView = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    name: z.string(),
    prefix: z.string().meta({ description: 'First characters of the key.' }),
    role: z.enum(roles),
    scopes: z.array(z.enum(scopes)).nullable(),
    createdAt: instant,
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    lastUsedAt: instant.nullable().meta({ description: 'When the key was last used, to the minute.' }),
  })
  .meta({ id: 'Key' });
export type KeyView = z.infer<typeof keyView>;

export const createdKey = keyView
  .extend({
    key: z
      .string()
      .meta({ description: 'The key itself. It is shown only in this answer and stored nowhere.' }),
  })
  .meta({ id: 'CreatedKey' });
export type CreatedKey = z.infer<typeof createdKey>;

export const defaultKeyLimit = 100;
export const keyQuery = z.strictObject({
  tenantId: tenantId
    .optional()
    .meta({ description: 'Tenant whose keys are listed, for admins of the instance.' }),
  cursor: z
    .uuid('not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultKeyLimit),
});
export const keyList = z.object({ items: z.array(keyView), next: nextCursor }).meta({ id: 'KeyList' });
