/** Hosts and their settings by an operator (F05, F18) on the wire: what the API takes and answers. */
import { z } from 'zod';
import { hostStandings } from '../domain/host-standing.ts';
import { maxConcurrency, maxDelayFactor } from '../domain/pace.ts';
import { maxPatternLength, validatePattern } from '../domain/pattern.ts';
import { canonicalize } from '../domain/url.ts';
import { weekDays, windowsProblem } from '../domain/windows.ts';
import { crawlStates } from './crawl.ts';
import { count, instant, limit, nextCursor, wholeNumber, words } from './http/shared.ts';

/** Read into the form that it has in URLs: lower case, without the usual port. */
export const hostOrigin = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const read = canonicalize(text);
    if (read.ok && /^https?:\/\/[^/?#@\\]+\/?$/i.test(text.trim())) return read.value.host;
    const shown = JSON.stringify(text.slice(0, 100));
    context.addIssue({ code: 'custom', message: `${shown} is no origin such as https://example.com:8443` });
    return z.NEVER;
  })
  .meta({
    description: 'Scheme and authority, percent-encoded in paths.',
    examples: ['https://example.com'],
  });
export const hostPath = z.strictObject({ origin: hostOrigin });

const timeOfDay = z.string().regex(/^\d\d:\d\d$/, 'not a time such as 22:00');

const windows = z
  .strictObject({
    timeZone: z
      .string()
      .max(100)
      .meta({ description: 'A name of the IANA database.', examples: ['Europe/Berlin'] }),
    open: z
      .array(
        z.strictObject({
          days: z.array(z.enum(weekDays)).max(7).meta({ description: 'The days on which it begins.' }),
          from: timeOfDay,
          to: timeOfDay.meta({ description: 'To 24:00; before `from`: it ends on the next day.' }),
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
      'Weekly opening times on the clocks of a time zone. An hour that is skipped when clocks are set opens nothing; one that comes twice is open both times.',
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
      description: 'Seconds between requests, for hosts one owns; null: robots.txt, crawls and default.',
    }),
  concurrency: z.int().min(1).max(maxConcurrency).nullable().meta({
    description: 'Requests in flight at most, for hosts one owns; null: 1. They start a delay apart.',
  }),
  windows: windows.nullable().meta({ description: 'When it may be crawled; null: always.' }),
  quotaPerDay: z.int().min(1).max(1e9).nullable().meta({
    description:
      "Requests a day, robots.txt included, of all crawls together; the day is that of the windows' time zone, else UTC. null: 100,000.",
  }),
  delayFactor: z.number().positive().max(maxDelayFactor).nullable().meta({
    description:
      'The delay is at least this many times what the last answer took (up to five minutes); null: as its crawls say.',
  }),
};

const hostSettings = z.object(settingFields).meta({ id: 'HostSettings' });
export type HostSettings = z.infer<typeof hostSettings>;
export const hostSettingNames = hostSettings.keyof().options;

/** Fields that are not given stay as they are; null takes a setting back. */
export const hostSettingsChange = z
  .strictObject(settingFields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'nothing is to be changed')
  .meta({ id: 'HostSettingsChange' });
export type HostSettingsChange = z.infer<typeof hostSettingsChange>;

const hostSummary = z
  .object({
    origin: z.string(),
    state: z.enum(hostStandings).meta({
      description:
        'paused: by an operator; parked: retries spent; backoff: left alone after trouble; closed: by its windows or quota; active: has a workflow; idle: nothing is due.',
    }),
    settings: hostSettings,
    queued: count.meta({ description: 'URLs of all crawls.' }),
    leased: count,
    deadLetters: count,
    parkedAt: instant.nullable(),
    failures: count.meta({ description: 'In a row.' }),
    failingSince: instant.nullable(),
    lastError: z.string().nullable(),
    slowdown: count.meta({ description: 'How often its delay was doubled, at present.' }),
    delaySeconds: z.number().meta({
      description:
        'The delay in force: what the last visit went by, with its setting and the doublings of now.',
    }),
    notBefore: instant
      .nullable()
      .meta({ description: 'No request before this: pace, Retry-After, backoff; null: it may be asked.' }),
    closedBy: z.enum(['windows', 'quota']).nullable(),
    opensAt: instant.nullable().meta({ description: 'Where it is closed: when it opens.' }),
    today: z
      .object({
        day: z.string().meta({ description: 'As in 2026-03-29.' }),
        requests: count.meta({ description: 'Sent by slices that are over.' }),
        reserved: count.meta({
          description:
            'What the slice under way may send of the quota, or what one that a crash ended may have sent.',
        }),
        quota: count,
      })
      .meta({ description: 'Requests of the day.' }),
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
          weight: z.number().meta({ description: 'Turns it gets where one of weight 1 gets one.' }),
        }),
      )
      .meta({ description: 'Crawls with work here.' }),
  })
  .meta({ id: 'Host' });
export type HostView = z.infer<typeof hostView>;

export const defaultHostLimit = 100;
export const hostsQuery = z.strictObject({
  state: z.enum(hostStandings).optional(),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not one that this API gave')
    .optional()
    .meta({ description: '`next` of the answer before.' }),
  limit: limit(1_000, defaultHostLimit),
});
export const hostList = z.object({ items: z.array(hostSummary), next: nextCursor }).meta({ id: 'HostList' });

// What an operator does to hosts (F18) --------------------------------------------------------------------------------

/** retry: forget trouble and parking, try now; pause: send nothing until resume; drop: exclude the queued URLs. */
export const hostActions = ['retry', 'pause', 'resume', 'drop'] as const;
export type HostAction = (typeof hostActions)[number];

const actionReason = words(500)
  .optional()
  .meta({ description: 'Of a pause or a drop, for whoever looks later.' });
export const hostActionBody = z.strictObject({ reason: actionReason }).meta({ id: 'HostActionBody' });

export const hostActed = z
  .object({
    action: z.enum(hostActions),
    outcome: z.enum(['done', 'accepted', 'unchanged']).meta({
      description:
        'accepted: on record, and carried out as soon as a worker gets to it; unchanged: there was nothing to do.',
    }),
    dropped: count.meta({ description: 'URLs that a drop has excluded.' }),
    more: z.boolean().meta({ description: 'Of a drop: time was up; asked again it goes on.' }),
    host: hostView,
  })
  .meta({ id: 'HostActed' });
export type HostActed = z.infer<typeof hostActed>;

export const maxHostsAtOnce = 500;
export const hostBulk = z
  .strictObject({
    action: z.enum(hostActions),
    state: z.enum(hostStandings).optional().meta({ description: 'Hosts in this state.' }),
    match: z
      .string()
      .superRefine((text, context) => {
        const problem = validatePattern(text);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      })
      .optional()
      .meta({
        maxLength: maxPatternLength,
        description: 'Hosts whose origin matches this glob; `*` stands for any run of characters.',
        examples: ['https://*.example.com'],
      }),
    reason: actionReason,
    dryRun: z.boolean().optional().meta({ description: 'Only tell which hosts it would be.' }),
    cursor: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'not one that this API gave')
      .optional()
      .meta({ description: '`next` of the answer before.' }),
    limit: wholeNumber(1, maxHostsAtOnce).optional().meta({ description: 'Hosts at most, 100 by default.' }),
  })
  .refine(({ state, match }) => state !== undefined || match !== undefined, 'give state, match or both')
  .meta({ id: 'HostBulk' });
export type HostBulk = z.infer<typeof hostBulk>;

export const hostsActed = z
  .object({
    action: z.enum(hostActions),
    hosts: z.array(z.string()).meta({ description: 'Origins it was done to, or would be.' }),
    unchanged: count.meta({ description: 'Hosts that were chosen and needed nothing.' }),
    dropped: count.meta({ description: 'URLs that a drop has excluded.' }),
    next: nextCursor.meta({ description: 'Give it as `cursor` to go on; null: those were all.' }),
  })
  .meta({ id: 'HostsActed' });
export type HostsActed = z.infer<typeof hostsActed>;
