/** How fresh a standing crawl is, and what can be reached (F33), on the wire. */
import { z } from 'zod';
import { pageClasses } from '../../domain/recrawl/page-class.ts';
import { keepFresh } from './keep-fresh.ts';
import { count, instant, limit } from './shared.ts';

const percent = z.number().min(0).max(100);

export const freshnessSample = z
  .object({
    at: instant,
    pages: count.meta({ description: 'Pages that are kept fresh.' }),
    fresh: percent.meta({
      description:
        'Percent of their importance that is expected to be fresh, by how often each page changes and when it was last fetched.',
    }),
    checked: percent.nullable().meta({
      description:
        'Percent of their importance that was fetched within `withinSeconds`; null: that is 0 seconds.',
    }),
    leftOut: count.meta({
      description: 'Pages that change too often for what they matter: no visit is worth its price.',
    }),
    requests: count.meta({ description: 'Pages fetched again since the crawl began.' }),
  })
  .meta({ id: 'FreshnessSample' });
export type FreshnessSample = z.infer<typeof freshnessSample>;

export const defaultSamples = 24;
export const freshnessQuery = z.strictObject({ limit: limit(2_200, defaultSamples) });

export const freshnessView = z
  .object({
    crawlId: z.string(),
    keepFresh: keepFresh.nullable().meta({ description: 'The goal; null: each URL is fetched once.' }),
    pages: count.meta({ description: 'Pages whose visits are noted.' }),
    plan: z.object({ share: percent, leftOut: count, ratesKnown: count, madeAt: instant }).nullable().meta({
      description:
        'The present plan: the share it is expected to reach, in percent of importance; how many pages it leaves out; and of how many pages the rates were known when it was made. The rates of all other pages are guesses, so the plan is made anew as rates become known. Null: there is no plan yet.',
    }),
    overdue: count.meta({ description: 'Pages that are due and wait for the budget; 1,000 at most.' }),
    nextDue: instant.nullable(),
    samples: z
      .array(freshnessSample)
      .meta({ description: 'Hour by hour for ninety days, the latest first.' }),
  })
  .meta({ id: 'Freshness' });
export type FreshnessView = z.infer<typeof freshnessView>;

const reached = z.object({
  share: percent,
  requestsPerDay: z.number(),
  leftOut: count.meta({ description: 'Pages that are left out: no visit to them is worth its price.' }),
});

export const freshnessPreview = z
  .object({
    pages: count.meta({ description: 'Pages that would be kept fresh.' }),
    ratesKnown: count.meta({
      description: 'How many of them were visited often enough to tell their rates.',
    }),
    best: reached.nullable().meta({
      description:
        'The most that the requests can reach; null: no visits are noted yet, so nothing can be told.',
    }),
    needed: reached.nullable().meta({
      description:
        'What the wanted share takes; null: no share is asked for, or none of its size can be reached.',
    }),
    floor: z
      .object({
        pageClass: z.enum(pageClasses),
        neededSeconds: z.number().nullable().meta({
          description:
            'A floor with which the share can be reached; null: a lower floor of this class alone is not enough.',
        }),
      })
      .nullable()
      .meta({
        description:
          'The class of pages whose `intervals.….floorSeconds` forbids the wanted share, however many requests there are; null: no floor does.',
      }),
    met: z.boolean().meta({ description: 'False: the goal cannot be met, and would be refused.' }),
  })
  .meta({ id: 'FreshnessPreview' });
export type FreshnessPreview = z.infer<typeof freshnessPreview>;
