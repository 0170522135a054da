/** Which URLs belong to a crawl. */
import { z } from 'zod';
import { sitemapModes } from '../../domain/sitemap-choice.ts';
import { maxUrlLength } from '../../domain/url.ts';
import { domain, patterns } from '../http/patterns.ts';
import { givenInstant, wholeNumber } from '../http/shared.ts';
import { setting, startSetting } from './setting.ts';

export const what = {
  // `www.` and http/https make no difference.
  scope: setting({
    schema: z.enum(['host', 'domain', 'prefix', 'any']),
    fallback: 'host',
    description:
      'Which links belong to the crawl. host: those on the hosts of the seeds; domain: those on their registrable domains; prefix: those below their folders; any: all.',
    flags: '--scope <scope>',
    help: 'which links to follow: those on the hosts of the seeds, on their domains, below their folders, or any',
  }),
  include: setting({
    schema: patterns,
    fallback: [],
    description: 'If patterns are given, a URL must match one of them. Seeds are exempt.',
    flags: '--include <pattern>',
    help: 'follow only URLs that match this pattern, such as "https://*/docs/*" or "re:/item/[0-9]+$"; may be repeated',
    without: 'all',
  }),
  exclude: setting({
    schema: patterns,
    fallback: [],
    description: 'A URL that matches one of these patterns is excluded.',
    flags: '--exclude <pattern>',
    help: 'leave out URLs that match this pattern, written as for --include; may be repeated',
    without: 'none',
  }),
  includeDomains: setting({
    schema: z.array(domain).max(10_000),
    fallback: [],
    description: 'If domains are given, a URL must belong to one of them. Seeds are exempt.',
    flags: '--include-domain <domain>',
    help: 'crawl only this domain and its subdomains; may be repeated',
    without: 'all',
  }),
  excludeDomains: setting({
    schema: z.array(domain).max(10_000),
    fallback: [],
    description: 'URLs of these domains are excluded.',
    flags: '--exclude-domain <domain>',
    help: 'do not crawl this domain or its subdomains; may be repeated',
    without: 'none',
  }),
  maxUrlLength: setting({
    schema: wholeNumber(16, maxUrlLength),
    fallback: maxUrlLength,
    description: 'Largest number of characters of a URL; longer URLs are excluded.',
    flags: '--max-url-length <n>',
    help: 'leave out URLs that are longer than this many characters',
  }),
  maxLinksPerPage: setting({
    schema: wholeNumber(0, 50_000),
    fallback: 10_000,
    description:
      'Largest number of links taken from one page, in the order of the page; `cut` of page and crawl counts the others.',
    flags: '--max-links-per-page <n>',
    help: 'take at most this many links from a page',
  }),
  sitemap: startSetting({
    schema: z.enum(sitemapModes),
    fallback: 'include',
    description:
      'Where pages come from. include: from links, and from the sitemaps that robots.txt names; only: from sitemaps and seeds, links are not followed, and a host whose robots.txt names no sitemap is asked for /sitemap.xml; skip: from links, and no sitemap is read but a seed that is one.',
    flags: '--sitemap <mode>',
    help: 'where pages come from: from links and sitemaps, from sitemaps and seeds only, or from links alone',
  }),
  sitemapPatterns: startSetting({
    schema: patterns,
    fallback: [],
    description:
      'If patterns are given, a sitemap that another sitemap names is read only if it matches one of them. Sitemaps that robots.txt names and seeds are exempt.',
    flags: '--sitemap-pattern <pattern>',
    help: 'of the sitemaps that a sitemap names, read only those that match this pattern, written as for --include; may be repeated',
    without: 'all',
  }),
  modifiedSince: startSetting({
    schema: givenInstant.nullable().meta({ examples: ['2031-01-01T00:00:00Z'] }),
    fallback: null,
    description:
      'Pages and sitemaps that a sitemap dates before this instant are left out; those without a date are not. Null: none is left out.',
    flags: '--modified-since <instant>',
    help: 'leave out what a sitemap dates before this instant, such as 2031-01-01T00:00:00Z or 2031-01-01; pages without a date are taken',
    without: 'take all',
    form: 'day',
  }),
  traps: setting({
    schema: z.boolean(),
    fallback: true,
    description:
      'True: URLs of shapes that look like traps (calendars without end, session ids, generated mazes) go into quarantine. False: no URL does, and nothing is watched for it.',
    flags: '--traps <yes|no>',
    help: 'put URLs whose shapes look like traps into quarantine',
  }),
  soft404: setting({
    schema: z.boolean(),
    fallback: false,
    description:
      'True: hosts are asked for a made-up path, once a day at most, and for a second one if they answer it with a page. Pages that look like the answers go into quarantine, as do pages with a text that many pages of their host have. Holds for pages that are read from then on.',
    flags: '--soft-404 <yes|no>',
    help: 'ask each host for a made-up path or two, and put pages that look like the answers into quarantine',
  }),
  requisites: startSetting({
    schema: z.boolean(),
    fallback: false,
    description:
      'True: what pages need to be shown is fetched too: style sheets, scripts, pictures, fonts, sounds and films, also from hosts outside the scope, at their own pace and by their robots.txt. Such files are no pages, and no links are taken from them; exports as WARC and WACZ have them.',
    flags: '--requisites',
    help: 'fetch what pages need to be shown (style sheets, scripts, pictures), also from other hosts, so that an archive plays back whole',
  }),
  sessionLinks: setting({
    schema: z.boolean(),
    fallback: false,
    description:
      'For crawls whose `headers` have a Cookie or an Authorization. False: links that would end the session or change something (logout, delete, edit, add to cart and the like, in many languages, in the path or the query) are excluded with the reason `session-link`. True: they are followed. Seeds are exempt.',
    flags: '--session-links <yes|no>',
    help: 'with a Cookie or Authorization header: follow links that end the session or change something, such as logout, delete or edit',
  }),
  follow: startSetting({
    schema: z.boolean(),
    fallback: true,
    description:
      'False: no links of pages are followed, and no sitemap is read but a seed that is one; the seeds are fetched, and where they redirect to. The links are counted (`cut`).',
    flags: '--no-follow',
    help: 'fetch the URLs that are given, and where they redirect to: follow no links, read no sitemaps',
    without: 'links are followed',
  }),
};
