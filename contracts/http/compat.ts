/**
 * The compatible routes (F34, F35) on the wire: names and shapes of other interfaces, so that programs written for
 * those can use Orbweaver. docs/api.md has the table from their words to ours.
 */
import { z } from 'zod';
import { urlReasons } from '../../domain/url-reason.ts';
import { crawlStates, urlStates, type CrawlState } from '../crawl.ts';
import { configFields } from './crawl-settings.ts';
import { domain } from './patterns.ts';
import { count, maxRequestBytes, maxUrlInUrl, texts } from './shared.ts';

const exampleJob = 'b7f7a3f0-54a5-4a52-9c1e-0d7f6f1c2a11';

// Jobs -------------------------------------------------------------------------------------------------------------

export const jobStatuses = ['created', 'running', 'failed', 'success'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** A job is a crawl. A paused crawl will run again; a cancelled crawl has not done its job. */
export const jobStatusOf: Readonly<Record<CrawlState, JobStatus>> = {
  seeding: 'created',
  running: 'running',
  paused: 'running',
  draining: 'running',
  finished: 'success',
  cancelled: 'failed',
  failed: 'failed',
};

/** The exact words of the other interface. */
export const jobWords = {
  quotaSpent: 'Too many requests, User quota exhausted!',
  noJob: 'No job found with given jobID',
  underWay: 'Job is incompleted at this moment',
  ourFault: 'Something went wrong, Please try after sometime!',
} as const;

/** The shape of every refusal of these routes. */
export const errorMessage = z
  .object({ error_message: z.string().meta({ description: 'One sentence for people.' }) })
  .meta({ id: 'ErrorMessage', examples: [{ error_message: jobWords.noJob }] });

const jobStatus = z.enum(jobStatuses);

export const finishCriteria = z
  .strictObject({
    max_pages: z.int().min(1).max(1e12).meta({ description: 'Largest number of pages to fetch.' }),
    max_depth: z.int().min(0).max(30_000).meta({ description: 'Largest number of links from the root URL.' }),
    max_seconds: z
      .number()
      .positive()
      .max(1e9)
      .meta({ description: 'Seconds after its start at which the job stops fetching.' }),
    max_bytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({
      description:
        'Bytes of bodies, as they came over the wire, after which the job ends. Bodies in flight at that time are kept, so the total may be larger.',
    }),
  })
  .partial()
  .meta({
    id: 'FinishCriteria',
    description:
      'The first criterion that is met ends the job. Without criteria the job ends when everything is fetched.',
  });
export type FinishCriteria = z.infer<typeof finishCriteria>;

const [leastUser, mostUser] = [-(2n ** 63n), 2n ** 63n - 1n];
/** Decimal text, since JavaScript numbers hold only 53 bits. */
const userId = z
  .union([z.int(), z.bigint()], 'must be a whole number of 64 bits')
  .transform(BigInt)
  .refine((id) => id >= leastUser && id <= mostUser, 'must be a whole number of 64 bits')
  .transform(String)
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: 'integer', format: 'int64' });
    },
    description:
      'User whom the job is for. It becomes the label of the crawl, and the job counts against the open jobs of this user. It gives no access.',
  });

export const scanRequest = z
  .strictObject({
    root_url: z
      .string()
      .min(1)
      .max(100_000)
      .meta({ description: 'Absolute http(s) URL from which the crawl starts.' }),
    user_id: userId,
    finish_criteria: finishCriteria.nullish(),
  })
  .meta({
    id: 'ScanRequest',
    examples: [{ root_url: 'https://example.com/', user_id: 17, finish_criteria: { max_pages: 1_000 } }],
  });

export const scanAnswer = z
  .object({
    request_status: z.literal('CREATED'),
    jobId: z.uuid().meta({ description: '`jobId` of the crawl.' }),
  })
  .meta({ id: 'ScanAnswer', examples: [{ request_status: 'CREATED', jobId: exampleJob }] });
export type ScanAnswer = z.infer<typeof scanAnswer>;

export const jobQuery = z.strictObject({
  job_id: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: '`jobId` of the answer that created the job.', examples: [exampleJob] }),
});

export const jobStatusAnswer = z
  .object({ job_status: jobStatus })
  .meta({ id: 'JobStatus', examples: [{ job_status: 'running' }] });
export type JobStatusAnswer = z.infer<typeof jobStatusAnswer>;

/** Streamed: `extracted_urls` may have millions of entries and comes last. */
export const jobUrls = z
  .object({
    job_id: z.string(),
    job_status: jobStatus,
    job_completion_time: z.iso
      .datetime({ local: true })
      .meta({ description: 'Date and time in UTC, written without a zone.' }),
    extracted_urls: z.array(z.string()).meta({
      description: 'Every page that was requested and then answered or given up. Sitemaps are left out.',
    }),
  })
  .meta({
    id: 'JobUrls',
    examples: [
      {
        job_id: exampleJob,
        job_status: 'success',
        job_completion_time: '2031-01-01T00:00:00.000',
        extracted_urls: ['https://example.com/'],
      },
    ],
  });
export type JobUrls = z.infer<typeof jobUrls>;

export const jobUnderWay = z.object({ job_id: z.string(), job_status: jobStatus, message: z.string() }).meta({
  id: 'JobUnderWay',
  examples: [{ job_id: exampleJob, job_status: 'running', message: jobWords.underWay }],
});
export type JobUnderWay = z.infer<typeof jobUnderWay>;

// The default crawl -----------------------------------------------------------------------------------------------

const defaultCrawl = { crawl_id: z.string().meta({ description: "The tenant's default crawl." }) };

export const seedUrls = z
  .strictObject({
    urls: z
      .union(
        [texts(1_000_000, 100_000), z.string().min(1).max(maxRequestBytes)],
        'an array of texts, or one text with commas or white space between them',
      )
      .meta({
        description:
          'Absolute http(s) URLs: an array, or one text with commas, blanks or line ends between them. In a text, write a comma within a URL as %2C.',
      }),
  })
  .meta({ id: 'SeedUrls', examples: [{ urls: 'https://example.com/, https://example.org/' }] });

export const rejectedShown = 100;

export const seedUrlsAnswer = z
  .object({
    ...defaultCrawl,
    accepted: count,
    rejected_count: count,
    rejected: z
      .array(z.object({ url: z.string(), reason: z.string() }))
      .max(rejectedShown)
      .meta({ description: 'The first 100 URLs that cannot be crawled, each with the reason.' }),
  })
  .meta({
    id: 'SeedUrlsAnswer',
    examples: [{ crawl_id: '7', accepted: 2, rejected_count: 0, rejected: [] }],
  });
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
            .max(maxRequestBytes)
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
        description:
          'Domains to leave out, each with its subdomains, as a list or as a text with commas between them; absent: as before.',
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
    ...defaultCrawl,
    excludedDomains: z.array(z.string()),
    depthLimit: count.nullable(),
    urlLengthLimit: count,
  })
  .meta({ id: 'UrlLimitAnswer' });
export type UrlLimitAnswer = z.infer<typeof urlLimitAnswer>;

export const pauseAnswer = z
  .object({
    crawl_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the default crawl; null: it has no seeds yet.' }),
    state: z.enum(crawlStates).nullable(),
  })
  .meta({ id: 'PauseAnswer', examples: [{ crawl_id: '7', state: 'paused' }] });
export type PauseAnswer = z.infer<typeof pauseAnswer>;

export const urlPath = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(maxUrlInUrl)
    .meta({ description: 'The whole URL, percent-encoded.', examples: ['https://example.com/'] }),
});

const urlProgress = ['PENDING', 'STARTED', 'COMPLETED'] as const;

export const urlStatusAnswer = z
  .object({
    url: z.string().meta({ description: 'The spelling of the URL that is sent to the server.' }),
    status: z.enum(urlProgress),
    detail: z.object({
      state: z.enum(urlStates).meta({ description: 'State of the URL, by the words of this API.' }),
      reason: z.enum(urlReasons).nullable().meta({ description: 'Why the URL is in this state, as a code.' }),
      message: z.string().nullable().meta({ description: 'The reason in words, for people.' }),
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
