/** Settings of a crawl as options of the command line: their names, and what holds where one is not given. */
import type { Command } from 'commander';
import { defaultCrawlConfig, type CrawlConfig } from '../contracts/crawl.ts';
import { defaultDelayMs } from '../domain/pace.ts';

/** By field, the option as it is typed. */
export const optionOf = {
  scope: '--scope',
  include: '--include',
  exclude: '--exclude',
  includeDomains: '--include-domain',
  excludeDomains: '--exclude-domain',
  contentTypes: '--content-type',
  maxUrlLength: '--max-url-length',
  maxLinksPerPage: '--max-links-per-page',
  maxPagesPerHost: '--max-pages-per-host',
  maxPages: '--max-pages',
  maxDepth: '--max-depth',
  maxSeconds: '--max-seconds',
  finish: '--finish',
  delaySeconds: '--delay',
  fresh: '--fresh',
  retentionDays: '--retention',
  userAgent: '--user-agent',
  headers: '--header',
  allowPrivate: '--allow-private',
} as const satisfies Partial<Record<keyof CrawlConfig, string>>;

type Field = keyof typeof optionOf;

/** What an empty default means. */
const unset: Readonly<Partial<Record<Field, string>>> = {
  include: 'all',
  exclude: 'none',
  includeDomains: 'all',
  excludeDomains: 'none',
  contentTypes: 'all',
  maxPages: 'no limit',
  maxDepth: 'no limit',
  maxSeconds: 'no limit',
  finish: 'nothing is left to fetch',
  delaySeconds: `the Crawl-delay of its robots.txt, else ${String(defaultDelayMs / 1_000)}`,
  retentionDays: 'that of the instance',
  userAgent: 'that of the instance',
  headers: 'none',
  allowPrivate: 'those of the instance',
};

function defaultWords(field: Field): string {
  const value = defaultCrawlConfig[field];
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : (unset[field] ?? '');
}

/** Says in the help of each option that is a setting what holds without it. */
export function tellDefaults(command: Command): Command {
  for (const field of Object.keys(optionOf) as Field[]) {
    const option = command.options.find(({ long }) => long === optionOf[field]);
    if (option !== undefined) option.description += ` (default: ${defaultWords(field)})`;
  }
  return command;
}
