/**
 * The frontier for other fetchers (F37) on the wire. Field names are spelt differently from the rest of the API: such
 * fetchers speak these shapes.
 */
import { z } from 'zod';
import { lendingLimits, outerShards } from '../../domain/lending.ts';
import { count, crawlId, instant } from './shared.ts';

const anyUrl = z.string().min(1).max(8_192);

export const shardPath = z.strictObject({
  shard: z.coerce
    .number()
    .int()
    .min(0)
    .max(outerShards - 1)
    .meta({
      description:
        'A shard of the hosts, 0 to 63, however many there are within: one beyond ORBWEAVER_SHARDS stands for one of those.',
    }),
});

export const leaseBatch = z
  .strictObject({
    fetcher_id: z
      .string()
      .regex(/^[\w.:@-]{1,100}$/, 'up to 100 of letters, digits and _ . : @ -')
      .meta({ description: 'As the fetcher calls itself.' }),
    batch_size: z.int().min(1).max(lendingLimits.batch),
    lease_seconds: z.int().min(lendingLimits.minLeaseSeconds).max(lendingLimits.maxLeaseSeconds).meta({
      description: 'Until `expires_at`. Hosts are kept for a third longer, as a margin.',
    }),
    crawl_id: crawlId.optional().meta({ description: "Absent: any of the tenant's running crawls." }),
  })
  .meta({ id: 'LeaseBatch', examples: [{ fetcher_id: 'fetcher-1', batch_size: 20, lease_seconds: 30 }] });

export const leasedBatch = z
  .object({
    lease_id: z.uuid().nullable().meta({ description: 'Null: nothing can be handed out now; ask again.' }),
    urls: z.array(
      z.object({
        url: z.string(),
        host: z.string().meta({ description: 'Its name, or its address.', examples: ['example.com'] }),
        origin: z.string().meta({
          description: 'Scheme and authority, the unit of politeness. No two URLs of a batch have the same.',
          examples: ['https://example.com'],
        }),
        priority: z.number(),
        depth: count,
        crawl_id: crawlId,
        user_agent: z.string().meta({ description: 'What robots.txt was judged for. Send it.' }),
      }),
    ),
    expires_at: instant.nullable().meta({
      description: 'By then every request is over, answered or not, and none is begun.',
    }),
    expires_in_seconds: z.number().min(0).nullable().meta({
      description: 'The same, counted from when the batch was asked for: no two clocks need to agree.',
    }),
  })
  .meta({ id: 'LeasedBatch' });

export const report = z
  .strictObject({
    url: anyUrl.meta({ description: 'As it was handed out.' }),
    status: z
      .union([z.literal(0).transform(() => null), z.int().min(100).max(599)])
      .nullable()
      .default(null)
      .meta({ override: { type: 'integer', minimum: 0, maximum: 599 }, description: '0, or absent: none.' }),
    content_hash: z
      .string()
      .regex(/^(sha256:)?[0-9a-f]{64}$/i, 'not a SHA-256 in hexadecimal')
      .transform((hash) => hash.slice(-64).toLowerCase())
      .nullable()
      .default(null)
      .meta({
        description: 'SHA-256 of the decoded body in hexadecimal, with or without `sha256:` before it.',
      }),
    fetched_at: z.iso.datetime({ offset: true }).nullable().default(null).meta({
      description: 'When the request ended. The pace counts from the arrival of the report: clocks differ.',
    }),
    retry_after_seconds: z.number().min(0).nullable().default(null),
    error: z.string().max(500).nullable().default(null).meta({
      description:
        'Where there is no status: a class (timeout, reset, tls, connect-refused, connect-timeout, dns-not-found, dns-unavailable, address-refused, protocol; names such as dns_timeout are understood), with words after a colon if you like; not-tried gives the URL back. With a status: too-large, incomplete or bad-encoding.',
    }),
    location: anyUrl
      .nullable()
      .default(null)
      .meta({ description: 'The Location field of a 3xx, which fails without.' }),
  })
  .refine(({ status, error }) => status !== null || error !== null, {
    message: 'takes a status, or an error where there was none',
  });

const results = <S extends z.ZodType>(of: S) => z.array(of).min(1).max(lendingLimits.batch);
const leaseId = z.uuid();
/** As the OpenAPI document has it. */
export const ackBatch = z
  .strictObject({ lease_id: leaseId, results: results(report) })
  .meta({ id: 'AckBatch' });
/** As it is read: each result by itself, so that a result that is not understood does not affect the others. */
export const ackEnvelope = z.strictObject({ lease_id: leaseId, results: results(z.unknown()) });

const settledNames = ['accepted', 'repeated', 'late', 'unknown', 'invalid'] as const;
export const ackedBatch = z
  .object({
    results: z.array(
      z.object({
        url: z.string().nullable().meta({ description: 'As it was sent; null: none was.' }),
        result: z.enum(settledNames).meta({
          description:
            'accepted: committed, and the host is given back; repeated: a report of it was committed before, this one changes nothing; late: the lease had run out, the URL is fetched again; unknown: not a URL of this batch; invalid: not understood, `why` says what: send it again, mended.',
        }),
        why: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'AckedBatch' });

export const checkAndAdd = z
  .strictObject({
    candidates: z
      .array(
        z.strictObject({
          url: anyUrl,
          parent_url: anyUrl.nullable().default(null),
          depth: z.int().min(0).max(32_767).default(0),
        }),
      )
      .min(1)
      .max(lendingLimits.candidates),
    crawl_id: crawlId.optional().meta({
      description:
        'Absent: for each candidate the crawl that its parent_url was handed out for last, else the one open crawl that has met it; else it becomes a seed of the standing crawl of the tenant.',
    }),
  })
  .meta({ id: 'CheckAndAdd' });

export const checkedAndAdded = z
  .object({
    new_urls: z.array(z.string()).meta({ description: 'As they were sent: new to their crawl, and queued.' }),
    rejected: z
      .array(z.object({ index: count, why: z.string() }))
      .meta({ description: 'Candidates that could not be judged, by their place.' }),
  })
  .meta({ id: 'CheckedAndAdded' });
