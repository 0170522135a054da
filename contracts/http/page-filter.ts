/** The filter of a crawl's pages (`pages`, `export`) on the wire. A page must fit all filters that are given. */
import { z } from 'zod';
import { isMediaRange } from '../../domain/media-filter.ts';
import { hostOrigin } from '../hosts.ts';
import { givenInstant } from './shared.ts';

export const pageFilter = z.strictObject({
  host: hostOrigin
    .optional()
    .meta({ description: 'Only pages of this host, given by its origin, such as `https://example.com`.' }),
  status: z
    .string()
    .regex(
      /^(?:[1-9]\d\d|[1-5][xX]{2})$/,
      'neither a status such as 404 nor a class such as 4xx (1xx to 5xx)',
    )
    .transform((text) => ({
      least: Number(text.replace(/x/gi, '0')),
      most: Number(text.replace(/x/gi, '9')),
    }))
    .optional()
    .meta({ description: 'Only pages with this status (`404`), or with a status of this class (`4xx`).' }),
  contentType: z
    .string()
    .max(200)
    // No media type has a blank: the blank was a plus that was not percent-encoded in the query.
    .transform((text) => text.replaceAll(' ', '+').toLowerCase())
    .refine(isMediaRange, 'not a media type such as text/html or image/*')
    .optional()
    .meta({ description: 'Only pages of this media type (`text/html`, `image/*`), with any parameters.' }),
  since: givenInstant
    .transform(microsecondsOf)
    .optional()
    .meta({ description: 'Only pages answered at this instant or later, such as `2031-01-01T00:00:00Z`.' }),
});
/** As it is used: a range of statuses, a media type in lower case, microseconds since 1970 or later. */
export type PageFilter = z.output<typeof pageFilter>;

function microsecondsOf(instant: string): number {
  const [, fraction = ''] = /\.(\d+)/.exec(instant) ?? [];
  return Math.max(0, Date.parse(instant) * 1_000 + Number(fraction.padEnd(6, '0').slice(3, 6)));
}
