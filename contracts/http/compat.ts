/**
 * The compatible routes (F34, F35) on the wire: names and shapes of interfaces other than ours, whose programs find
 * Orbweaver behind them. docs/api.md has the table from their words to ours.
 */
import { z } from 'zod';
import { urlStates, type CrawlState } from '../crawl.ts';
import { configFields, crawlLabel, domain } from './crawls.ts';
import { count, maxUrlInUrl, texts } from './shared.ts';

/** The one shape of everything these routes refuse. */
export const errorMessage = z
  .object({ error_message: z.string().meta({ description: 'One sentence for people.' }) })
  .meta({ id: 'ErrorMessage', examples: [{ error_message: 'There is no job 7.' }] });

// Jobs -------------------------------------------------------------------------------------------------------------

export const jobStatuses = ['PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED', 'FAILED'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** A job is a crawl; what is in flight at its end still belongs to its running. */
export const jobStatusOf: Readonly<Record<CrawlState, JobStatus>> = {
  seeding: 'PENDING',
  running: 'RUNNING',
  paused: 'PAUSED',
  draining: 'RUNNING',
  finished: 'COMPLETED',
  cancelled: 'CANCELLED',
  failed: 'FAILED',
};

const jobStatus = z.enum(jobStatuses);

export const finishCriteria = z
  .strictObject({
    max_pages: z.int().min(1).max(1e12).meta({ description: 'Pages to fetch at most.' }),
    max_depth: z.int().min(0).max(30_000).meta({ description: 'Links from the root at most.' }),
    max_seconds: z.number().positive().max(1e9).meta({ description: 'Seconds from start to drain.' }),
    max_bytes: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .meta({ description: 'Body bytes over the wire, about: what is in flight then is kept.' }),
  })
  .partial()
  .meta({
    id: 'FinishCriteria',
    description: 'The first that is met ends the job; none: when all is fetched.',
  });
export type FinishCriteria = z.infer<typeof finishCriteria>;

export const scanRequest = z
  .strictObject({
    root_url: z
      .string()
      .min(1)
      .max(100_000)
      .meta({ description: 'Absolute http(s) URL at which the crawl begins.' }),
    user_id: z.union([crawlLabel, z.int()], 'printable text or a whole number').meta({
      description: 'Whom the job is for. Kept as the label of the crawl; nobody is let in by it.',
    }),
    finish_criteria: finishCriteria.nullish(),
  })
  .meta({
    id: 'ScanRequest',
    examples: [{ root_url: 'https://example.com/', user_id: 'u-17', finish_criteria: { max_pages: 1_000 } }],
  });

export const scanAnswer = z
  .object({
    request_status: z.literal('ACCEPTED'),
    jobId: z.string().meta({ description: 'Id of the crawl.' }),
  })
  .meta({ id: 'ScanAnswer', examples: [{ request_status: 'ACCEPTED', jobId: '7' }] });
export type ScanAnswer = z.infer<typeof scanAnswer>;

export const jobQuery = z.strictObject({
  job_id: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: '`jobId` of the answer.', examples: ['7'] }),
});

export const jobStatusAnswer = z
  .object({ job_status: jobStatus })
  .meta({ id: 'JobStatus', examples: [{ job_status: 'RUNNING' }] });
export type JobStatusAnswer = z.infer<typeof jobStatusAnswer>;

/** Streamed: `extracted_urls` may have millions of entries and comes last. */
export const jobUrls = z
  .object({
    job_id: z.string(),
    job_status: jobStatus,
    job_completion_time: z.iso.datetime(),
    extracted_urls: z.array(z.string()).meta({
      description: 'Every URL the crawl met and kept, whatever became of it; sitemaps are left out.',
    }),
  })
  .meta({
    id: 'JobUrls',
    examples: [
      {
        job_id: '7',
        job_status: 'COMPLETED',
        job_completion_time: '2031-01-01T00:00:00.000Z',
        extracted_urls: ['https://example.com/'],
      },
    ],
  });
export type JobUrls = z.infer<typeof jobUrls>;

export const jobUnderWay = z.object({ job_id: z.string(), job_status: jobStatus, message: z.string() }).meta({
  id: 'JobUnderWay',
  examples: [{ job_id: '7', job_status: 'RUNNING', message: 'The job is not over; ask again later.' }],
});
export type JobUnderWay = z.infer<typeof jobUnderWay>;

// The standing crawl -----------------------------------------------------------------------------------------------

/** URLs or domains: a list, or one text with commas between them. */
const manyOrCommas = (description: string, most: number) =>
  z
    .union(
      [texts(most, 100_000), z.string().min(1)],
      'an array of texts, or one text with commas between them',
    )
    .meta({ description });

export const seedUrls = z
  .strictObject({ urls: manyOrCommas('Absolute http(s) URLs.', 1_000_000) })
  .meta({ id: 'SeedUrls', examples: [{ urls: 'https://example.com/, https://example.org/' }] });

export const rejectedShown = 100;

export const seedUrlsAnswer = z
  .object({
    job_id: z.string().meta({ description: "The tenant's standing crawl." }),
    accepted: count,
    rejected_count: count,
    rejected: z
      .array(z.object({ url: z.string(), reason: z.string() }))
      .max(rejectedShown)
      .meta({ description: 'The first of those that cannot be crawled, each with its reason.' }),
  })
  .meta({ id: 'SeedUrlsAnswer', examples: [{ job_id: '7', accepted: 2, rejected_count: 0, rejected: [] }] });
export type SeedUrlsAnswer = z.infer<typeof seedUrlsAnswer>;

const excludedDomains = z.array(domain).max(10_000);

export const urlLimit = z
  .strictObject({
    excludedDomains: z
      .union(
        [
          excludedDomains,
          z
            .string()
            .transform((text) =>
              text
                .split(',')
                .map((each) => each.trim())
                .filter((each) => each !== ''),
            )
            .pipe(excludedDomains),
        ],
        'domains such as ads.example, as a list or with commas between them',
      )
      .optional()
      .meta({
        description: 'Domains, each with all below it, as a list or with commas between; absent: as before.',
      }),
    depthLimit: configFields.maxDepth,
    urlLengthLimit: configFields.maxUrlLength,
  })
  .meta({
    id: 'UrlLimit',
    examples: [{ excludedDomains: ['ads.example'], depthLimit: 5, urlLengthLimit: 500 }],
  });

export const urlLimitAnswer = z
  .object({
    job_id: z.string(),
    excludedDomains: z.array(z.string()),
    depthLimit: count.nullable(),
    urlLengthLimit: count,
  })
  .meta({ id: 'UrlLimitAnswer' });
export type UrlLimitAnswer = z.infer<typeof urlLimitAnswer>;

export const pauseAnswer = z
  .object({ job_id: z.string(), job_status: jobStatus })
  .meta({ id: 'PauseAnswer', examples: [{ job_id: '7', job_status: 'PAUSED' }] });
export type PauseAnswer = z.infer<typeof pauseAnswer>;

export const urlPath = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(maxUrlInUrl)
    .meta({ description: 'The URL, percent-encoded whole.', examples: ['https://example.com/'] }),
});

const urlProgress = ['PENDING', 'STARTED', 'COMPLETED'] as const;

export const urlStatusAnswer = z
  .object({
    url: z.string().meta({ description: 'As it is fetched.' }),
    status: z.enum(urlProgress),
    detail: z.object({
      state: z.enum(urlStates).meta({ description: 'Our word for where it stands.' }),
      reason: z.string().nullable().meta({ description: 'Why it is in this state, as a class.' }),
      message: z.string().nullable().meta({ description: 'The same in words.' }),
      http_status: z.int().nullable(),
      content_type: z.string().nullable(),
      bytes: count,
      depth: count,
      discovered_at: z.iso.datetime(),
      fetched_at: z.iso.datetime().nullable(),
    }),
  })
  .meta({ id: 'UrlStatus' });
export type UrlStatusAnswer = z.infer<typeof urlStatusAnswer>;
