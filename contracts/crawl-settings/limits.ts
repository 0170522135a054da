/** Limits of a crawl, and what ends it. */
import { z } from 'zod';
import { finishCriteria } from '../http/finish.ts';
import { keepFresh } from '../http/keep-fresh.ts';
import { wholeNumber } from '../http/shared.ts';
import { setting } from './setting.ts';

export const limits = {
  maxPages: setting({
    schema: wholeNumber(1, 1e12).nullable(),
    fallback: null,
    description: 'Largest number of pages to fetch; null: no limit.',
    flags: '--max-pages <n>',
    help: 'fetch at most this many pages',
    without: 'no limit',
  }),
  maxDepth: setting({
    schema: wholeNumber(0, 30_000).nullable(),
    fallback: null,
    description: 'Largest number of links from a seed (a seed has depth 0); null: no limit.',
    flags: '--max-depth <n>',
    help: 'follow at most this many links from a seed; 0: fetch the seeds only',
    without: 'no limit',
  }),
  maxSeconds: setting({
    schema: z.number().positive().max(1e9).nullable(),
    fallback: null,
    description: 'Seconds after its start at which the crawl stops fetching; null: no limit.',
    flags: '--max-seconds <n>',
    help: 'crawl for at most this many seconds',
    without: 'no limit',
    unit: 'seconds',
  }),
  finish: setting({
    schema: finishCriteria.nullable(),
    fallback: null,
    flags: '--finish <json>',
    help: 'when the crawl ends: JSON, or a file that holds JSON, such as \'{"any": [{"pages": 1000}]}\'',
    without: 'when nothing is left to fetch',
    form: 'json',
  }),
  keepFresh: setting({
    schema: keepFresh.nullable(),
    fallback: null,
    flags: '--keep-fresh [json]',
    help: 'go on when all is fetched, and fetch pages again as they become due: requests a day at most, or JSON, or a file that holds JSON, such as \'{"requestsPerDay": 5000, "share": 90, "withinSeconds": 86400}\'',
    without: 'fetch each URL once',
    form: 'json-or-count',
  }),
  maxRedirects: setting({
    schema: wholeNumber(0, 10),
    fallback: 5,
    description:
      'Largest number of redirects in a row that are followed; a URL that redirects after as many fails with the reason `too-many-redirects`.',
    flags: '--max-redirects <n>',
    help: 'follow at most this many redirects in a row, up to 10',
  }),
  maxPagesPerHost: setting({
    schema: wholeNumber(1, 1e12),
    fallback: 100_000,
    description:
      'Largest number of URLs of one host; further URLs are excluded with the reason `host-limit`.',
    flags: '--max-pages-per-host <n>',
    help: 'take at most this many URLs of a host',
  }),
};
