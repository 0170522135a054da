/**
 * Settings of a process: read once at its start, typed and frozen. Nothing else in the project reads the environment.
 * A setting comes from the environment, else from the settings file (ORBWEAVER_CONFIG), else from its default.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { nearName } from '../domain/near-name.ts';
import { readRegions, type Regions } from '../domain/regions.ts';
import type { Environment } from './folders.ts';
import { version } from './package.ts';
import { settingsFileName, settings } from './table.ts';
import type { Setting } from './settings/setting.ts';

type Value<S> = S extends { schema: z.ZodType<infer T>; fallback: infer F }
  ? F extends null
    ? T | null
    : T
  : never;
type Settings = { readonly [K in keyof typeof settings]: Value<(typeof settings)[K]> };

export type Config = Readonly<
  Omit<Settings, 'blobDir' | 'exportDir' | 'userAgent'> & {
    blobDir: string;
    exportDir: string;
    userAgent: string;
  }
>;

/** A process that works on an existing stack, embedded or not: its addresses are known. */
export type ServiceConfig = Config & { readonly databaseUrl: string; readonly temporalAddress: string };

/** One sentence a person can act on: which setting, what is wrong, what would be right. Never holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const prefix = 'ORBWEAVER_';
const knownNames: readonly string[] = [settingsFileName, ...Object.values(settings).map((row) => row.name)];

const refuseUnknown = (names: readonly string[], where: string): void => {
  const unknown = names.find((name) => !knownNames.includes(name));
  if (unknown === undefined) return;
  const near = nearName(unknown, knownNames, 6);
  const hint = near === null ? '; docs/settings.md lists all settings.' : `; did you mean ${near}?`;
  throw new ConfigError(`${where}: there is no setting ${unknown}${hint}`);
};

const fileShape = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]),
);

const readSettingsFile = (file: string): Environment => {
  const where = `Settings file ${file}`;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(
      `${where} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const parsed = fileShape.safeParse(content);
  if (!parsed.success)
    throw new ConfigError(`${where} must hold one JSON object of names with text, numbers or lists.`);
  if (settingsFileName in parsed.data)
    throw new ConfigError(`${where}: ${settingsFileName} cannot name another settings file.`);
  refuseUnknown(Object.keys(parsed.data), where);
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : String(value),
    ]),
  );
};

const readSetting = (row: Setting<unknown>, given: string | undefined, env: Environment): unknown => {
  const fallback = typeof row.fallback === 'function' ? row.fallback(env) : row.fallback;
  const source = given ?? fallback;
  if (source === null) return null;
  const parsed = row.schema.safeParse(source);
  if (parsed.success) return parsed.data;
  const shown = row.secret === true ? '' : ` (it is "${source}")`;
  throw new ConfigError(`${row.name} ${parsed.error.issues[0]?.message ?? 'is not valid'}${shown}.`);
};

/**
 * Reads all settings.
 * @param env the environment; an empty value counts as absent
 * @throws ConfigError at the first setting that is unknown or not valid
 */
export const loadConfig = (env: Environment = process.env): Config => {
  refuseUnknown(
    Object.keys(env).filter((name) => name.startsWith(prefix)),
    'Environment',
  );
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const file = present[settingsFileName];
  const given: Environment = {
    ...(file === undefined ? {} : readSettingsFile(path.resolve(file))),
    ...present,
  };
  const values = Object.fromEntries(
    Object.entries(settings).map(([key, row]) => [key, readSetting(row, given[row.name], env)]),
    // The table is the type: each key's value was parsed by the schema the type is taken from.
  ) as Settings;
  regionsOf(values);
  const about = values.crawlerUrl === null ? 'polite crawler' : `+${values.crawlerUrl}`;
  return Object.freeze({
    ...values,
    blobDir: values.blobDir ?? path.join(values.dataDir, 'blobs'),
    exportDir: values.exportDir ?? path.join(values.dataDir, 'exports'),
    userAgent: values.userAgent ?? `Orbweaver/${version} (${about})`,
  });
};

/** Caps on addresses and domains for which operators have set none. */
export const capDefaultsOf = (config: Config) => ({
  address: capOf(config.addressRate, config.addressInFlight),
  domain: capOf(config.domainRate, config.domainInFlight),
  ofPrivate: config.capPrivate === 'on',
});

const capOf = (rate: number | null, inFlight: number | null) => (rate === null ? null : { rate, inFlight });

/** The regions of the instance, and those in which this process fetches; null: it has none. @throws ConfigError */
export function regionsOf(
  config: Pick<Config, 'regions' | 'region' | 'regionPlaces' | 'geoipFile' | 'regionTakeOverSeconds'>,
): { readonly all: Regions; readonly own: readonly string[] } | null {
  const { regions, region, regionPlaces, geoipFile, regionTakeOverSeconds } = config;
  const refuse = ({ name }: { readonly name: string }, problem: string): never => {
    throw new ConfigError(`${name} ${problem}.`);
  };
  if (regions === null) {
    const needs = `means nothing unless ${settings.regions.name} is set`;
    if (region !== null) refuse(settings.region, needs);
    if (regionPlaces !== null) refuse(settings.regionPlaces, needs);
    if (geoipFile !== null) refuse(settings.geoipFile, needs);
    return null;
  }
  const all = readRegions(regions, regionPlaces ?? '', regionTakeOverSeconds * 1_000);
  if ('problem' in all)
    return refuse(all.of === 'places' ? settings.regionPlaces : settings.regions, all.problem);
  const own = region ?? [...all.nearest.keys()];
  const stray = own.find((name) => !all.nearest.has(name));
  if (stray !== undefined)
    refuse(settings.region, `names ${stray}, which ${settings.regions.name} does not have`);
  return { all, own };
}

/** Where closed segments go; null: they stay in their folder. */
export const bucketOf = (config: Config) =>
  config.s3Bucket === null ? null : bucketAt(config.s3Bucket, config.s3Prefix, config);

/** Any bucket of the service that the settings name. */
export const bucketAt = (
  bucket: string,
  prefix: string,
  { s3Endpoint, s3Region, s3PathStyle }: Pick<Config, 's3Endpoint' | 's3Region' | 's3PathStyle'>,
) => ({ bucket, endpoint: s3Endpoint, region: s3Region, prefix, pathStyle: s3PathStyle === 'on' });

/** Where the index for searches is; null: in Postgres. */
export const openSearchOf = ({ openSearchUrl, openSearchIndex }: Config) =>
  openSearchUrl === null ? null : { url: openSearchUrl, index: openSearchIndex };

/**
 * Reads the settings of a worker or API process.
 * @throws ConfigError also where the database or Temporal is not named
 */
export const loadServiceConfig = (env: Environment = process.env): ServiceConfig => {
  const config = loadConfig(env);
  const { databaseUrl, temporalAddress } = config;
  const missing =
    databaseUrl === null ? settings.databaseUrl : temporalAddress === null ? settings.temporalAddress : null;
  if (missing !== null)
    throw new ConfigError(`${missing.name} must be set: this process starts no stack of its own.`);
  return Object.freeze({ ...config, databaseUrl: databaseUrl ?? '', temporalAddress: temporalAddress ?? '' });
};
