/** The report of a crawl on the wire (F38). */
import { z } from 'zod';
import { urlReasons } from '../../domain/url-reason.ts';
import { crawlStates, urlStates } from '../crawl.ts';
import { counts, crawlLabel, leftOut, lettersByClass, rejectedSeed } from './crawls.ts';
import { count, instant } from './shared.ts';

const ms = z.int().min(0).nullable().meta({ description: 'Milliseconds; null: not known.' });

const hostLine = z
  .object({
    host: z.string(),
    urls: count,
    answered: count,
    lost: count.meta({ description: 'URLs that are dead or failed.' }),
    bytes: count,
    meanMs: ms,
  })
  .meta({ id: 'ReportHost' });
export type ReportHostLine = z.infer<typeof hostLine>;

const urlLine = z
  .object({
    url: z.string(),
    status: z.int().nullable(),
    contentType: z.string().nullable(),
    bytes: count,
    ms: ms.meta({ description: "From the request's leaving to the end of the answer." }),
  })
  .meta({ id: 'ReportUrl' });
export type ReportUrlLine = z.infer<typeof urlLine>;

const top = <T extends z.ZodType>(line: T) => z.array(line).max(20);

export const crawlReport = z
  .object({
    at: instant.meta({ description: 'When it was made: of a crawl that runs, later ones say more.' }),
    crawl: z.object({
      id: z.string(),
      label: crawlLabel.nullable(),
      state: z.enum(crawlStates),
      reason: z.string().nullable().meta({ description: 'Why it ended, or stands where it stands.' }),
      createdAt: instant,
      startedAt: instant.nullable(),
      endedAt: instant.nullable(),
      seconds: z.number().nullable(),
    }),
    totals: counts.extend({
      hosts: count,
      pagesPerSecond: z.number().nullable(),
      duplicates: z.object({
        body: count.meta({ description: 'With the same bytes as another page.' }),
        text: count.meta({ description: 'With the same text, in other markup.' }),
      }),
      seeds: z.object({ accepted: count, rejected: count }),
    }),
    states: z.array(
      z.object({ state: z.enum(urlStates), reason: z.enum(urlReasons).nullable(), urls: count }),
    ),
    statuses: z.array(z.object({ status: z.int(), urls: count, bytes: count })),
    types: z.array(z.object({ type: z.string(), urls: count, bytes: count })),
    depths: z.array(z.object({ depth: z.int(), urls: count })),
    languages: z.array(z.object({ language: z.string().nullable(), pages: count })),
    deadLetters: lettersByClass,
    rejectedSeeds: z
      .array(rejectedSeed)
      .max(100)
      .meta({ description: 'The first 100 of them; the list of seeds has all.' }),
    hosts: z.object({ busiest: top(hostLine), failing: top(hostLine), slowest: top(hostLine) }),
    urls: z.object({ slowest: top(urlLine), biggest: top(urlLine) }),
    cut: leftOut.shape.cut,
    of: z
      .object({
        ...{ states: count, statuses: count, types: count, depths: count, languages: count },
        hosts: z.object({ busiest: count, failing: count, slowest: count }),
        urls: z.object({ slowest: count, biggest: count }),
      })
      .meta({
        description: 'How many entries each list would have in full: those here are the first of them.',
      }),
  })
  .meta({ id: 'CrawlReport' });
export type CrawlReport = z.infer<typeof crawlReport>;

export const reportQuery = z.strictObject({
  format: z
    .enum(['json', 'html'])
    .optional()
    .meta({ description: 'Default: what the Accept header prefers, else JSON.' }),
});
