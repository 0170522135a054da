/**
 * The HTTP API's wire format: what may be sent and what is answered. The OpenAPI document is made from these schemas,
 * and the command line checks its options with them before it starts anything.
 */
import { z } from 'zod';
import { decisionEffects, decisionSteps } from '../domain/explain/decision.ts';
import { isMediaRange } from '../domain/media-filter.ts';
import { maxDelayFactor } from '../domain/pace.ts';
import { readDomain } from '../domain/opt-out.ts';
import { validatePattern } from '../domain/pattern.ts';
import { maxUrlLength } from '../domain/url.ts';
import { crawlStates, urlStates, type CrawlConfig } from './crawl.ts';
import { finishCriteria } from './http/finish.ts';

/** Bytes of a request body at most: about 100,000 seeds. */
export const maxRequestBytes = 10 * 1024 * 1024;
/** Bytes of a request's line and head together; a URL within a URL may have three bytes for each of its own. */
export const maxHeadBytes = 64 * 1024;
/** Characters of a URL that is given in the path or query of a request: twice what a crawl admits. */
export const maxUrlInUrl = 4_096;
const maxPageLimit = 1_000;

// Requests ---------------------------------------------------------------------------------------------------------

const pattern = z
  .string()
  .superRefine((text, context) => {
    const problem = validatePattern(text);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ description: 'Glob over the canonical URL: `*` any run of characters, `?` any one.' });

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

const wholeNumber = (least: number, most: number) => z.int().min(least).max(most);

export const configFields = {
  scope: z.enum(['host', 'domain', 'prefix', 'any']).meta({
    description:
      "Which links belong to the crawl: the seeds' hosts, their registrable domains, their folders, or everything.",
  }),
  include: z
    .array(pattern)
    .max(1_000)
    .meta({ description: 'When any is given, a URL must match one. Seeds are exempt.' }),
  exclude: z.array(pattern).max(1_000).meta({ description: 'A URL that matches one is excluded.' }),
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
  maxPagesPerHost: wholeNumber(1, 1e12).meta({ description: 'URLs admitted per host at most.' }),
  maxLinksPerPage: wholeNumber(0, 100_000).meta({ description: 'Links taken from one page at most.' }),
  delaySeconds: z.number().min(0).max(86_400).nullable().meta({
    description:
      'Seconds between two requests of a host, for hosts one owns; null: Crawl-delay, else one second.',
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
  userAgent: z
    .string()
    .min(1)
    .max(256)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'printable ASCII only, no spaces at its ends')
    .nullable()
    .meta({ description: "User agent sent; null: the workers' setting." }),
  allowPrivate: z
    .array(z.union([z.cidrv4(), z.cidrv6()], 'not a CIDR block such as 10.0.0.0/8 or fd00::/8'))
    .max(1_000)
    .meta({ description: 'CIDR blocks of private or special addresses this crawl may reach.' }),
} satisfies Record<keyof CrawlConfig, z.ZodType>;

/** The settings of a crawl, each optional; see `defaultCrawlConfig` for what holds where none is given. */
const crawlSettings = z.strictObject(configFields).partial();
export type CrawlSettings = z.infer<typeof crawlSettings>;

const seedText = z.string().max(100_000);

/** Printable text: no control characters, no halves of characters. */
export const crawlLabel = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{C}*$/u, 'printable text')
  .meta({ description: 'What the crawl is called, or whom it is for; for people. Nothing is judged by it.' });

export const newCrawl = z
  .strictObject({
    seeds: z
      .union(
        [z.array(seedText).min(1), z.string().min(1)],
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

/** For people. Postgres text, and JSON in it, hold neither NUL nor half of a surrogate pair. */
export const words = (most: number) =>
  z
    .string()
    .max(most)
    .transform((text) => text.replaceAll('\0', '\ufffd').toWellFormed().trim())
    .pipe(z.string().min(1, 'is empty'));

export const changeReason = z.strictObject({ reason: words(500).optional() }).meta({ id: 'ChangeReason' });

/** Query parameters come as text. */
export const limit = (most: number, standard: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'a whole number')
    .transform(Number)
    .pipe(wholeNumber(1, most))
    .optional()
    .meta({ description: `Entries at most: 1 to ${String(most)}, ${String(standard)} by default.` });

export const defaultListLimit = 20;
export const listQuery = z.strictObject({
  cursor: z.string().max(100).optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(100, defaultListLimit),
});

const pageFields = ['links', 'text'] as const;
export type PageField = (typeof pageFields)[number];
export const defaultPageLimit = 100;
export const pagesQuery = z.strictObject({
  cursor: z.string().max(200).optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(maxPageLimit, defaultPageLimit),
  fields: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(pageFields)))
    .optional()
    .meta({ description: 'Comma-separated: `links` for the list of links, `text` for the text.' }),
});

export const explainQuery = z.strictObject({
  url: z.string().min(1).max(maxUrlInUrl).meta({ description: 'Any spelling of the URL.' }),
});

/** Decimal, as answered when the crawl was created. */
export const crawlId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .meta({ description: 'Id of the crawl.', examples: ['1'] });
export const crawlPath = z.strictObject({ crawlId });

// Answers ----------------------------------------------------------------------------------------------------------

export const count = z.int().min(0);
/** Milliseconds are kept; ISO 8601 in UTC. */
export const instant = z.iso.datetime();

const ledgerView = z
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
    reason: z.string().nullable().meta({ description: 'Why it stands where it stands.' }),
    label: z.string().nullable().meta({ description: 'As it was named when it was created.' }),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    seconds: z.number().nullable().meta({ description: 'From start to end, or to now; null: not started.' }),
    ...counts.shape,
  })
  .meta({ id: 'CrawlSummary' });
export type CrawlSummary = z.infer<typeof crawlSummary>;

export const crawlConfig = z.object(configFields).meta({ id: 'CrawlConfig' });

export const crawlView = crawlSummary
  .extend({
    config: crawlConfig,
    configVersion: z.int().min(1).meta({ description: 'Of the settings; each edit makes a new one.' }),
    seeds: z.object({
      accepted: count,
      rejected: count,
      firstRejected: z.array(rejectedSeed).meta({ description: 'The first 100 of them.' }),
    }),
    hosts: z.object({
      total: count,
      waiting: count.meta({ description: 'Hosts with queued URLs.' }),
      working: count.meta({ description: 'Hosts with URLs leased at this moment.' }),
      parked: count.meta({ description: 'Hosts that wait for a person or a probe, with queued URLs.' }),
    }),
    deadLetters: z
      .record(z.string(), count)
      .meta({ description: 'URLs whose retries are spent, by class of failure.' }),
    rate: z.object({
      perSecond: z.number().meta({ description: 'URLs answered a second, over the last ten seconds.' }),
    }),
  })
  .meta({ id: 'Crawl' });
export type CrawlView = z.infer<typeof crawlView>;

export const createdCrawl = z
  .object({ id: z.string(), state: z.enum(crawlStates), accepted: count, rejected: z.array(rejectedSeed) })
  .meta({ id: 'CreatedCrawl' });
export type CreatedCrawl = z.infer<typeof createdCrawl>;

export const crawlStateAnswer = z
  .object({ id: z.string(), state: z.enum(crawlStates), reason: z.string().nullable() })
  .meta({ id: 'CrawlStateAnswer' });
export type CrawlStateAnswer = z.infer<typeof crawlStateAnswer>;

export const nextCursor = z.string().nullable();

export const crawlList = z
  .object({ items: z.array(crawlSummary), next: nextCursor })
  .meta({ id: 'CrawlList' });

export const pageView = z
  .object({
    url: z.string(),
    state: z.enum(urlStates),
    status: z.int().nullable(),
    reason: z.string().nullable().meta({ description: 'Why it is in this state, as a class.' }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: z.string().nullable().meta({ description: 'ISO 639-1.' }),
    words: count.nullable(),
    linkCount: count.nullable(),
    contentHash: z.string().nullable().meta({ description: 'SHA-256 of the body, hex.' }),
    contentType: z.string().nullable(),
    bytes: count,
    depth: count,
    fetchedAt: instant,
    duplicateOf: z.string().nullable().meta({
      description: 'URL of the page with the same content. Title, text and links are then that page’s.',
    }),
    redirectTo: z.string().nullable(),
    noindex: z.boolean().nullable(),
    canonical: z.string().nullable().meta({ description: 'What the page names as its rel=canonical.' }),
    links: z.array(z.string()).nullable().optional().meta({ description: 'With fields=links.' }),
    text: z.string().nullable().optional().meta({ description: 'With fields=text.' }),
  })
  .meta({ id: 'Page' });
export type PageView = z.infer<typeof pageView>;

export const pageList = z
  .object({
    items: z.array(pageView),
    next: nextCursor.meta({
      description:
        'Give it as `cursor` to go on. Never null while the crawl is open: later pages follow. Null: that was all.',
    }),
  })
  .meta({ id: 'PageList' });

export const auditView = z
  .object({
    crawlId: z.string(),
    state: z.enum(crawlStates),
    at: instant,
    ok: z.boolean().meta({ description: 'No differences.' }),
    balanced: z.boolean().meta({ description: 'The ledger’s sum adds up.' }),
    ledger: ledgerView,
    recount: ledgerView.meta({ description: 'The same, counted anew over every URL of the crawl.' }),
    hosts: count.meta({ description: 'Hosts whose counters were recounted.' }),
    differences: z.array(
      z.object({ check: z.string(), expected: z.number(), actual: z.number(), detail: z.string() }),
    ),
  })
  .meta({ id: 'Audit' });
export type AuditView = z.infer<typeof auditView>;

const decision = z
  .object({
    step: z.enum(decisionSteps).meta({ description: 'What it is about.' }),
    verdict: z.string().meta({
      description: 'A word of the step: the rule, the filter, the class, the state. New words may come.',
      examples: ['tracking-parameter', 'inside', 'pattern', 'disallowed', 'timeout', 'queued', 'host-parked'],
    }),
    effect: z.enum(decisionEffects).meta({
      description: 'It let the URL pass, ended its way, holds it up, or only tells something.',
    }),
    because: z.string().meta({ description: 'One sentence for people.' }),
    detail: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'The same in figures; fields by step.' }),
  })
  .meta({ id: 'Decision' });

const explainedRecord = z
  .object({
    state: z.enum(urlStates),
    kind: z.enum(['page', 'sitemap']),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    fetchUrl: z.string().meta({ description: 'The spelling that is fetched.' }),
    seed: z.boolean(),
    depth: z.int(),
    redirects: z.int().meta({ description: 'Redirects that led here.' }),
    priority: z.number(),
    discoveredAt: instant,
    discoveredFrom: z.string().nullable(),
    redirectedWith: z
      .int()
      .nullable()
      .meta({ description: 'The status of the redirect by which it was found; null: by no redirect.' }),
    dueMs: z.number().meta({ description: 'Milliseconds until it is due of itself; at most 0: it is.' }),
    fetchedAt: instant.nullable(),
    status: z.int().nullable(),
    contentType: z.string().nullable(),
    bytes: count,
    contentHash: z.string().nullable(),
    redirectTo: z.string().nullable(),
    redirectState: z
      .enum(urlStates)
      .nullable()
      .meta({ description: 'Where that URL stands; null: it is no URL of this crawl.' }),
    truncated: z.string().nullable(),
    duplicateOf: z.string().nullable(),
    duplicateBy: z.enum(['body', 'text']).nullable(),
    stillToDo: z.enum(['dedup', 'extract']).nullable(),
    requests: z.int().meta({ description: 'Requests answered.' }),
    reclaims: z.int().meta({ description: 'Leases lost to a crash.' }),
    leaseHeld: z.boolean().meta({ description: 'It is in the slice that is being fetched now.' }),
    page: z
      .object({
        words: count,
        links: count,
        canonical: z.string().nullable(),
        noindex: z.boolean(),
        nofollow: z.boolean(),
        cut: z.array(z.string()),
      })
      .nullable()
      .meta({ description: 'What was read in it; null: nothing was.' }),
  })
  .meta({ id: 'ExplainedUrl' });

export const explanation = z
  .object({
    url: z.string().meta({ description: 'As it would be fetched.' }),
    canonical: z.string(),
    key: z.string().meta({ description: 'The seen-key, hex.' }),
    host: z.string(),
    summary: z.string().meta({ description: 'The answer in one sentence or two.' }),
    decisions: z
      .array(decision)
      .meta({ description: 'Everything that was decided on it, in order, judged as rules stand now.' }),
    scope: z
      .object({
        verdict: z.enum(['admit', 'outside', 'excluded']),
        reason: z.string().nullable(),
        detail: z.string().nullable(),
        depth: z
          .int()
          .meta({ description: 'Links from a seed; of a URL never met: the fewest it could be.' }),
        isSeed: z.boolean(),
      })
      .meta({ description: "What the crawl's scope and filters say, judged now." }),
    record: explainedRecord.nullable().meta({ description: 'Null: the crawl has never met this URL.' }),
    attempts: z
      .array(z.object({ at: instant, class: z.string(), status: z.int().nullable(), message: z.string() }))
      .meta({ description: 'Requests that ended without a final outcome, oldest first.' }),
    deadLetter: z
      .object({
        class: z.string(),
        status: z.int().nullable(),
        message: z.string(),
        attempts: z.int(),
        createdAt: instant,
      })
      .nullable(),
    robots: z
      .object({
        status: z.int().nullable().meta({ description: 'Null: robots.txt was not read yet.' }),
        fetchedAt: instant.nullable(),
        ageMs: z.number().nullable().meta({ description: 'Milliseconds since it was fetched.' }),
        agent: z.string(),
        allowed: z.boolean().nullable(),
        rule: z.string().nullable(),
        line: z.int().nullable(),
      })
      .nullable(),
    next: z
      .object({
        at: instant.nullable().meta({ description: 'Earliest possible time; null: cannot be said.' }),
        because: z.array(z.string()).meta({ description: 'What stands before it, one sentence each.' }),
      })
      .nullable()
      .meta({
        description: 'When it will be, or would be, fetched; null: it will not be (again).',
      }),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof explanation>;

const problemType = z
  .enum([
    'about:blank',
    'urn:orbweaver:problem:unauthenticated',
    'urn:orbweaver:problem:forbidden',
    'urn:orbweaver:problem:rate-limited',
    'urn:orbweaver:problem:quota-spent',
    'urn:orbweaver:problem:idempotency-key-reused',
    'urn:orbweaver:problem:idempotency-key-pending',
    'urn:orbweaver:problem:idempotency-key-spent',
    'urn:orbweaver:problem:precondition-failed',
    'urn:orbweaver:problem:invalid-input',
    'urn:orbweaver:problem:invalid-cursor',
  ])
  .meta({ description: 'about:blank: the status says all there is to say of its kind.' });
export type ProblemType = z.infer<typeof problemType>;

/** RFC 9457. */
export const problem = z
  .object({
    type: problemType,
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    requestId: z.string().optional().meta({ description: '`X-Request-Id` of this answer, as in the log.' }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    rejected: z.array(rejectedSeed).optional(),
    quota: z.string().optional().meta({ description: 'Of quota-spent and rate-limited: which quota.' }),
    etag: z.string().optional().meta({ description: 'Of precondition-failed: the ETag it has now.' }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;
