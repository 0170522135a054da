/** Settings of a crawl on the wire, made from the list in contracts/crawl.ts. */
import { z } from 'zod';
import { hiddenValue } from '../../domain/request-headers.ts';
import { liveSettings, settingFamilies, settingNames, settings, type Settings } from '../crawl.ts';

const fieldsOf = <F extends keyof Settings>(names: readonly F[]) =>
  Object.fromEntries(
    names.map((name) => {
      const { schema, description } = settings[name];
      const family = Object.keys(settingFamilies).find((each) => name in (settingFamilies[each] ?? {}));
      const told = { ...schema.meta(), 'x-family': family };
      return [name, schema.meta(description === undefined ? told : { ...told, description })];
    }),
  ) as { [N in F]: Settings[N]['schema'] };

export const configFields = fieldsOf(settingNames);

/** The settings of a crawl, each optional; `default` says what holds for a setting that is not given. */
export const crawlSettings = z
  .strictObject(
    Object.fromEntries(
      settingNames.map((name) => {
        const schema = configFields[name];
        return [name, schema.meta({ ...schema.meta(), default: settings[name].fallback })];
      }),
    ) as typeof configFields,
  )
  .partial();
export type CrawlSettings = z.infer<typeof crawlSettings>;

/** The settings that may change while a crawl runs, each optional. */
export const changedSettings = z.strictObject(fieldsOf(liveSettings)).partial();

/** As it is shown: the values of headers are hidden. */
export const crawlConfig = z
  .object({ ...configFields, headers: z.record(z.string(), z.literal(hiddenValue)) })
  .meta({ id: 'CrawlConfig' });
