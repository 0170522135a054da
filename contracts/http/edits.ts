/** Edits of a running crawl (G6): versions of its settings, previews, and how far a version has been applied. */
import { z } from 'zod';
import { excludedReasons } from '../../domain/url-reason.ts';
import { configFields, crawlConfig } from './crawls.ts';
import { asInteger, count, crawlId, instant, limit, nextCursor, words } from './shared.ts';

/** The settings that may change while a crawl runs; user agent, headers and allowed addresses may not. */
const live = z
  .strictObject(configFields)
  .omit({ userAgent: true, headers: true, allowPrivate: true, fresh: true })
  .partial();

const note = words(500)
  .meta({ description: 'Why the settings were changed. It is shown with the version.' })
  .optional();

export const crawlEdit = z.strictObject({ ...live.shape, note }).meta({
  id: 'CrawlEdit',
  description: 'Fields that are not given stay as they are; one that is given is replaced as a whole.',
  examples: [{ exclude: ['*/archive/*'], delaySeconds: 2, note: 'the archive is of no use' }],
});
export type CrawlEdit = z.infer<typeof crawlEdit>;

export const configRestore = z.strictObject({ note }).meta({ id: 'ConfigRestore' });

const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

export const editQuery = z.strictObject({
  dryRun: flag.meta({ description: 'true: answers what the edit would do, and changes nothing.' }),
});

const version = z.int().min(1);

export const configVersion = z
  .object({
    crawlId: z.string(),
    version,
    createdAt: instant,
    author: z.string().nullable().meta({ description: 'Key or token; null: it was made with the crawl.' }),
    note: z.string().nullable(),
    restores: version.nullable().meta({ description: 'The version whose settings these are again.' }),
    config: crawlConfig,
    effect: z
      .object({
        state: z.enum(['pending', 'applied', 'superseded', 'stopped']).meta({
          description:
            'pending: the frontier is being judged by it; superseded: a later version came before that had ended; stopped: the crawl ended before.',
        }),
        judged: count.meta({ description: 'URLs looked at: queued, or excluded by a rule.' }),
        excluded: count.meta({ description: 'Of them: queued until then.' }),
        readmitted: count.meta({ description: 'Of them: queued again.' }),
        pagesReread: count.meta({ description: 'Stored pages whose links were judged anew.' }),
        admitted: count.meta({ description: 'URLs these brought that were queued.' }),
        endedAt: instant.nullable(),
      })
      .meta({ description: 'How far it has been applied to what the crawl had.' }),
  })
  .meta({ id: 'ConfigVersion' });
export type ConfigVersion = z.infer<typeof configVersion>;

export const editPreview = z
  .object({
    judged: count.meta({ description: 'URLs looked at: queued, or excluded by a rule.' }),
    queued: count.meta({ description: 'Of them: queued now.' }),
    excluded: count.meta({ description: 'Queued now, and excluded then.' }),
    readmitted: count.meta({ description: 'Excluded by a rule now, and queued then.' }),
    links: count.nullable().meta({
      description:
        'Links of stored pages that would come into the crawl; null: the scope stays, so there are none.',
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
      .meta({ description: 'The 100 that move most; `readmitted`: of those the rule keeps out now.' }),
    byHost: z
      .array(z.object({ origin: z.string(), excluded: count, readmitted: count }))
      .meta({ description: 'The 100 at which most is moved.' }),
    complete: z.boolean().meta({ description: 'false: there was too much to look at all of it in time.' }),
  })
  .meta({ id: 'EditPreview' });
export type EditPreview = z.infer<typeof editPreview>;

const versionText = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'a version')
  .meta(asInteger(1, 999_999_999));

export const versionPath = z.strictObject({ crawlId, version: versionText });
export const defaultVersionLimit = 20;
export const versionsQuery = z.strictObject({
  cursor: versionText.optional().meta({ description: '`next` of the answer before.' }),
  limit: limit(100, defaultVersionLimit),
});
export const versionList = z
  .object({ items: z.array(configVersion), next: nextCursor })
  .meta({ id: 'ConfigVersionList' });
