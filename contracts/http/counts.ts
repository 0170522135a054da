/** Counts on the wire: the ledger of a crawl, what it fetched, what it left out and what it gave up. */
import { z } from 'zod';
import { deadLetterClasses } from '../../domain/dead-letter.ts';
import { cutKinds } from '../../domain/limits.ts';
import { excludedReasons } from '../../domain/url-reason.ts';
import { urlStates } from '../crawl.ts';
import { count } from './shared.ts';

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

const rateOf = (what: string) => z.number().meta({ description: `URLs a second ${what}.` });

export const crawlRate = z
  .object({
    perSecond: z.number().meta({
      description:
        'URLs answered per second, over the last ten seconds, or over the latest thousand of them.',
    }),
    statuses: z
      .object({
        '2xx': rateOf('that were answered with what they name'),
        '3xx': rateOf('that were answered with a redirect, or with 304: not modified'),
        '4xx': rateOf('that the server refused to give, or did not have'),
        '5xx': rateOf('on which the server failed'),
      })
      .meta({ description: 'The same by the class of the status. What got no answer is not among them.' }),
  })
  .meta({ id: 'CrawlRate' });
export type CrawlRate = z.infer<typeof crawlRate>;

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
  keptBack: count.meta({
    description:
      'Parts of sites that are in quarantine as traps: their URLs are not fetched, and what lies behind them is not known.',
  }),
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
