/** Where the time of a crawl goes, which hosts hold it up, and when it will be over (G14), on the wire. */
import { z } from 'zod';
import { timeCauseNames } from '../../domain/time-lost.ts';
import { crawlStates } from '../crawl.ts';
import { outagesView } from './outages.ts';
import { count, instant } from './shared.ts';
import { stagesView } from './stages.ts';

const cause = z.enum(timeCauseNames as [string, ...string[]]).meta({
  description: 'Why time went by: a code that programs can decide by.',
});
const seconds = z.number().min(0);

const timeCause = z
  .object({
    cause,
    blame: z.enum(['host', 'settings', 'ours']).meta({
      description:
        'Who can change it. host: the hosts and what they ask for; settings: the settings of the crawl or of hosts; ours: this installation.',
    }),
    seconds: seconds.meta({ description: 'Host-seconds.' }),
    share: z.number().min(0).max(1).meta({ description: 'Share of all host-seconds.' }),
    means: z.string().meta({ description: 'The cause in words.' }),
  })
  .meta({ id: 'TimeCause' });

const holdingHost = z
  .object({
    origin: z.string(),
    left: count.meta({ description: 'URLs of this crawl that are queued or in hand at the host.' }),
    cause: cause.meta({
      description: 'What holds the host up now, or else what took most of its time so far.',
    }),
    because: z.string().meta({ description: 'One sentence for people.' }),
    seconds: seconds.meta({ description: 'Seconds since the crawl has had work at the host.' }),
    causes: z
      .record(z.string(), seconds)
      .meta({ description: 'These seconds by cause; causes without any are left out.' }),
    secondsEach: seconds.meta({ description: 'Seconds that a URL takes there.' }),
    until: instant
      .nullable()
      .meta({ description: 'The host is not asked before; null: it may be asked now, or nobody knows.' }),
    secondsLeft: seconds.nullable().meta({
      description:
        'Until the URLs that are left are done; null: never, unless somebody acts, not within years, or not known, because the host asked for a pause until `until`.',
    }),
  })
  .meta({ id: 'HoldingHost' });

export const crawlEta = z
  .object({
    seconds: seconds
      .nullable()
      .meta({ description: 'Null: never, unless somebody acts, not within years, or not known.' }),
    at: instant.nullable(),
    by: z.enum(['host', 'backoff', 'throughput', 'page-limit', 'time-limit', 'outage']).meta({
      description:
        'What decides it: the host that takes longest; that host, while it has the pause that it asked for, and nobody knows how fast it can be asked then (backoff); the present throughput, if most of the time is lost to this installation; a limit of the crawl; or an outage of this installation.',
    }),
    because: z.string().meta({ description: 'One sentence for people.' }),
    assumes: z
      .array(z.string())
      .meta({ description: 'What the estimate takes for granted, a sentence each.' }),
  })
  .meta({ id: 'CrawlEta' });

export const crawlTimeView = z
  .object({
    crawlId: z.string(),
    at: instant,
    state: z.enum(crawlStates),
    seconds: seconds.meta({
      description:
        'Host-seconds: for each host, the time in which the crawl had work there, without its pauses. Each second has one cause. What visits did in the last ten seconds may not be counted yet.',
    }),
    summary: z.string().meta({ description: 'The answer in one or two sentences.' }),
    causes: z.array(timeCause).meta({ description: 'Causes that took time, the largest first.' }),
    looked: z.object({ hosts: count, of: count }).meta({ id: 'LookedAt' }).nullable().meta({
      description:
        'What hosts wait for now was looked up at `hosts` of the `of` hosts with work, drawn by hashes, and is scaled up to all; null: at all of them. The times that visits have counted are always those of all hosts.',
    }),
    hosts: z.object({
      unfinished: count.meta({ description: 'Hosts with URLs left, apart from parked ones.' }),
      items: z.array(holdingHost).max(10).meta({
        description:
          'Up to ten hosts that hold the crawl up, the longest first. Parked hosts hold no crawl up.',
      }),
    }),
    stages: stagesView,
    outages: outagesView,
    eta: crawlEta.nullable().meta({ description: 'Null: the crawl is not running, or nothing is left.' }),
  })
  .meta({ id: 'CrawlTime' });
export type CrawlTimeView = z.infer<typeof crawlTimeView>;
