/**
 * Crawls on the wire: how a crawl is asked for, and what is answered about it. The OpenAPI document is made from these
 * schemas, and the command line checks its options with them before it starts anything.
 */
import { z } from 'zod';
import { cutKinds } from '../../domain/limits.ts';
import { impersonated } from '../../domain/crawler-names.ts';
import { deadLetterClasses } from '../../domain/dead-letter.ts';
import { isMediaRange } from '../../domain/media-filter.ts';
import { readDomain } from '../../domain/opt-out.ts';
import { maxDelayFactor } from '../../domain/pace.ts';
import { maxPatternLength, maxPatternsLength } from '../../domain/pattern.ts';
import { headerProblem, headersProblem, hiddenValue } from '../../domain/request-headers.ts';
import { excludedReasons } from '../../domain/url-reason.ts';
import { maxUrlLength } from '../../domain/url.ts';
import { crawlCauses } from '../../domain/crawl-life.ts';
import { type CrawlConfig, crawlStates, urlStates } from '../crawl.ts';
import { patternProblems } from '../url-pattern.ts';
import { finishCriteria } from './finish.ts';
import {
  commaSeparated,
  count,
  instant,
  limit,
  maxRequestBytes,
  nextCursor,
  texts,
  wholeNumber,
} from './shared.ts';

const pattern = z.string().meta({
  // A regular expression has its mark in front.
  maxLength: maxPatternLength + 're:'.length,
  description:
    'Glob over the canonical URL: `*` any run of characters, `?` any one. Or `re:` and a regular expression of RE2 (without back-references and look-around), which matches anywhere in it.',
  examples: ['*/private/*', 're:/item/[0-9]+$'],
});

const patterns = z
  .array(pattern)
  .max(1_000)
  .refine((all) => all.reduce((sum, { length }) => sum + length, 0) <= maxPatternsLength, {
    error: `the patterns have more than ${String(maxPatternsLength)} characters together`,
  })
  .superRefine((all, context) => {
    for (const { at, message } of patternProblems(all))
      context.addIssue({ code: 'custom', path: [at], message });
  });

export const domain = z
  .string()
  .max(300)
  .transform((text, context) => {
    const read = readDomain(text);
    if (read.ok) return read.domain;
    context.addIssue({ code: 'custom', message: `it ${read.problem}` });
    return z.NEVER;
  })
  .pipe(z.string())
  .meta({ description: 'A domain with everything below it, or an IP address.' });

export const configFields = {
  scope: z.enum(['host', 'domain', 'prefix', 'any']).meta({
    description:
      "Which links belong to the crawl: the seeds' hosts, their registrable domains, their folders, or everything.",
  }),
  include: patterns.meta({ description: 'When any is given, a URL must match one. Seeds are exempt.' }),
  exclude: patterns.meta({ description: 'A URL that matches one is excluded.' }),
  includeDomains: z
    .array(domain)
    .max(10_000)
    .meta({ description: 'When any is given, a URL must be of one of these domains. Seeds are exempt.' }),
  excludeDomains: z.array(domain).max(10_000).meta({ description: 'URLs of these domains are excluded.' }),
  maxUrlLength: wholeNumber(16, maxUrlLength).meta({
    description: 'Characters of a URL at most; longer ones are excluded.',
  }),
  contentTypes: z
    .array(z.string().max(200).refine(isMediaRange, 'no media type such as text/html or image/*'))
    .max(100)
    .meta({
      description:
        'Media types whose bodies are taken, such as `text/html` or `image/*`; none: all. Others are not read, and excluded; seeds and sitemaps are exempt.',
    }),
  maxPages: wholeNumber(1, 1e12).nullable().meta({ description: 'Pages to fetch at most; null: no limit.' }),
  maxDepth: wholeNumber(0, 30_000)
    .nullable()
    .meta({ description: 'Links from a seed at most (a seed has depth 0); null: no limit.' }),
  maxSeconds: z.number().positive().max(1e9).nullable().meta({ description: 'Seconds from start to drain.' }),
  finish: finishCriteria.nullable(),
  maxPagesPerHost: wholeNumber(1, 1e12).meta({
    description: 'URLs admitted per host at most; the others are excluded as `host-limit`.',
  }),
  maxLinksPerPage: wholeNumber(0, 50_000).meta({
    description:
      'Links taken from one page at most, in its order; the others are counted in `cut` of page and crawl.',
  }),
  delaySeconds: z.number().min(0).max(86_400).nullable().meta({
    description:
      "Seconds between two requests of this crawl to a host; others' are not held up by it. Null: Crawl-delay, else one second. Never less than Crawl-delay; less than a second for crawls of the first tenant alone.",
  }),
  delayFactor: z.number().positive().max(maxDelayFactor).nullable().meta({
    description:
      "The delay is at least this many times what the host's last answer took (up to five minutes); null: it need not be.",
  }),
  weight: wholeNumber(1, 100).meta({
    description: 'Turns at a host that other crawls want as well, where one of weight 1 gets one.',
  }),
  fresh: z.boolean().meta({
    description:
      'Transfer every body anew; false: what an earlier crawl has stored is asked for by its validators, and taken over where the server answers 304.',
  }),
  retentionDays: z.number().min(0).max(36_500).nullable().meta({
    description:
      'Days after its end on which the crawl is deleted with its data; null: as ORBWEAVER_RETENTION_DAYS says.',
  }),
  userAgent: z
    .string()
    .min(1)
    .max(256)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'printable ASCII only, no spaces at its ends')
    .superRefine((text, context) => {
      const name = impersonated(text);
      if (name !== null)
        context.addIssue({ code: 'custom', message: `${name} is the name of another crawler` });
    })
    .nullable()
    .meta({
      description:
        "User agent sent; null: the workers' setting. Names of other well-known crawlers are refused.",
    }),
  headers: z
    .record(z.string(), z.string())
    .superRefine((headers, context) => {
      const problems = [
        headersProblem(headers),
        ...Object.entries(headers).map(([name, value]) => headerProblem(name, value)),
      ];
      const [first] = problems.filter((problem) => problem !== null);
      if (first !== undefined) context.addIssue({ code: 'custom', message: first });
    })
    .meta({
      description:
        'Request headers by name, sent to the very origins (scheme, host, port) of the seeds and to no other, nor with robots.txt. Values are answered as `[hidden]`. With any, nothing is taken over from another crawl.',
      examples: [{ Authorization: 'Bearer …' }],
    }),
  allowPrivate: z
    .array(z.union([z.cidrv4(), z.cidrv6()], 'not a CIDR block such as 10.0.0.0/8 or fd00::/8'))
    .max(1_000)
    .meta({
      description:
        'CIDR blocks of private or special addresses this crawl may reach; for crawls of the first tenant alone.',
    }),
} satisfies Record<keyof CrawlConfig, z.ZodType>;

/** The settings of a crawl, each optional; `defaultCrawlConfig` says what holds for a setting that is not given. */
const crawlSettings = z.strictObject(configFields).partial();
export type CrawlSettings = z.infer<typeof crawlSettings>;

/** Printable text: no control characters, no half surrogate pairs. */
export const crawlLabel = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{C}*$/u, 'printable text')
  .meta({ description: 'A name for people, such as what the crawl is for. No program decides by it.' });

export const newCrawl = z
  .strictObject({
    seeds: z
      .union(
        [texts(1_000_000, 100_000), z.string().min(1).max(maxRequestBytes)],
        'an array of URLs, or one string of URLs separated by commas',
      )
      .meta({
        description:
          'Absolute http(s) URLs. Bad ones are reported one by one and the good ones kept; empty entries are skipped.',
        examples: [['https://example.com/']],
      }),
    label: crawlLabel.optional(),
    ...crawlSettings.shape,
  })
  .meta({ id: 'NewCrawl' });

export const defaultListLimit = 20;

export const listQuery = z.strictObject({
  cursor: z.string().max(100).optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(100, defaultListLimit),
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(crawlStates)).min(1))
    .optional()
    .meta({
      description: 'Crawls in these states, comma-separated; absent: all.',
      pattern: commaSeparated(crawlStates),
      examples: ['running,paused'],
    }),
});

export const ledgerView = z
  .object({ discovered: count, ...Object.fromEntries(urlStates.map((state) => [state, count])) } as {
    [field in 'discovered' | (typeof urlStates)[number]]: typeof count;
  })
  .meta({
    id: 'Ledger',
    description:
      'URLs of the crawl by state: discovered = queued + leased + done + excluded + dead + failed.',
  });

export const counts = z
  .object({
    ledger: ledgerView,
    pages: count.meta({ description: 'Of done: answered with 2xx, sitemaps not counted.' }),
    pending: count.meta({ description: 'Bodies that still wait for dedup or extraction.' }),
    fetches: count.meta({ description: 'Requests that were answered.' }),
    bytes: count.meta({ description: 'Body bytes that came over the wire.' }),
  })
  .meta({ id: 'Counts' });
export type CountsView = z.infer<typeof counts>;

/** What limits left out of one page. */
export const cutView = z.partialRecord(z.enum(cutKinds), count).meta({
  description:
    'What was left out of it, by kind, with how much: links over the limit of a page, too long, outside the crawl or nofollow; characters of its text, title and description. Empty: nothing.',
});

/** For a crawl: excluded URLs by reason, and what was cut. */
export const leftOut = z.object({
  excluded: z
    .partialRecord(z.enum(excludedReasons), count)
    .meta({ description: 'URLs that are excluded, by reason.' }),
  cut: z
    .partialRecord(
      z.enum(cutKinds),
      z.object({ places: count.meta({ description: 'URLs at which it was.' }), leftOut: count }),
    )
    .meta({
      description:
        'What was left out without being a URL of the crawl, by kind: at how many pages, sitemaps or robots.txt files, and how much in all (links, URLs, entries, lines, characters or files).',
    }),
});

export const lettersByClass = z
  .partialRecord(z.enum(deadLetterClasses), count)
  .meta({ description: 'URLs whose retries are spent, by class of failure.' });

export const ledgerAnswer = counts.extend({ balanced: z.boolean() }).meta({ id: 'LedgerAnswer' });

export const rejectedSeed = z
  .object({
    line: z.int().meta({ description: 'Place in the list of seeds, from 1.' }),
    url: z.string(),
    reason: z.string(),
  })
  .meta({ id: 'RejectedSeed' });
export type RejectedSeed = z.infer<typeof rejectedSeed>;

const crawlSummary = z
  .object({
    id: z.string(),
    state: z.enum(crawlStates),
    cause: z.enum(crawlCauses).nullable().meta({
      description: 'Why it is paused, ends or has ended, for programs; null: it is seeding, or runs.',
    }),
    reason: z.string().nullable().meta({ description: 'The same in words, perhaps an operator’s.' }),
    label: z.string().nullable().meta({ description: 'As it was named when it was created.' }),
    jobId: z.uuid().meta({ description: 'Its name by the routes that call a crawl a job.' }),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    seconds: z
      .number()
      .nullable()
      .meta({ description: 'From start to end, or to now, without pauses; null: not started.' }),
    ...counts.shape,
  })
  .meta({ id: 'CrawlSummary' });
export type CrawlSummary = z.infer<typeof crawlSummary>;

/** As it is shown: the values of headers are hidden. */
export const crawlConfig = z
  .object({ ...configFields, headers: z.record(z.string(), z.literal(hiddenValue)) })
  .meta({ id: 'CrawlConfig' });

export const crawlView = crawlSummary
  .extend({
    config: crawlConfig,
    configVersion: z.int().min(1).meta({ description: 'Of the settings; each edit makes a new one.' }),
    seeds: z.object({
      accepted: count,
      rejected: count,
      waiting: count.meta({
        description:
          'Of the accepted: not in the frontier yet; of a crawl that was ended, they never will be.',
      }),
      firstRejected: z.array(rejectedSeed).meta({ description: 'The first 100 of them.' }),
    }),
    hosts: z.object({
      total: count,
      waiting: count.meta({ description: 'Hosts with queued URLs.' }),
      working: count.meta({ description: 'Hosts with URLs leased at this moment.' }),
      parked: count.meta({ description: 'Hosts that wait for a person or a probe, with queued URLs.' }),
    }),
    ...leftOut.shape,
    deadLetters: lettersByClass,
    rate: z.object({
      perSecond: z.number().meta({ description: 'URLs answered a second, over the last ten seconds.' }),
    }),
  })
  .meta({ id: 'Crawl' });
export type CrawlView = z.infer<typeof crawlView>;

export const createdCrawl = z
  .object({
    id: z.string(),
    state: z.enum(crawlStates),
    accepted: count,
    rejectedCount: count,
    rejected: z.array(rejectedSeed).meta({ description: 'The first 100 of them; `seeds` lists all.' }),
  })
  .meta({ id: 'CreatedCrawl' });
export type CreatedCrawl = z.infer<typeof createdCrawl>;

export const crawlRemoval = z
  .object({
    id: z.string(),
    urls: count.meta({ description: 'URLs of it that are still to be removed, about.' }),
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
