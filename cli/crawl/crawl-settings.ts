/**
 * Settings of a crawl as options of the command line, each written once. `crawl` and `crawls start` have all of them,
 * `edit` those that may change while a crawl runs. A setting of a crawl that has no option here does not compile.
 */
import { Option, type Command } from 'commander';
import { defaultCrawlConfig, type CrawlConfig } from '../../contracts/crawl.ts';
import type { CrawlEdit } from '../../contracts/http/edits.ts';
import { defaultDelayMs } from '../../domain/pace.ts';
import { defaultWeights, weighedSignals } from '../../domain/priority/score.ts';
import { collect, days, factor, givenDay, seconds, weights, wholeNumber, yesOrNo } from '../arguments.ts';

/** Headings of the help of verbs that start a crawl, in their order. */
export const helpGroups = {
  what: 'What is crawled:',
  limits: 'Limits, and when the crawl ends:',
  pace: 'Pace and politeness:',
  order: 'What comes first:',
  content: 'Content:',
  instance: 'Instance:',
  output: 'Output:',
} as const;
type HelpGroup = keyof typeof helpGroups;

interface SettingOption {
  readonly group: HelpGroup;
  readonly flags: string;
  /** For the help, which adds what holds without the option. */
  readonly words: string;
  /** Reads a value for a new crawl. `edit` leaves reading to the API, since `none` takes a setting back there. */
  readonly read?: (text: string) => unknown;
  readonly isList?: true;
  readonly choices?: readonly string[];
  /** What holds without the option, if the default of the setting is empty. */
  readonly unset?: string;
}
interface LiveOption extends SettingOption {
  readonly startOnly?: never;
}
/** A setting that must not change while a crawl runs. */
interface StartOption extends SettingOption {
  readonly startOnly: true;
}

type Field = keyof CrawlConfig;

const settings: { readonly [F in Field]: F extends keyof CrawlEdit ? LiveOption : StartOption } = {
  maxPages: {
    group: 'limits',
    flags: '--max-pages <n>',
    words: 'fetch at most this many pages',
    read: wholeNumber(1),
    unset: 'no limit',
  },
  maxDepth: {
    group: 'limits',
    flags: '--max-depth <n>',
    words: 'follow at most this many links from a seed; 0: fetch the seeds only',
    read: wholeNumber(0),
    unset: 'no limit',
  },
  maxSeconds: {
    group: 'limits',
    flags: '--max-seconds <n>',
    words: 'crawl for at most this many seconds',
    read: seconds(0, false),
    unset: 'no limit',
  },
  finish: {
    group: 'limits',
    flags: '--finish <json>',
    words: 'when the crawl ends: JSON, or a file that holds JSON, such as \'{"any": [{"pages": 1000}]}\'',
    unset: 'when nothing is left to fetch',
  },
  keepFresh: {
    group: 'limits',
    flags: '--keep-fresh [json]',
    words:
      'go on when all is fetched, and fetch pages again as they become due: requests a day at most, or JSON, or a file that holds JSON, such as \'{"requestsPerDay": 5000, "share": 90, "withinSeconds": 86400}\'',
    unset: 'fetch each URL once',
  },
  scope: {
    group: 'what',
    flags: '--scope <scope>',
    words:
      'which links to follow: those on the hosts of the seeds, on their domains, below their folders, or any',
    choices: ['host', 'domain', 'prefix', 'any'],
  },
  include: {
    group: 'what',
    flags: '--include <pattern>',
    words:
      'follow only URLs that match this pattern, such as "https://*/docs/*" or "re:/item/[0-9]+$"; may be repeated',
    isList: true,
    unset: 'all',
  },
  exclude: {
    group: 'what',
    flags: '--exclude <pattern>',
    words: 'leave out URLs that match this pattern, written as for --include; may be repeated',
    isList: true,
    unset: 'none',
  },
  includeDomains: {
    group: 'what',
    flags: '--include-domain <domain>',
    words: 'crawl only this domain and its subdomains; may be repeated',
    isList: true,
    unset: 'all',
  },
  excludeDomains: {
    group: 'what',
    flags: '--exclude-domain <domain>',
    words: 'do not crawl this domain or its subdomains; may be repeated',
    isList: true,
    unset: 'none',
  },
  contentTypes: {
    group: 'content',
    flags: '--content-type <type>',
    words: 'take only bodies of this media type, such as text/html; may be repeated',
    isList: true,
    unset: 'all',
  },
  maxUrlLength: {
    group: 'what',
    flags: '--max-url-length <n>',
    words: 'leave out URLs that are longer than this many characters',
    read: wholeNumber(16),
  },
  maxLinksPerPage: {
    group: 'what',
    flags: '--max-links-per-page <n>',
    words: 'take at most this many links from a page',
    read: wholeNumber(0),
  },
  maxRedirects: {
    group: 'limits',
    flags: '--max-redirects <n>',
    words: 'follow at most this many redirects in a row, up to 10',
    read: wholeNumber(0),
  },
  maxPagesPerHost: {
    group: 'limits',
    flags: '--max-pages-per-host <n>',
    words: 'take at most this many URLs of a host',
    read: wholeNumber(1),
  },
  sitemap: {
    group: 'what',
    flags: '--sitemap <mode>',
    words:
      'where pages come from: from links and sitemaps, from sitemaps and seeds only, or from links alone',
    choices: ['include', 'only', 'skip'],
    startOnly: true,
  },
  sitemapPatterns: {
    group: 'what',
    flags: '--sitemap-pattern <pattern>',
    words:
      'of the sitemaps that a sitemap names, read only those that match this pattern, written as for --include; may be repeated',
    isList: true,
    unset: 'all',
    startOnly: true,
  },
  modifiedSince: {
    group: 'what',
    flags: '--modified-since <instant>',
    words:
      'leave out what a sitemap dates before this instant, such as 2031-01-01T00:00:00Z or 2031-01-01; pages without a date are taken',
    read: givenDay,
    unset: 'take all',
    startOnly: true,
  },
  delaySeconds: {
    group: 'pace',
    flags: '--delay <seconds>',
    words:
      'seconds between two requests of this crawl to a host; a longer delay in robots.txt still holds; less than 1 is for hosts you own',
    read: seconds(0, true),
    unset: `the Crawl-delay in the robots.txt of the host, else ${String(defaultDelayMs / 1_000)}`,
  },
  delayFactor: {
    group: 'pace',
    flags: '--delay-factor <x>',
    words: 'wait at least this many times as long as the last answer took',
    read: factor,
    unset: 'no such wait',
  },
  weight: {
    group: 'pace',
    flags: '--weight <n>',
    words: 'share of the turns at a host that other crawls want as well, 1 to 100',
    read: wholeNumber(1),
  },
  priority: {
    group: 'order',
    flags: '--priority <weights>',
    words:
      'share of each signal in the score by which pages are fetched, such as depth=0.5,inbound=0.5; the shares sum to 1',
    read: weights,
    unset: weighedSignals
      .flatMap((signal) =>
        defaultWeights[signal] > 0 ? [`${signal}=${String(defaultWeights[signal])}`] : [],
      )
      .join(','),
  },
  focus: {
    group: 'order',
    flags: '--focus <words>',
    words:
      'fetch pages that are relevant to these words first; @FILE: to the example page in this file; may be repeated',
    isList: true,
    unset: 'none',
  },
  trustedDomains: {
    group: 'order',
    flags: '--trusted-domain <domain>',
    words: 'score pages of this domain and its subdomains as trusted; may be repeated',
    isList: true,
    unset: 'none',
  },
  traps: {
    group: 'what',
    flags: '--traps <yes|no>',
    words: 'put URLs whose shapes look like traps into quarantine',
    read: yesOrNo,
  },
  nearDuplicates: {
    group: 'content',
    flags: '--near-duplicates <yes|no>',
    words: 'mark pages whose text is nearly that of another page',
    read: yesOrNo,
  },
  boilerplate: {
    group: 'content',
    flags: '--boilerplate <mode>',
    words:
      'what becomes of text that more than a third of the pages of a host have: keep it, or leave it out',
    choices: ['keep', 'leave-out'],
  },
  changes: {
    group: 'content',
    flags: '--changes <yes|no>',
    words:
      'compare each answer with the one before it, of this crawl or an earlier one, and tell what changed',
    read: yesOrNo,
  },
  versionsKept: {
    group: 'content',
    flags: '--versions-kept <n>',
    words: 'keep so many versions of each page whose changes are told',
    read: wholeNumber(1),
  },
  search: {
    group: 'content',
    flags: '--search',
    words: 'index the texts of the pages, for the verb search',
    startOnly: true,
  },
  soft404: {
    group: 'what',
    flags: '--soft-404 <yes|no>',
    words:
      'ask each host for a made-up path or two, and put pages that look like the answers into quarantine',
    read: yesOrNo,
  },
  rules: {
    group: 'content',
    flags: '--rules <file>',
    words:
      'read pages by the rules in this file (YAML or JSON): fields by CSS selectors, parts of the text, links; the verb extract tries them',
    unset: 'none',
  },
  fresh: {
    group: 'content',
    flags: '--fresh',
    words: 'download every body anew, even if an earlier crawl has stored it and it has not changed',
    startOnly: true,
  },
  requisites: {
    group: 'what',
    flags: '--requisites',
    words:
      'fetch what pages need to be shown (style sheets, scripts, pictures), also from other hosts, so that an archive plays back whole',
    startOnly: true,
  },
  retentionDays: {
    group: 'instance',
    flags: '--retention <days>',
    words: 'delete the crawl and its data this many days after its end',
    read: days,
    unset: 'as set for the instance',
  },
  userAgent: {
    group: 'pace',
    flags: '--user-agent <text>',
    words: 'user agent to send',
    unset: 'as set for the instance',
    startOnly: true,
  },
  headers: {
    group: 'pace',
    flags: '--header <"Name: value">',
    words:
      'request header to send to the origins of the seeds; it is sent to no other host and not with requests for robots.txt, and its value is never shown again; may be repeated',
    isList: true,
    unset: 'none',
  },
  sessionLinks: {
    group: 'what',
    flags: '--session-links <yes|no>',
    words:
      'with a Cookie or Authorization header: follow links that end the session or change something, such as logout, delete or edit',
    read: yesOrNo,
  },
  follow: {
    group: 'what',
    flags: '--no-follow',
    words: 'fetch the URLs that are given, and where they redirect to: follow no links, read no sitemaps',
    unset: 'links are followed',
    startOnly: true,
  },
  allowPrivate: {
    group: 'instance',
    flags: '--allow-private <cidr>',
    words: 'blocks of private addresses that may be reached, such as 127.0.0.0/8,10.0.0.0/8',
    isList: true,
    unset: 'as set for the instance',
    startOnly: true,
  },
};

const fields = Object.keys(settings) as Field[];
const isLive = (field: Field): boolean => settings[field].startOnly !== true;

function optionFor(field: Field): Option {
  const { flags, words, choices, isList } = settings[field];
  const option = new Option(flags, words);
  if (choices !== undefined) option.choices(choices);
  if (isList === true) option.argParser(collect);
  return option;
}

const typed = new Map(fields.map((field) => [field as string, optionFor(field)]));

/** The name as it is typed, `--max-pages`; a name that is no setting stays as it is. */
export const optionName = (field: string): string => typed.get(field)?.long ?? field;

/** Settings that can change while a crawl runs, as they are typed. */
export const editOptionNames = (): string[] => fields.filter(isLive).map(optionName);

/** All settings, for a new crawl, by group; the help says what holds without each. */
export function addSettings(command: Command): Command {
  const ordered = Object.keys(helpGroups).flatMap((group) =>
    fields.filter((field) => settings[field].group === group),
  );
  for (const field of ordered) {
    const { read, group } = settings[field];
    const option = optionFor(field).helpGroup(helpGroups[group]);
    if (read !== undefined) option.argParser(read);
    option.description += ` (default: ${defaultWords(field)})`;
    command.addOption(option);
  }
  return command;
}

/** The settings that may change while a crawl runs. */
export function addEditSettings(command: Command): Command {
  for (const field of fields.filter(isLive)) command.addOption(optionFor(field));
  return command;
}

/** The settings that were given, by field, as commander has them. */
export function givenSettings(options: object): Partial<Record<Field, unknown>> {
  const values = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(
    fields.flatMap((field) => {
      const option = typed.get(field);
      const value = values.get(option?.attributeName() ?? field);
      // Of a `--no-…` commander says true where it was not given.
      return value === undefined || (option?.negate === true && value === true) ? [] : [[field, value]];
    }),
  );
}

function defaultWords(field: Field): string {
  const value = defaultCrawlConfig[field];
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value === 'boolean') return settings[field].unset ?? (value ? 'yes' : 'no');
  return typeof value === 'string' ? value : (settings[field].unset ?? '');
}
