/** The environment a child process gets: settings by name, and of our own environment only what is not a setting. */
import type { Config } from './config.ts';
import type { Environment } from './folders.ts';
import { settings } from './table.ts';

const foreign = (env: Environment, drop: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !entry[0].startsWith('ORBWEAVER_') && !drop(entry[0]),
    ),
  );

/**
 * For a program that is not ours (Postgres, Temporal, Redis). The variables those programs would take settings from
 * are left out: what runs must depend on the data folder and our settings only.
 */
export const programEnvironment = (env: Environment = process.env): Record<string, string> =>
  foreign(env, (name) => /^(PG|TEMPORAL_|LC_|LANG$|LANGUAGE$|TZ$|NODE_OPTIONS$)/.test(name));

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/** For a worker or API process: `loadConfig` there gives back this very config. Holds secrets. */
export const serviceEnvironment = (
  config: Config,
  env: Environment = process.env,
): Record<string, string> => ({
  ...foreign(env, () => false),
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([key, row]) => {
      const value: unknown = config[key as keyof Config];
      return value === null || value === '' ? [] : [[row.name, asText(value)]];
    }),
  ),
});
