/** How a standing crawl keeps its pages fresh, on the wire. */
import { z } from 'zod';
import { defaultKeepFresh, type KeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import type { PageClass } from '../../domain/recrawl/page-class.ts';
import { patterns } from './patterns.ts';
import { wholeNumber } from './shared.ts';

const bound = z.number().min(1).max(3.2e8);
const interval = z
  .strictObject({ floorSeconds: bound, ceilingSeconds: bound })
  .refine(({ floorSeconds, ceilingSeconds }) => floorSeconds <= ceilingSeconds, {
    error: 'floorSeconds is above ceilingSeconds',
  });
const { intervals } = defaultKeepFresh;

export const keepFresh = z
  .strictObject({
    requestsPerDay: wholeNumber(1, 1e9)
      .default(defaultKeepFresh.requestsPerDay)
      .meta({ description: 'Requests a day at most for pages that were fetched before.' }),
    share: z.number().positive().max(100).nullable().default(null).meta({
      description:
        'Percent of the importance of all pages that is to be fresh; no more requests are sent than that takes. Null: as much as the requests give.',
    }),
    withinSeconds: z.number().min(0).max(3.2e8).default(0).meta({
      description: 'Seconds for which a stored page may differ from the page itself and counts as fresh.',
    }),
    only: patterns.readonly().default([]).meta({
      description: 'Only URLs that match one of these patterns are kept fresh; an empty list: all.',
    }),
    news: patterns
      .readonly()
      .default([])
      .meta({ description: 'URLs that match one of these patterns are news: they go before all others.' }),
    intervals: z
      .strictObject({
        news: interval.default(intervals.news),
        generic: interval.default(intervals.generic),
        dormant: interval.default(intervals.dormant),
      } satisfies Record<PageClass, z.ZodType>)
      .default(intervals)
      .meta({
        description:
          'The least and most time between two requests of a page, by class: news changes within hours, dormant pages did not change for ninety days, generic pages are all others. A ceiling is kept as far as a twentieth of the requests goes.',
      }),
  })
  .meta({
    id: 'KeepFresh',
    description:
      'The crawl goes on after it has fetched all it found: pages are fetched again as they become due, by how often they change and what they are worth (their scores). It is never complete, and ends when it is cancelled. Null: each URL is fetched once.',
    examples: [
      { requestsPerDay: 5_000, share: 90, withinSeconds: 86_400, only: [], news: ['/news/**'], intervals },
    ],
  }) satisfies z.ZodType<KeepFresh>;

/** Why a crawl cannot keep its pages fresh with the other settings; null: it can. */
export function endlessProblem(config: {
  readonly [F in 'keepFresh' | 'maxPages' | 'maxSeconds' | 'finish']?: unknown;
}): string | null {
  if ((config.keepFresh ?? null) === null) return null;
  const ends = (['maxPages', 'maxSeconds', 'finish'] as const).filter(
    (name) => (config[name] ?? null) !== null,
  );
  return ends.length === 0
    ? null
    : `a crawl that keeps its pages fresh has no end, and ${ends.join(' and ')} would end it; maxDepth, maxPagesPerHost, include and exclude bound what it fetches, and requestsPerDay how often`;
}
