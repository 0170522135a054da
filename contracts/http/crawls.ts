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
import {
  defaultWeights,
  focusedWeights,
  weighedSignals,
  weightTolerance,
  type PriorityWeights,
  type WeighedSignal,
} from '../../domain/priority/score.ts';
import { headerProblem, headersProblem, hiddenValue } from '../../domain/request-headers.ts';
import { sitemapModes } from '../../domain/sitemap-choice.ts';
import { excludedReasons } from '../../domain/url-reason.ts';
import { maxUrlLength } from '../../domain/url.ts';
import { crawlCauses } from '../../domain/crawl-life.ts';
import { boilerplateModes, type CrawlConfig, crawlStates, urlStates } from '../crawl.ts';
import { finishCriteria } from './finish.ts';
import { crawlFocus } from './focus.ts';
import { endlessProblem, keepFresh } from './keep-fresh.ts';
import { pageRules } from './page-rules.ts';
import { patterns } from './patterns.ts';
import {
  commaSeparated,
  count,
  givenInstant,
  instant,
  limit,
  maxRequestBytes,
  nextCursor,
  texts,
  wholeNumber,
} from './shared.ts';
import { stagesView } from './stages.ts';

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
  .meta({ description: 'A domain with all its subdomains, or an IP address.' });

const weightWords = (weights: PriorityWeights): string =>
  weighedSignals
    .flatMap((signal) => (weights[signal] > 0 ? [`${signal} ${String(weights[signal])}`] : []))
    .join(', ');

const priorityWeights = z
  .strictObject(
    Object.fromEntries(weighedSignals.map((signal) => [signal, z.number().min(0).max(1)])) as Record<
      WeighedSignal,
      z.ZodNumber
    >,
  )
  .partial()
  .superRefine((weights, context) => {
    const sum = weighedSignals.reduce((all, signal) => all + (weights[signal] ?? 0), 0);
    if (Math.abs(sum - 1) > weightTolerance)
      context.addIssue({
        code: 'custom',
        message: `the weights sum to ${String(Math.round(sum * 1e4) / 1e4)}; they must sum to 1`,
      });
  })
  .meta({
    description: `Share of each signal in the score of a page, by which the pages of a host are fetched: depth (links from a seed, and the score of the page that names it), inbound (other hosts that link to it), internal (pages of its host that link to it), nesting (segments of its path), home (root of its host), trusted (its domain is in \`trustedDomains\`, or in the imported ranking), freshness (the date in its address, as news have it), relevance (what the links to it promise of the \`focus\`). The shares must sum to 1; a signal that is not named counts for nothing. Null: ${weightWords(defaultWeights)}; with a \`focus\` ${weightWords(focusedWeights)}.`,
    examples: [{ depth: 0.6, inbound: 0.4 }],
  });

export const configFields = {
  scope: z.enum(['host', 'domain', 'prefix', 'any']).meta({
    description:
      'Which links belong to the crawl. host: those on the hosts of the seeds; domain: those on their registrable domains; prefix: those below their folders; any: all.',
  }),
  include: patterns.meta({
    description: 'If patterns are given, a URL must match one of them. Seeds are exempt.',
  }),
  exclude: patterns.meta({ description: 'A URL that matches one of these patterns is excluded.' }),
  includeDomains: z
    .array(domain)
    .max(10_000)
    .meta({ description: 'If domains are given, a URL must belong to one of them. Seeds are exempt.' }),
  excludeDomains: z.array(domain).max(10_000).meta({ description: 'URLs of these domains are excluded.' }),
  maxUrlLength: wholeNumber(16, maxUrlLength).meta({
    description: 'Largest number of characters of a URL; longer URLs are excluded.',
  }),
  contentTypes: z
    .array(z.string().max(200).refine(isMediaRange, 'not a media type such as text/html or image/*'))
    .max(100)
    .meta({
      description:
        'Media types whose bodies are read, such as `text/html` or `image/*`; an empty list: all. URLs with another type are excluded. Seeds and sitemaps are exempt.',
    }),
  maxPages: wholeNumber(1, 1e12)
    .nullable()
    .meta({ description: 'Largest number of pages to fetch; null: no limit.' }),
  maxDepth: wholeNumber(0, 30_000)
    .nullable()
    .meta({ description: 'Largest number of links from a seed (a seed has depth 0); null: no limit.' }),
  maxSeconds: z
    .number()
    .positive()
    .max(1e9)
    .nullable()
    .meta({ description: 'Seconds after its start at which the crawl stops fetching; null: no limit.' }),
  finish: finishCriteria.nullable(),
  keepFresh: keepFresh.nullable(),
  sitemap: z.enum(sitemapModes).meta({
    description:
      'Where pages come from. include: from links, and from the sitemaps that robots.txt names; only: from sitemaps and seeds, links are not followed, and a host whose robots.txt names no sitemap is asked for /sitemap.xml; skip: from links, and no sitemap is read but a seed that is one.',
  }),
  sitemapPatterns: patterns.meta({
    description:
      'If patterns are given, a sitemap that another sitemap names is read only if it matches one of them. Sitemaps that robots.txt names and seeds are exempt.',
  }),
  modifiedSince: givenInstant.nullable().meta({
    description:
      'Pages and sitemaps that a sitemap dates before this instant are left out; those without a date are not. Null: none is left out.',
    examples: ['2031-01-01T00:00:00Z'],
  }),
  maxPagesPerHost: wholeNumber(1, 1e12).meta({
    description:
      'Largest number of URLs of one host; further URLs are excluded with the reason `host-limit`.',
  }),
  maxLinksPerPage: wholeNumber(0, 50_000).meta({
    description:
      'Largest number of links taken from one page, in the order of the page; `cut` of page and crawl counts the others.',
  }),
  delaySeconds: z.number().min(0).max(86_400).nullable().meta({
    description:
      'Seconds between two requests of this crawl to a host; other crawls are not delayed by this. Null: the Crawl-delay of the host, else one second. A longer Crawl-delay still holds. Only crawls of the first tenant may set less than one second.',
  }),
  delayFactor: z.number().positive().max(maxDelayFactor).nullable().meta({
    description:
      'The delay is at least this many times as long as the last answer of the host took (five minutes at most); null: the delay does not depend on that.',
  }),
  weight: wholeNumber(1, 100).meta({
    description:
      'Turns that this crawl gets, at a host that several crawls want, for each turn of a crawl with weight 1.',
  }),
  priority: priorityWeights.nullable(),
  focus: crawlFocus.nullable(),
  trustedDomains: z.array(domain).max(10_000).meta({
    description: 'Domains that count as trusted, each with its subdomains, when pages are scored.',
  }),
  traps: z.boolean().meta({
    description:
      'True: URLs of shapes that look like traps (calendars without end, session ids, generated mazes) go into quarantine. False: no URL does, and nothing is watched for it.',
  }),
  nearDuplicates: z.boolean().meta({
    description:
      'True: pages whose text is nearly that of another page of the crawl are marked with it (`nearDuplicateOf`), and GET /v1/crawls/{crawlId}/near-duplicates lists them. Holds for pages that are read from then on.',
  }),
  boilerplate: z.enum(boilerplateModes).meta({
    description:
      'leave-out: blocks of text that more than a third of the first pages of a host have are left out of the text, the main text, the Markdown and what near-duplicates are found by; GET /v1/crawls/{crawlId}/boilerplate lists them. keep: they are not. Holds for pages that are read from then on, of which a hundred a host are counted.',
  }),
  changes: z.boolean().meta({
    description:
      'True: answers are compared with those before them, of this crawl or of earlier ones; each page that changed gives an event `page.changed`, and GET /v1/crawls/{crawlId}/changes lists them. False: nothing is compared.',
  }),
  versionsKept: z.int().min(1).max(100).meta({
    description:
      'Versions kept of each page with their bodies, where `changes` is true; older ones are dropped.',
  }),
  search: z.boolean().meta({
    description:
      'True: the pages are indexed for searches by their texts, in the background. False: they are not, until an index is asked for.',
  }),
  soft404: z.boolean().meta({
    description:
      'True: hosts are asked for a made-up path, once a day at most, and pages that look like the answer go into quarantine, as do pages with a text that many pages of their host have. Holds for pages that are read from then on.',
  }),
  rules: pageRules.nullable(),
  fresh: z.boolean().meta({
    description:
      'True: every body is downloaded anew. False: if an earlier crawl has stored a body, the request carries its validators, and the stored body is used if the server answers 304.',
  }),
  retentionDays: z.number().min(0).max(36_500).nullable().meta({
    description:
      'Days after its end at which the crawl and its data are deleted; null: as ORBWEAVER_RETENTION_DAYS says.',
  }),
  userAgent: z
    .string()
    .min(1)
    .max(256)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII, without spaces at its ends')
    .superRefine((text, context) => {
      const name = impersonated(text);
      if (name !== null)
        context.addIssue({ code: 'custom', message: `${name} is the name of another crawler` });
    })
    .nullable()
    .meta({
      description:
        'User agent that is sent; null: that of the instance. Names of other well-known crawlers are refused.',
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
        'Request headers by name. They are sent to the exact origins (scheme, host, port) of the seeds only, and not with requests for robots.txt. Answers show each value as `[hidden]`. A crawl with request headers uses no stored bodies of other crawls.',
      examples: [{ Authorization: 'Bearer …' }],
    }),
  allowPrivate: z
    .array(z.union([z.cidrv4(), z.cidrv6()], 'not a CIDR block such as 10.0.0.0/8 or fd00::/8'))
    .max(1_000)
    .meta({
      description:
        'CIDR blocks of private or special addresses that this crawl may reach. Only crawls of the first tenant may set this.',
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
    pages: count.meta({
      description: 'URLs in state `done` that were answered with a 2xx status; sitemaps are not counted.',
    }),
    pending: count.meta({ description: 'Bodies that still wait for dedup or extraction.' }),
    fetches: count.meta({ description: 'Requests that were answered.' }),
    bytes: count.meta({ description: 'Bytes of bodies, as they came over the wire.' }),
  })
  .meta({ id: 'Counts' });
export type CountsView = z.infer<typeof counts>;

/** What limits left out of one page. */
export const cutView = z.partialRecord(z.enum(cutKinds), count).meta({
  description:
    'How much of the page was left out, by kind: links that are over the limit of a page, too long, outside the crawl, nofollow or not followed; characters of text, title and description. Empty: nothing was left out.',
});

/** For a crawl: excluded URLs by reason, and what was cut. */
export const leftOut = z.object({
  excluded: z
    .partialRecord(z.enum(excludedReasons), count)
    .meta({ description: 'Number of excluded URLs, by reason.' }),
  cut: z
    .partialRecord(
      z.enum(cutKinds),
      z.object({
        places: count.meta({ description: 'Number of URLs at which something was left out.' }),
        leftOut: count,
      }),
    )
    .meta({
      description:
        'What was left out and is not counted as a URL of the crawl, by kind: at how many pages, sitemaps or robots.txt files, and how much in all (links, URLs, entries, lines, characters or files).',
    }),
});

export const lettersByClass = z
  .partialRecord(z.enum(deadLetterClasses), count)
  .meta({ description: 'Number of URLs that were given up, by class of failure.' });

export const ledgerAnswer = counts.extend({ balanced: z.boolean() }).meta({ id: 'LedgerAnswer' });

export const rejectedSeed = z
  .object({
    line: z.int().meta({ description: 'Place of the seed in the list, from 1.' }),
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

/** As it is shown: the values of headers are hidden. */
export const crawlConfig = z
  .object({ ...configFields, headers: z.record(z.string(), z.literal(hiddenValue)) })
  .meta({ id: 'CrawlConfig' });

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
      firstRejected: z.array(rejectedSeed).meta({ description: 'The first 100 rejected seeds.' }),
    }),
    hosts: z.object({
      total: count,
      waiting: count.meta({ description: 'Hosts with queued URLs.' }),
      working: count.meta({ description: 'Hosts with URLs leased at this moment.' }),
      parked: count.meta({
        description: 'Parked hosts with queued URLs. They wait for a person or a probe.',
      }),
    }),
    ...leftOut.shape,
    deadLetters: lettersByClass,
    rate: z.object({
      perSecond: z.number().meta({
        description:
          'URLs answered per second, over the last ten seconds, or over the latest thousand of them.',
      }),
    }),
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
