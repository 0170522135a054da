/** Edits of a running crawl (G6): versions of its settings, previews, and how far a version has been applied. */
import { z } from 'zod';
import { limitEndings } from '../../domain/crawl-life.ts';
import { excludedReasons } from '../../domain/url-reason.ts';
import { changedSettings, crawlConfig } from './crawl-settings.ts';
import { asInteger, count, crawlId, instant, limit, nextCursor, words } from './shared.ts';

const note = words(500)
  .meta({ description: 'Why the settings were changed. It is shown with the version.' })
  .optional();

const mayEnd = z
  .boolean()
  .meta({
    description:
      'true: the edit is made also if it ends the crawl, because the crawl has reached a limit of the new settings already. Otherwise such an edit is refused (409).',
  })
  .optional();

export const crawlEdit = z.strictObject({ ...changedSettings.shape, note, mayEnd }).meta({
  id: 'CrawlEdit',
  description:
    'A field that is given replaces the old value as a whole; fields that are not given stay as they are.',
  examples: [{ exclude: ['*/archive/*'], delaySeconds: 2, note: 'the archive is of no use' }],
});
export type CrawlEdit = z.infer<typeof crawlEdit>;

export const configRestore = z.strictObject({ note, mayEnd }).meta({ id: 'ConfigRestore' });

const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

export const editQuery = z.strictObject({
  dryRun: flag.meta({ description: 'true: the answer says what the edit would do, and nothing is changed.' }),
});

const version = z.int().min(1);

export const configVersion = z
  .object({
    crawlId: z.string(),
    version,
    createdAt: instant,
    author: z.string().nullable().meta({
      description:
        'The key or token that made the version; null: the version was made together with the crawl.',
    }),
    note: z.string().nullable(),
    restores: version.nullable().meta({
      description: 'The earlier version whose settings this version has again; null: it restores none.',
    }),
    config: crawlConfig,
    effect: z
      .object({
        state: z.enum(['pending', 'applied', 'superseded', 'stopped']).meta({
          description:
            'pending: the version is being applied to the URLs that the crawl already has; applied: that is done; superseded: a later version was made before that was done; stopped: the crawl ended before that was done.',
        }),
        judged: count.meta({
          description: 'URLs that were looked at: those that are queued, and those that a rule excludes.',
        }),
        excluded: count.meta({ description: 'How many of them were queued and are excluded now.' }),
        readmitted: count.meta({ description: 'How many of them were excluded and are queued again.' }),
        pagesReread: count.meta({ description: 'Stored pages whose links were judged again.' }),
        admitted: count.meta({ description: 'URLs that were queued because of links in those pages.' }),
        endedAt: instant.nullable(),
      })
      .meta({ description: 'How far the version has been applied to the URLs that the crawl already had.' }),
  })
  .meta({ id: 'ConfigVersion' });
export type ConfigVersion = z.infer<typeof configVersion>;

export const editPreview = z
  .object({
    judged: count.meta({
      description: 'URLs that were looked at: those that are queued, and those that a rule excludes.',
    }),
    queued: count.meta({ description: 'How many of them are queued now.' }),
    excluded: count.meta({ description: 'URLs that are queued now and would be excluded.' }),
    readmitted: count.meta({ description: 'URLs that a rule excludes now and that would be queued again.' }),
    links: count.nullable().meta({
      description:
        'Links in stored pages that would be added to the crawl; null: the scope stays the same, so no link would be added.',
    }),
    ends: z.enum(limitEndings).nullable().meta({
      description:
        'The limit by which the edit would end the crawl at once, so that everything that is queued is excluded; null: it would not.',
    }),
    goesOn: z.boolean().meta({
      description:
        'true: the crawl had ended at a limit, and would go on: the URLs that the limit had cut off would be queued again.',
    }),
    byRule: z
      .array(
        z.object({
          reason: z.enum(excludedReasons),
          rule: z.string().nullable(),
          excluded: count,
          readmitted: count,
        }),
      )
      .meta({
        description:
          'The 100 rules that move the most URLs. `excluded`: URLs that the rule would exclude; `readmitted`: URLs that the rule excludes now and that would be queued again.',
      }),
    byHost: z
      .array(z.object({ origin: z.string(), excluded: count, readmitted: count }))
      .meta({ description: 'The 100 hosts at which the most URLs are moved.' }),
    complete: z.boolean().meta({
      description:
        'false: there were too many URLs to look at all of them in time, so the true numbers are at least these.',
    }),
  })
  .meta({ id: 'EditPreview' });
export type EditPreview = z.infer<typeof editPreview>;

const versionText = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'not the number of a version')
  .meta(asInteger(1, 999_999_999));

export const versionPath = z.strictObject({ crawlId, version: versionText });
export const defaultVersionLimit = 20;
export const versionsQuery = z.strictObject({
  cursor: versionText.optional().meta({ description: '`next` of the previous answer.' }),
  limit: limit(100, defaultVersionLimit),
});
export const versionList = z
  .object({ items: z.array(configVersion), next: nextCursor })
  .meta({ id: 'ConfigVersionList' });
