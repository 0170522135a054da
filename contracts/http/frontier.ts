/**
 * The frontier for other fetchers (F37) on the wire. Fields in another spelling than the rest of the API's: these are the
 * shapes that such fetchers speak.
 */
import { z } from 'zod';
import { lendingLimits } from '../../domain/lending.ts';
import { count, crawlId, instant } from './shared.ts';

const anyUrl = z.string().min(1).max(8_192);

export const shardPath = z.strictObject({
  shard: z.coerce.number().int().min(0).max(1_000_000).meta({
    description: 'A shard of the hosts, from 0; ORBWEAVER_SHARDS says how many there are.',
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
      description: 'For which hosts are kept for the fetcher; a quarter of it is margin.',
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
        host: z.string().meta({ description: 'Scheme and authority. No two URLs of a batch have the same.' }),
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

const report = z
  .strictObject({
    url: anyUrl.meta({ description: 'As it was handed out.' }),
    status: z.int().min(100).max(599).nullable().default(null),
    content_hash: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'not a SHA-256 in hexadecimal')
      .transform((hash) => hash.toLowerCase())
      .nullable()
      .default(null)
      .meta({ description: 'SHA-256 of the decoded body, in hexadecimal.' }),
    fetched_at: z.iso.datetime({ offset: true }).nullable().default(null).meta({
      description: 'When the request ended. The pace counts from the arrival of the report: clocks differ.',
    }),
    retry_after_seconds: z.number().min(0).nullable().default(null),
    error: z.string().max(500).nullable().default(null).meta({
      description:
        'Where there is no status: a class (timeout, reset, tls, connect-refused, connect-timeout, dns-not-found, dns-unavailable, address-refused, protocol), with words after a colon if you like; not-tried gives the URL back. With a status: too-large, incomplete or bad-encoding.',
    }),
    location: anyUrl
      .nullable()
      .default(null)
      .meta({ description: 'The Location field of a 3xx, which fails without.' }),
  })
  .refine(({ status, error }) => status !== null || error !== null, {
    message: 'takes a status, or an error where there was none',
  });

export const ackBatch = z
  .strictObject({
    lease_id: z.uuid(),
    results: z.array(report).min(1).max(lendingLimits.batch),
  })
  .meta({ id: 'AckBatch' });

const settledNames = ['accepted', 'repeated', 'late', 'unknown'] as const;
export const ackedBatch = z
  .object({
    results: z.array(
      z.object({
        url: z.string(),
        result: z.enum(settledNames).meta({
          description:
            'accepted: committed, and the host is given back; repeated: a report of it was committed before, this one changes nothing; late: the lease had run out, the URL is fetched again; unknown: not a URL of this batch.',
        }),
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
      description: 'Absent: the one open crawl that has met the parent_url.',
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
