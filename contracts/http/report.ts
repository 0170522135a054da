/** The report of a crawl on the wire (F38). */
import { z } from 'zod';
import { urlReasons } from '../../domain/url-reason.ts';
import { crawlStates, urlStates } from '../crawl.ts';
import { counts, leftOut, lettersByClass } from './counts.ts';
import { crawlLabel, rejectedSeed } from './crawls.ts';
import { crawlTimeView } from './crawl-time.ts';
import { freshnessSample } from './freshness.ts';
import { count, instant } from './shared.ts';
import { stagesView } from './stages.ts';

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
    ms: ms.meta({ description: 'Milliseconds from sending the request to the end of the answer.' }),
  })
  .meta({ id: 'ReportUrl' });
export type ReportUrlLine = z.infer<typeof urlLine>;

const top = <T extends z.ZodType>(line: T) => z.array(line).max(20);

export const crawlReport = z
  .object({
    at: instant.meta({
      description: 'When the report was made. While the crawl runs, a later report has more.',
    }),
    crawl: z.object({
      id: z.string(),
      label: crawlLabel.nullable(),
      state: z.enum(crawlStates),
      reason: z.string().nullable().meta({ description: 'Why the crawl is in this state, in words.' }),
      createdAt: instant,
      startedAt: instant.nullable(),
      endedAt: instant.nullable(),
      seconds: z.number().nullable(),
    }),
    totals: counts.extend({
      forgotten: count.meta({
        description:
          'URLs that were gone for thirty days and have no record any more. `ledger` counts them as dead; the lists below do not.',
      }),
      hosts: count,
      pagesPerSecond: z.number().nullable(),
      duplicates: z.object({
        body: count.meta({ description: 'Pages with the same bytes as another page.' }),
        text: count.meta({ description: 'Pages with the same text as another page, in other markup.' }),
      }),
      seeds: z.object({ accepted: count, rejected: count }),
    }),
    time: crawlTimeView
      .pick({ seconds: true, summary: true, causes: true, hosts: true, eta: true })
      .meta({ description: 'Where the time of the crawl went; see GET /v1/crawls/{crawlId}/time.' }),
    stages: stagesView,
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
      .meta({ description: 'The first 100 rejected seeds; GET /v1/crawls/{crawlId}/seeds lists all.' }),
    hosts: z.object({ busiest: top(hostLine), failing: top(hostLine), slowest: top(hostLine) }),
    urls: z.object({ slowest: top(urlLine), biggest: top(urlLine) }),
    freshness: z.array(freshnessSample).meta({
      description:
        'Of a crawl that keeps its pages fresh: how fresh they were in the last day, the latest first.',
    }),
    rendering: z
      .object({
        waiting: count.meta({
          description: 'Pages that wait for a browser, or for files that their scripts asked for.',
        }),
        rendered: count.meta({ description: 'Pages that a browser has rendered.' }),
        kept: count.meta({ description: 'Pages that were to be rendered, and are as the server sent them.' }),
        rounds: count,
        words: count.meta({
          description: 'Words that rendered pages have beyond those that the server sent.',
        }),
        files: count.meta({ description: 'Files that limits have kept from these pages.' }),
      })
      .meta({ description: 'What browsers did for the crawl.' }),
    keptBack: leftOut.shape.keptBack,
    cut: leftOut.shape.cut,
    of: z
      .object({
        states: count,
        statuses: count,
        types: count,
        depths: count,
        languages: count,
        hosts: z.object({ busiest: count, failing: count, slowest: count }),
        urls: z.object({ slowest: count, biggest: count }),
      })
      .meta({
        description: 'How many entries each complete list has; the lists above hold the first of them.',
      }),
  })
  .meta({ id: 'CrawlReport' });
export type CrawlReport = z.infer<typeof crawlReport>;

export const reportQuery = z.strictObject({
  format: z
    .enum(['json', 'html'])
    .optional()
    .meta({ description: 'Form of the report. Absent: the form that the Accept header prefers, else JSON.' }),
});
