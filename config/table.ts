/**
 * Every setting of every process: the one place where a name, a meaning and a default are written down. README's
 * table is made from it, `loadConfig` reads by it, and the stack hands settings to its children through it.
 */
import type { z } from 'zod';
import { defaultCacheDir, defaultDataDir } from './folders.ts';
import type { Environment } from './folders.ts';
import { version } from './package.ts';
import { address, cidrs, decimal, folder, listOf, oneOf, port, text, url, whole } from './values.ts';

const workerRoles = ['control', 'fetch', 'extract'] as const;
export type WorkerRole = (typeof workerRoles)[number];

export interface Setting<T> {
  /** Name in the environment and in the settings file. */
  readonly name: string;
  /** For people: what may stand there. */
  readonly type: string;
  readonly schema: z.ZodType<T, string>;
  /**
   * Text that is read when the setting is absent; a function where it depends on the machine. Null: the value is
   * null when absent, and `defaultNote` says what that means.
   */
  readonly fallback: string | ((env: Environment) => string) | null;
  /** For people, where `fallback` does not speak for itself. */
  readonly defaultNote?: string;
  readonly description: string;
  /** Never printed or logged. */
  readonly secret?: true;
}

type Required<T> = Omit<Setting<T>, 'fallback'> & {
  readonly fallback: string | ((env: Environment) => string);
};
type Nullable<T> = Omit<Setting<T>, 'fallback'> & { readonly fallback: null; readonly defaultNote: string };

const setting = <T>(row: Required<T>): Required<T> => row;
const nullable = <T>(row: Nullable<T>): Nullable<T> => row;

/** Ports of the embedded stack when none is set; a taken one is replaced by a free one. */
export const usualPorts = {
  api: 7700,
  temporal: 7233,
  temporalUi: 8233,
  postgres: 5433,
  redis: 6380,
} as const;
export type PortName = keyof typeof usualPorts;

const stackPort = (name: string, of: PortName, what: string): Nullable<number> => ({
  name,
  type: 'port',
  schema: port,
  fallback: null,
  defaultNote: `${String(usualPorts[of])}, or a free one where that is taken`,
  description: `Loopback port of ${what}. When set, a taken port is an error.`,
});

export const settings = {
  dataDir: setting({
    name: 'ORBWEAVER_DATA',
    type: 'folder',
    schema: folder,
    fallback: defaultDataDir,
    defaultNote: '`$XDG_DATA_HOME/orbweaver`, else `~/.local/share/orbweaver` (root: `/var/lib/orbweaver`)',
    description: 'Everything the embedded stack keeps: databases, bodies, logs.',
  }),
  cacheDir: setting({
    name: 'ORBWEAVER_CACHE',
    type: 'folder',
    schema: folder,
    fallback: defaultCacheDir,
    defaultNote: '`$XDG_CACHE_HOME/orbweaver`, else `~/.cache/orbweaver`',
    description: 'Programs fetched or built once, such as the Temporal CLI.',
  }),
  temporalCli: nullable({
    name: 'ORBWEAVER_TEMPORAL_CLI',
    type: 'file',
    schema: folder,
    fallback: null,
    defaultNote: 'found on PATH or in the cache, else downloaded or built',
    description: 'The `temporal` program that runs the embedded Temporal server.',
  }),
  databaseUrl: nullable({
    name: 'ORBWEAVER_DATABASE_URL',
    type: 'URL',
    schema: url('postgres:', 'postgresql:'),
    fallback: null,
    defaultNote: 'embedded Postgres',
    description: 'Postgres to use instead of the embedded one.',
    secret: true,
  }),
  temporalAddress: nullable({
    name: 'ORBWEAVER_TEMPORAL_ADDRESS',
    type: 'host:port',
    schema: address,
    fallback: null,
    defaultNote: 'embedded Temporal',
    description: 'Temporal to use instead of the embedded one.',
  }),
  temporalNamespace: setting({
    name: 'ORBWEAVER_TEMPORAL_NAMESPACE',
    type: 'text',
    schema: text,
    fallback: 'default',
    description: 'Temporal namespace of all workflows.',
  }),
  redisUrl: nullable({
    name: 'ORBWEAVER_REDIS_URL',
    type: 'URL',
    schema: url('redis:', 'rediss:'),
    fallback: null,
    defaultNote: 'embedded Redis where `redis-server` is on PATH, else none',
    description: 'Redis to use as shared cache.',
    secret: true,
  }),
  blobDir: nullable({
    name: 'ORBWEAVER_BLOBS',
    type: 'folder',
    schema: folder,
    fallback: null,
    defaultNote: '`blobs` in the data folder',
    description: 'Folder of the stored bodies.',
  }),
  userAgent: setting({
    name: 'ORBWEAVER_USER_AGENT',
    type: 'text',
    schema: text,
    fallback: `Orbweaver/${version} (polite crawler)`,
    defaultNote: '`Orbweaver/<version> (polite crawler)`',
    description: 'User agent sent, unless a crawl sets its own. Its first word is looked up in robots.txt.',
  }),
  allowPrivate: setting({
    name: 'ORBWEAVER_ALLOW_PRIVATE',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description: 'Private or special address blocks that every crawl may reach.',
  }),
  roles: setting({
    name: 'ORBWEAVER_ROLES',
    type: `list of ${workerRoles.join(', ')}`,
    schema: listOf(workerRoles),
    fallback: workerRoles.join(','),
    description: 'What a worker process does.',
  }),
  shards: setting({
    name: 'ORBWEAVER_SHARDS',
    type: '1–64',
    schema: whole(1, 64),
    fallback: '1',
    description: 'Shards of hosts, each with a scheduler workflow.',
  }),
  sliceSeconds: setting({
    name: 'ORBWEAVER_SLICE_SECONDS',
    type: 'seconds',
    schema: decimal(0, 300),
    fallback: '10',
    description: 'How long one visit of a host lasts at most; 0: one URL a visit.',
  }),
  activeHosts: setting({
    name: 'ORBWEAVER_ACTIVE_HOSTS',
    type: 'number',
    schema: whole(1, 1_000_000),
    fallback: '500',
    description: 'Hosts worked at the same time at most, per shard.',
  }),
  fetchSlots: setting({
    name: 'ORBWEAVER_FETCH_SLOTS',
    type: 'number',
    schema: whole(1, 10_000),
    fallback: '200',
    description: 'Hosts a worker process fetches from at the same time.',
  }),
  maxBodyBytes: setting({
    name: 'ORBWEAVER_MAX_BODY_BYTES',
    type: 'bytes',
    schema: whole(1024, 1024 ** 3),
    fallback: String(10 * 1024 ** 2),
    description: 'Body bytes kept of a page at most, after decompression.',
  }),
  requestTimeoutSeconds: setting({
    name: 'ORBWEAVER_REQUEST_TIMEOUT_SECONDS',
    type: 'seconds',
    schema: decimal(0.1, 600),
    fallback: '30',
    description: 'Time for a whole request, connect to last byte.',
  }),
  leaseSeconds: setting({
    name: 'ORBWEAVER_LEASE_SECONDS',
    type: 'seconds',
    schema: decimal(1, 300),
    fallback: '8',
    description: 'How long the right to send requests to a host lasts without renewal.',
  }),
  apiHost: setting({
    name: 'ORBWEAVER_API_HOST',
    type: 'address',
    schema: text,
    fallback: '127.0.0.1',
    description: 'Address the API listens on.',
  }),
  apiPort: nullable(stackPort('ORBWEAVER_API_PORT', 'api', 'the API')),
  temporalPort: nullable(stackPort('ORBWEAVER_TEMPORAL_PORT', 'temporal', 'the embedded Temporal')),
  temporalUiPort: nullable(
    stackPort('ORBWEAVER_TEMPORAL_UI_PORT', 'temporalUi', 'the embedded Temporal Web'),
  ),
  postgresPort: nullable(stackPort('ORBWEAVER_POSTGRES_PORT', 'postgres', 'the embedded Postgres')),
  redisPort: nullable(stackPort('ORBWEAVER_REDIS_PORT', 'redis', 'the embedded Redis')),
  logLevel: setting({
    name: 'ORBWEAVER_LOG_LEVEL',
    type: 'fatal, error, warn, info, debug or trace',
    schema: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    fallback: 'info',
    description: 'Least level that workers and API log.',
  }),
} as const;

/** The name of the setting that is no setting: where the optional settings file is. */
export const settingsFileName = 'ORBWEAVER_CONFIG';

/** Rows for README: name, type, default, description, as plain Markdown without pipes. */
const settingsRows = (): readonly (readonly [string, string, string, string])[] => [
  [settingsFileName, 'file', 'none', 'JSON object of the settings below; the environment wins.'],
  ...Object.values(settings).map((row) => {
    const fallback = typeof row.fallback === 'string' ? `\`${row.fallback}\`` : '';
    return [row.name, row.type, row.defaultNote ?? fallback, row.description] as const;
  }),
];

/** The settings as a Markdown table. */
export const settingsMarkdown = (): string =>
  ['| Setting | Type | Default | Meaning |', '|---|---|---|---|']
    .concat(
      settingsRows().map(
        ([name, type, fallback, what]) => `| \`${name}\` | ${type} | ${fallback} | ${what} |`,
      ),
    )
    .join('\n');
