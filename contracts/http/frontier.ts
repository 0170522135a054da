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
        'Number of a shard of the hosts, 0 to 63. If the instance has fewer shards (ORBWEAVER_SHARDS), a higher number stands for one of them.',
    }),
});

export const leaseBatch = z
  .strictObject({
    fetcher_id: z
      .string()
      .regex(/^[\w.:@-]{1,100}$/, 'up to 100 of letters, digits and _ . : @ -')
      .meta({ description: 'Name that the fetcher gives itself.' }),
    batch_size: z.int().min(1).max(lendingLimits.batch),
    lease_seconds: z.int().min(lendingLimits.minLeaseSeconds).max(lendingLimits.maxLeaseSeconds).meta({
      description:
        'Seconds until `expires_at`; the API gives 20 at most. The hosts stay reserved for a third longer, as a margin.',
    }),
    crawl_id: crawlId
      .optional()
      .meta({ description: 'Crawl to take URLs from; absent: any running crawl of the tenant.' }),
  })
  .meta({ id: 'LeaseBatch', examples: [{ fetcher_id: 'fetcher-1', batch_size: 20, lease_seconds: 30 }] });

export const leasedBatch = z
  .object({
    lease_id: z
      .uuid()
      .nullable()
      .meta({ description: 'Id of the batch; null: no URL can be handed out now, so ask again later.' }),
    urls: z.array(
      z.object({
        url: z.string(),
        host: z.string().meta({ description: 'Name or address of the host.', examples: ['example.com'] }),
        origin: z.string().meta({
          description:
            'Scheme and authority of the host, the unit of politeness. A batch has one URL per origin at most.',
          examples: ['https://example.com'],
        }),
        priority: z.number(),
        depth: count,
        crawl_id: crawlId,
        user_agent: z
          .string()
          .meta({ description: 'User agent for which robots.txt was checked. Send this user agent.' }),
      }),
    ),
    expires_at: instant.nullable().meta({
      description: 'The fetcher must have ended every request by then, and must begin none afterwards.',
    }),
    expires_in_seconds: z.number().min(0).nullable().meta({
      description:
        'The same limit, as seconds since the batch was asked for, so that the two clocks need not agree.',
    }),
  })
  .meta({ id: 'LeasedBatch' });

export const report = z
  .strictObject({
    url: anyUrl.meta({ description: 'The URL, as it was handed out.' }),
    status: z
      .union([z.literal(0).transform(() => null), z.int().min(100).max(599)])
      .nullable()
      .default(null)
      .meta({
        override: { type: 'integer', minimum: 0, maximum: 599 },
        description: 'Status of the answer; 0 or absent: there was no answer.',
      }),
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
      description:
        'When the request ended. The delay of the host counts from the arrival of the report instead, because clocks differ.',
    }),
    retry_after_seconds: z.number().min(0).nullable().default(null),
    error: z.string().max(500).nullable().default(null).meta({
      description:
        'Without a status: the class of the failure (timeout, reset, tls, connect-refused, connect-timeout, dns-not-found, dns-unavailable, address-refused or protocol; names such as dns_timeout are understood), optionally followed by a colon and a message; not-tried gives the URL back. With a status: too-large, incomplete or bad-encoding.',
    }),
    location: anyUrl
      .nullable()
      .default(null)
      .meta({ description: 'The Location field of a 3xx answer. A 3xx without it counts as a failure.' }),
  })
  .refine(({ status, error }) => status !== null || error !== null, {
    message: 'must have a status, or an error if there was no answer',
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
        url: z.string().nullable().meta({ description: 'The URL, as it was sent; null: no URL was sent.' }),
        result: z.enum(settledNames).meta({
          description:
            'accepted: the report is committed, and the host is given back; repeated: a report about this URL was committed before, and this one changes nothing; late: the lease had run out, so the URL will be fetched again; unknown: the URL is not part of this batch; invalid: the report was not understood, `why` says why: correct it and send it again.',
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
        'Crawl that the URLs are for. Absent: each candidate goes to the crawl for which its parent_url was last handed out, else to the only open crawl that has met its parent_url; if there is no such crawl, the candidate becomes a seed of the default crawl of the tenant.',
    }),
  })
  .meta({ id: 'CheckAndAdd' });

export const checkedAndAdded = z
  .object({
    new_urls: z
      .array(z.string())
      .meta({ description: 'URLs that were new to their crawl and are queued now, as they were sent.' }),
    rejected: z.array(z.object({ index: count, why: z.string() })).meta({
      description: 'Candidates that could not be judged, each with its place in the request, from 0.',
    }),
  })
  .meta({ id: 'CheckedAndAdded' });
