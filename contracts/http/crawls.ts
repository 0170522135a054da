/**
 * Crawls on the wire: how a crawl is asked for, and what is answered about it. The OpenAPI document is made from these
 * schemas, and the command line checks its options with them before it starts anything.
 */
import { z } from 'zod';
import { crawlCauses } from '../../domain/crawl-life.ts';
import { mostNeeded } from '../../domain/limits.ts';
import { crawlStates } from '../crawl.ts';
import { counts, crawlRate, leftOut, lettersByClass } from './counts.ts';
import { crawlConfig, crawlSettings } from './crawl-settings.ts';
import { endlessProblem } from './keep-fresh.ts';
import { newSessions } from './sessions.ts';
import { commaSeparated, count, instant, limit, maxRequestBytes, nextCursor, texts } from './shared.ts';
import { stagesView } from './stages.ts';

/** Printable text: no control characters, no half surrogate pairs. */
export const crawlLabel = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{C}*$/u, 'printable text')
  .meta({
    description: 'Name of the crawl for people, such as what the crawl is for. No program decides by it.',
  });

/** What a request for a crawl consists of, each part checked by itself. */
export const crawlParts = z.strictObject({
  seeds: z
    .union(
      [texts(1_000_000, 100_000), z.string().min(1).max(maxRequestBytes)],
      'an array of URLs, or one string of URLs separated by commas',
    )
    .meta({
      description:
        'Absolute http(s) URLs. URLs that cannot be crawled are reported one by one, and the others are kept; empty entries are skipped.',
      examples: [['https://example.com/']],
    }),
  label: crawlLabel.optional(),
  sessions: newSessions.optional().meta({
    description: 'What the crawl logs in with. It is kept sealed, and never shown again.',
  }),
  ...crawlSettings.shape,
});

export const newCrawl = crawlParts
  .superRefine((asked, context) => {
    const message = endlessProblem(asked);
    if (message !== null) context.addIssue({ code: 'custom', path: ['keepFresh'], message });
  })
  .meta({ id: 'NewCrawl' });

export const defaultListLimit = 20;

export const listQuery = z.strictObject({
  cursor: z.string().max(100).optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(100, defaultListLimit),
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(crawlStates)).min(1))
    .optional()
    .meta({
      description: 'Only crawls in these states, comma-separated; absent: all crawls.',
      pattern: commaSeparated(crawlStates),
      examples: ['running,paused'],
    }),
});

export const rejectedSeed = z
  .object({
    line: z.int().meta({ description: 'Place of the seed in the list, from 1.' }),
    url: z.string(),
    reason: z.string(),
  })
  .meta({ id: 'RejectedSeed' });
export type RejectedSeed = z.infer<typeof rejectedSeed>;

export const movedSeed = z
  .object({
    from: z.string().meta({ description: 'The seed, or the last URL before it left the scope.' }),
    to: z.string(),
  })
  .meta({ id: 'MovedSeed' });
export type MovedSeed = z.infer<typeof movedSeed>;

const crawlSummary = z
  .object({
    id: z.string(),
    state: z.enum(crawlStates),
    cause: z.enum(crawlCauses).nullable().meta({
      description:
        'Why the crawl is paused, is ending or has ended, as a code for programs; null: the crawl is seeding or running.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The same in words for people, sometimes those of an operator.' }),
    label: z
      .string()
      .nullable()
      .meta({ description: 'Name that the crawl was given when it was created; null: none.' }),
    jobId: z.uuid().meta({ description: 'Id of the crawl on the routes that call a crawl a job.' }),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    seconds: z.number().nullable().meta({
      description:
        'Seconds from start to end, or until now, without pauses; null: the crawl has not started.',
    }),
    ...counts.shape,
  })
  .meta({ id: 'CrawlSummary' });
export type CrawlSummary = z.infer<typeof crawlSummary>;

export const crawlView = crawlSummary
  .extend({
    config: crawlConfig,
    configVersion: z
      .int()
      .min(1)
      .meta({ description: 'Version of the settings; each edit makes a new version.' }),
    seeds: z.object({
      accepted: count,
      rejected: count,
      waiting: count.meta({
        description:
          'Accepted seeds that are not in the frontier yet. Once the crawl has ended, they never will be.',
      }),
      moved: count.meta({
        description:
          'Places out of the scope to which redirects of seeds lead. Each belongs to the crawl since, as if it had a seed there; a thousand at most.',
      }),
      firstRejected: z.array(rejectedSeed).meta({ description: 'The first 100 rejected seeds.' }),
      firstMoved: z.array(movedSeed).meta({
        description: 'The redirects that have brought the first 100 of these places.',
      }),
    }),
    hosts: z.object({
      total: count,
      waiting: count.meta({ description: 'Hosts with queued URLs.' }),
      working: count.meta({ description: 'Hosts with URLs leased at this moment.' }),
      parked: count.meta({
        description: 'Parked hosts with queued URLs. They wait for a person or a probe.',
      }),
    }),
    unchanged: count.meta({
      description:
        'Pages that had not changed since this crawl or an earlier one last fetched them: their hosts answered 304.',
    }),
    ...leftOut.shape,
    needed: count.meta({
      description: `Files that pages need to be shown (\`requisites\`) and that are still to be fetched, counted up to ${String(mostNeeded)}.`,
    }),
    rendering: count.meta({
      description:
        'Pages that wait for a browser, or for files that their scripts have asked for; they are among `pending`.',
    }),
    deadLetters: lettersByClass,
    rate: crawlRate,
    stages: stagesView,
  })
  .meta({ id: 'Crawl' });
export type CrawlView = z.infer<typeof crawlView>;

export const createdCrawl = z
  .object({
    id: z.string(),
    state: z.enum(crawlStates),
    accepted: count,
    rejectedCount: count,
    rejected: z
      .array(rejectedSeed)
      .meta({ description: 'The first 100 rejected seeds; GET /v1/crawls/{crawlId}/seeds lists all.' }),
  })
  .meta({ id: 'CreatedCrawl' });
export type CreatedCrawl = z.infer<typeof createdCrawl>;

export const crawlRemoval = z
  .object({
    id: z.string(),
    urls: count.meta({ description: 'About how many URLs of the crawl are still to be removed.' }),
  })
  .meta({ id: 'CrawlRemoval' });
export type CrawlRemoval = z.infer<typeof crawlRemoval>;

export const crawlStateAnswer = z
  .object({ id: z.string(), state: z.enum(crawlStates), reason: z.string().nullable() })
  .meta({ id: 'CrawlStateAnswer' });
export type CrawlStateAnswer = z.infer<typeof crawlStateAnswer>;

export const crawlList = z
  .object({ items: z.array(crawlSummary), next: nextCursor })
  .meta({ id: 'CrawlList' });
