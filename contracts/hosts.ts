/** Hosts and their settings by an operator (F05, F18) on the wire: what the API takes and answers. */
import { z } from 'zod';
import { hostStateNames, hostStates } from '../domain/host-state.ts';
import { maxConcurrency, maxDelayFactor } from '../domain/pace.ts';
import { homeReasons, regionName } from '../domain/regions.ts';
import { maxPatternLength, validatePattern } from '../domain/pattern.ts';
import { canonicalize } from '../domain/url.ts';
import { weekDays, windowsProblem } from '../domain/windows.ts';
import { crawlStates } from './crawl.ts';
import { outagesView } from './http/outages.ts';
import { count, instant, limit, nextCursor, wholeNumber, words } from './http/shared.ts';

/** Read into the form that it has in URLs: lower case, without the usual port. */
export const hostOrigin = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const read = canonicalize(text);
    if (read.ok && /^https?:\/\/[^/?#@\\]+\/?$/i.test(text.trim())) return read.value.host;
    const shown = JSON.stringify(text.slice(0, 100));
    context.addIssue({
      code: 'custom',
      message: `${shown} is not an origin such as https://example.com:8443`,
    });
    return z.NEVER;
  })
  .meta({
    description: 'Scheme and authority of a host. In a path it must be percent-encoded.',
    examples: ['https://example.com'],
  });
export const hostPath = z.strictObject({ origin: hostOrigin });

const timeOfDay = z.string().regex(/^\d\d:\d\d$/, 'not a time such as 22:00');

const windows = z
  .strictObject({
    timeZone: z
      .string()
      .max(100)
      .meta({ description: 'Name of a time zone in the IANA database.', examples: ['Europe/Berlin'] }),
    open: z
      .array(
        z.strictObject({
          days: z
            .array(z.enum(weekDays))
            .max(7)
            .meta({ description: 'The days on which the window begins.' }),
          from: timeOfDay,
          to: timeOfDay.meta({
            description:
              'When the window ends, 24:00 at most. If this is before `from`, the window ends on the next day.',
          }),
        }),
      )
      .max(100),
  })
  .superRefine((value, context) => {
    const problem = windowsProblem(value);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({
    id: 'Windows',
    description:
      'Hours of the week in which requests may be sent, by the clocks of a time zone. An hour that a clock change skips opens nothing; an hour that a clock change repeats is open both times.',
    examples: [{ timeZone: 'Europe/Berlin', open: [{ days: ['mon', 'tue'], from: '22:00', to: '06:00' }] }],
  });

const settingFields = {
  delaySeconds: z
    .number()
    .min(0)
    .max(86_400)
    // Kept to the millisecond.
    .overwrite((seconds) => Math.round(seconds * 1_000) / 1_000)
    .nullable()
    .meta({
      description:
        'Seconds between two requests, for a host that you own; null: robots.txt, the crawls and the default decide.',
    }),
  concurrency: z.int().min(1).max(maxConcurrency).nullable().meta({
    description:
      'Largest number of requests in flight, for a host that you own; null: 1. They start one delay apart.',
  }),
  windows: windows.nullable().meta({ description: 'When requests may be sent to the host; null: always.' }),
  quotaPerDay: z.int().min(1).max(1e9).nullable().meta({
    description:
      'Largest number of requests per day, those for robots.txt included, of all crawls together. The day is that of the time zone of the windows, else UTC. Null: 100,000.',
  }),
  delayFactor: z.number().positive().max(maxDelayFactor).nullable().meta({
    description:
      'The delay is at least this many times as long as the last answer took (five minutes at most); null: as the crawls say.',
  }),
  region: z.string().regex(regionName, 'not the name of a region').nullable().meta({
    description:
      'The region whose workers fetch from the host (ORBWEAVER_REGIONS); null: the name or the address of the host decides.',
  }),
};

const hostSettings = z.object(settingFields).meta({ id: 'HostSettings' });
export type HostSettings = z.infer<typeof hostSettings>;
export const hostSettingNames = hostSettings.keyof().options;

/** Fields that are not given stay as they are; null takes a setting back. */
export const hostSettingsChange = z
  .strictObject(settingFields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'give at least one field to change')
  .meta({ id: 'HostSettingsChange' });
export type HostSettingsChange = z.infer<typeof hostSettingsChange>;

const hostSummary = z
  .object({
    origin: z.string(),
    state: z.enum(hostStateNames).meta({
      description: `${hostStateNames.map((name) => `${name}: ${hostStates[name].means}`).join('; ')}.`,
    }),
    settings: hostSettings,
    queued: count.meta({ description: 'Queued URLs of all crawls.' }),
    leased: count,
    deadLetters: count,
    parkedAt: instant.nullable(),
    failures: count.meta({ description: 'Failures in a row.' }),
    failingSince: instant.nullable(),
    lastError: z.string().nullable(),
    slowdown: count.meta({ description: 'How many doublings of the delay are in force now.' }),
    delaySeconds: z.number().meta({
      description:
        'The delay in force: that of the last visit, with the present setting and the present doublings.',
    }),
    notBefore: instant.nullable().meta({
      description:
        'No request is sent before this time, because of the delay, a Retry-After or a backoff; null: a request may be sent now.',
    }),
    closedBy: z.enum(['windows', 'quota']).nullable(),
    opensAt: instant
      .nullable()
      .meta({ description: 'When a closed host opens; null: the host is not closed, or nobody knows.' }),
    today: z
      .object({
        day: z.string().meta({ description: 'The day, such as 2026-03-29.' }),
        requests: count.meta({ description: 'Requests sent by slices that are over.' }),
        reserved: count.meta({
          description:
            'Requests that the slice under way may still send, or that a slice which ended in a crash may have sent. They count against the quota.',
        }),
        quota: count,
      })
      .meta({ description: 'Requests of this day.' }),
    quality: z
      .object({
        value: z
          .number()
          .min(0)
          .max(1)
          .meta({ description: 'From 0 to 1; 1 for a host that nobody has looked at.' }),
        pinned: z.boolean().meta({ description: 'True: an operator has set it.' }),
        leftForLater: z.boolean().meta({
          description:
            'True: more than half of the requests of late have failed, so only a few are sent each day, until fewer than 30 % fail.',
        }),
        requestsPerDay: count.nullable().meta({
          description:
            'Requests a day that this quality leaves the host, unless a quota is set; null: as many as any host. What is beyond them waits for the next day.',
        }),
        authority: z.enum(['always', 'of-seeds', 'never']).meta({
          description:
            'Whether the host waits among the hosts of authority, which get 60 % of the places: always (well ranked or linked from many hosts, and good), only for crawls whose seeds name it, or never (poor or left for later).',
        }),
      })
      .meta({ description: 'How good the host is; `GET /v1/hosts/{origin}/quality` has the details.' }),
    region: z
      .object({
        name: z.string(),
        by: z.enum(homeReasons).meta({
          description:
            'What has told it: setting (of the host), name (its end), address (by the GeoIP file), or default (nothing has).',
        }),
        of: z.string().nullable().meta({ description: 'The end of the name, or the place of the address.' }),
        fetchedFrom: z.string().meta({
          description: 'The region whose workers fetch now: another while this one has no worker at work.',
        }),
      })
      .nullable()
      .meta({ description: 'The region of the host; null: the instance has no regions.' }),
  })
  .meta({ id: 'HostSummary' });
export type HostSummary = z.infer<typeof hostSummary>;

export const hostView = hostSummary
  .extend({
    crawls: z
      .array(
        z.object({
          crawlId: z.string(),
          state: z.enum(crawlStates),
          queued: count,
          leased: count,
          weight: z.number().meta({
            description: 'Turns that this crawl gets at the host for each turn of a crawl with weight 1.',
          }),
        }),
      )
      .meta({ description: 'Crawls that have work at the host.' }),
  })
  .meta({ id: 'Host' });
export type HostView = z.infer<typeof hostView>;

export const hostChanged = hostView
  .extend({
    woken: z.boolean().meta({
      description:
        "True: the host's workflow has been woken. False: Temporal did not answer; the change holds, and takes effect when the workflow wakes up by itself.",
    }),
  })
  .meta({ id: 'HostChanged' });
export type HostChanged = z.infer<typeof hostChanged>;

const originPattern = z
  .string()
  .superRefine((text, context) => {
    const problem = validatePattern(text);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({
    maxLength: maxPatternLength,
    description: 'Hosts whose origin matches this glob; `*` stands for any run of characters.',
    examples: ['https://*.example.com'],
  });

export const defaultHostLimit = 100;
/** Hosts that one answer looks at, at most: a pattern may fit few of many. */
export const mostHostsLooked = 5_000;
export const hostsQuery = z.strictObject({
  state: z.enum(hostStateNames).optional(),
  match: originPattern.optional(),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not a cursor that this API gave')
    .optional()
    .meta({ description: '`next` of the previous answer.' }),
  limit: limit(1_000, defaultHostLimit),
});
export const hostList = z
  .object({
    items: z.array(hostSummary),
    outages: outagesView,
    next: nextCursor.meta({
      description: `Give this value as \`cursor\` to go on; null: there are no more hosts. With \`match\`, one answer looks at ${String(mostHostsLooked)} hosts, so that it may have few and more follow.`,
    }),
  })
  .meta({ id: 'HostList' });

// What an operator does to hosts (F18) --------------------------------------------------------------------------------

/** retry: forget trouble and parking, try now; pause: send nothing until resume; drop: exclude the queued URLs. */
export const hostActions = ['retry', 'pause', 'resume', 'drop'] as const;
export type HostAction = (typeof hostActions)[number];

const actionReason = words(500)
  .optional()
  .meta({ description: 'Why a host is paused or dropped; shown to people who look at it later.' });
export const hostActionBody = z.strictObject({ reason: actionReason }).meta({ id: 'HostActionBody' });

export const hostActed = z
  .object({
    action: z.enum(hostActions),
    outcome: z.enum(['done', 'accepted', 'unchanged']).meta({
      description:
        'done: the action is carried out; accepted: the action is stored, and a worker will carry it out; unchanged: there was nothing to do.',
    }),
    dropped: count.meta({ description: 'URLs that a drop excluded.' }),
    more: z
      .boolean()
      .meta({ description: 'True: the drop ran out of time. Send the same request again to go on.' }),
    host: hostView,
  })
  .meta({ id: 'HostActed' });
export type HostActed = z.infer<typeof hostActed>;

export const maxHostsAtOnce = 500;
export const hostBulk = z
  .strictObject({
    action: z.enum(hostActions),
    state: z.enum(hostStateNames).optional().meta({ description: 'Hosts in this state.' }),
    match: originPattern.optional(),
    reason: actionReason,
    dryRun: z.boolean().optional().meta({ description: 'True: only say which hosts would be changed.' }),
    cursor: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'not a cursor that this API gave')
      .optional()
      .meta({ description: '`next` of the previous answer.' }),
    limit: wholeNumber(1, maxHostsAtOnce)
      .optional()
      .meta({ description: 'Largest number of hosts in one answer; 100 by default.' }),
  })
  .refine(({ state, match }) => state !== undefined || match !== undefined, 'give state, match or both')
  .meta({ id: 'HostBulk' });
export type HostBulk = z.infer<typeof hostBulk>;

export const hostsActed = z
  .object({
    action: z.enum(hostActions),
    hosts: z
      .array(z.string())
      .meta({ description: 'Origins of the hosts that were changed, or with dryRun would be.' }),
    unchanged: count.meta({ description: 'Chosen hosts for which there was nothing to do.' }),
    dropped: count.meta({ description: 'URLs that a drop excluded.' }),
    next: nextCursor.meta({
      description: 'Give this value as `cursor` to go on; null: there are no more hosts.',
    }),
  })
  .meta({ id: 'HostsActed' });
export type HostsActed = z.infer<typeof hostsActed>;
