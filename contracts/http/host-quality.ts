/** The quality of hosts on the wire. */
import { z } from 'zod';
import { reviewQuality } from '../../domain/host-quality.ts';
import { count, instant, limit, nextCursor } from './shared.ts';

export const defaultReviewLimit = 100;

const share = z.number().min(0).max(1);

export const hostQuality = z
  .object({
    origin: z.string(),
    quality: share.meta({ description: 'The quality in force, from 0 to 1.' }),
    pinned: z.boolean().meta({ description: 'True: an operator has set it, and no look changes it.' }),
    leftForLater: z
      .boolean()
      .meta({ description: 'True: so many of its requests fail that only a few are sent each day.' }),
    requestsPerDay: count.nullable().meta({
      description:
        'Requests a day that this leaves the host, unless a quota is set; null: as many as any host.',
    }),
    parts: z.record(z.string(), share).meta({
      description:
        'What the last look found, as shares: duplicates, thin (pages of fewer than 50 words), errors (of the requests of late), traps; inbound, which speaks for the host; certainty, since few URLs say little. Empty: nobody has looked yet.',
    }),
    urls: count.meta({ description: 'URLs that the last look saw.' }),
    lookedAt: instant.nullable(),
  })
  .meta({ id: 'HostQuality' });
export type HostQuality = z.infer<typeof hostQuality>;

export const reviewQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^[\d.e-]{1,30}:\d{1,15}$/, 'not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultReviewLimit),
  below: z
    .string()
    .regex(/^(?:0(?:\.\d{1,6})?|1)$/, 'a number from 0 to 1')
    .transform(Number)
    .optional()
    .meta({
      description: `Hosts whose quality is below this, and those that are left for later; ${String(reviewQuality)} by default, 0.9 at most.`,
    }),
});
export const reviewList = z
  .object({ items: z.array(hostQuality), next: nextCursor })
  .meta({ id: 'HostReviews' });

export const qualityPin = z
  .strictObject({
    quality: share.nullable().meta({ description: 'The quality from now on; null: the daily looks decide.' }),
  })
  .meta({ id: 'QualityPin', examples: [{ quality: 1 }] });
