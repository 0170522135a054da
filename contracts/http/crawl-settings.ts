/** Settings of a crawl on the wire: each with its limits, what it means, and how wrong values are told. */
import { z } from 'zod';
import { impersonated } from '../../domain/crawler-names.ts';
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
import { maxUrlLength } from '../../domain/url.ts';
import { boilerplateModes, type CrawlConfig } from '../crawl.ts';
import { finishCriteria } from './finish.ts';
import { crawlFocus } from './focus.ts';
import { keepFresh } from './keep-fresh.ts';
import { pageRules } from './page-rules.ts';
import { patterns } from './patterns.ts';
import { givenInstant, wholeNumber } from './shared.ts';

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
  maxRedirects: wholeNumber(0, 10).meta({
    description:
      'Largest number of redirects in a row that are followed; a URL that redirects after as many fails with the reason `too-many-redirects`.',
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
      'True: hosts are asked for a made-up path, once a day at most, and for a second one if they answer it with a page. Pages that look like the answers go into quarantine, as do pages with a text that many pages of their host have. Holds for pages that are read from then on.',
  }),
  rules: pageRules.nullable(),
  fresh: z.boolean().meta({
    description:
      'True: every body is downloaded anew. False: if an earlier crawl has stored a body, the request carries its validators, and the stored body is used if the server answers 304.',
  }),
  requisites: z.boolean().meta({
    description:
      'True: what pages need to be shown is fetched too: style sheets, scripts, pictures, fonts, sounds and films, also from hosts outside the scope, at their own pace and by their robots.txt. Such files are no pages, and no links are taken from them; exports as WARC and WACZ have them.',
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
  headers: z.preprocess(
    (given, context) => {
      // Zod leaves this name out of what it reads, without a word.
      if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
        context.addIssue({ code: 'custom', message: 'no header can be called __proto__' });
      return given;
    },
    z
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
  ),
  sessionLinks: z.boolean().meta({
    description:
      'For crawls whose `headers` have a Cookie or an Authorization. False: links that would end the session or change something (logout, delete, edit, add to cart and the like, in many languages, in the path or the query) are excluded with the reason `session-link`. True: they are followed. Seeds are exempt.',
  }),
  follow: z.boolean().meta({
    description:
      'False: no links of pages are followed, and no sitemap is read but a seed that is one; the seeds are fetched, and where they redirect to. The links are counted (`cut`).',
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
export const crawlSettings = z.strictObject(configFields).partial();
export type CrawlSettings = z.infer<typeof crawlSettings>;

/** As it is shown: the values of headers are hidden. */
export const crawlConfig = z
  .object({ ...configFields, headers: z.record(z.string(), z.literal(hiddenValue)) })
  .meta({ id: 'CrawlConfig' });
