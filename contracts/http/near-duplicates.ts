/** Near-duplicates of a crawl on the wire. */
import { z } from 'zod';
import { nearDuplicate } from './page-details.ts';
import { count, limit, nextCursor } from './shared.ts';

export const defaultClusterLimit = 100;
/** Pages that are listed of one cluster. */
export const mostAlikeShown = 100;
/** Pages that wait to be judged are counted up to this number. */
export const mostUnjudgedCounted = 10_000;

export const nearDuplicatesQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultClusterLimit),
});

const nearDuplicateCluster = z
  .object({
    url: z.string().meta({
      description: 'The page that was judged first or, if that is a copy, the page that stands for it.',
    }),
    pages: count.meta({ description: 'Pages whose text is nearly that of this page.' }),
    alike: z.array(nearDuplicate).meta({
      description: `These pages, ${String(mostAlikeShown)} at most, in the order in which they came.`,
    }),
  })
  .meta({ id: 'NearDuplicateCluster' });

export const nearDuplicateList = z
  .object({
    items: z.array(nearDuplicateCluster),
    next: nextCursor,
    waiting: count.meta({
      description: `Pages that are still to be judged, counted up to ${String(mostUnjudgedCounted)}.`,
    }),
  })
  .meta({ id: 'NearDuplicateList' });
