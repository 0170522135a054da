/**
 * Every setting of every process: the one place where a name, a meaning and a default are written down. docs/settings.md's
 * table is made from it, `loadConfig` reads by it, and the stack hands settings to its children through it.
 */
import type { z } from 'zod';
import { defaultCacheDir, defaultDataDir } from './folders.ts';
import type { Environment } from './folders.ts';
import {
  address,
  addresses,
  apiKey,
  cidrs,
  decimal,
  folder,
  hostNames,
  listOf,
  oneOf,
  port,
  resolvers,
  secureUrl,
  text,
  url,
  webUrl,
  whole,
} from './values.ts';

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
  crawlerUrl: nullable({
    name: 'ORBWEAVER_CRAWLER_URL',
    type: 'URL',
    schema: webUrl,
    fallback: null,
    defaultNote: 'none: the user agent leads to no page',
    description: 'Where the page `/crawler` of the API can be read by everybody; stands in the user agent.',
  }),
  contact: nullable({
    name: 'ORBWEAVER_CONTACT',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none: the page says so',
    description: 'Who runs this crawler, as its page says it: an e-mail address, a URL, or words.',
  }),
  userAgent: nullable({
    name: 'ORBWEAVER_USER_AGENT',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: '`Orbweaver/<version> (+<ORBWEAVER_CRAWLER_URL>)`, without one `(polite crawler)`',
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
  webhookAllowPrivate: setting({
    name: 'ORBWEAVER_WEBHOOK_ALLOW_PRIVATE',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description: 'Private or special address blocks that webhooks may be sent to.',
  }),
  offLimits: setting({
    name: 'ORBWEAVER_OFF_LIMITS',
    type: 'list of host:port',
    schema: addresses,
    fallback: '',
    defaultNote: 'none',
    description:
      "Places no crawl and no webhook may reach, whatever else is allowed, beside the stack's own that the other settings name.",
  }),
  dns: setting({
    name: 'ORBWEAVER_DNS',
    type: 'list of IP or IP:port',
    schema: resolvers,
    fallback: '',
    defaultNote: "the machine's resolvers",
    description: 'DNS resolvers that names of hosts are asked of; the next one steps in where one fails.',
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
    description:
      'Hosts worked at the same time at most, per shard; those that sleep for more than a minute are not counted.',
  }),
  fetchSlots: setting({
    name: 'ORBWEAVER_FETCH_SLOTS',
    type: 'number',
    schema: whole(1, 10_000),
    fallback: '200',
    description: 'Hosts a worker process fetches from at the same time; a quarter is for hosts in trouble.',
  }),
  maxBodyBytes: setting({
    name: 'ORBWEAVER_MAX_BODY_BYTES',
    type: 'bytes',
    schema: whole(1024, 1024 ** 3),
    fallback: String(10 * 1024 ** 2),
    description: 'Body bytes kept of a page at most, after decompression.',
  }),
  bodyBudgetMb: setting({
    name: 'ORBWEAVER_BODY_BUDGET_MB',
    type: 'MiB',
    schema: whole(1, 65_536),
    fallback: '128',
    description: 'Bodies over 256 KiB that a worker process has in hand at a time; more wait in line.',
  }),
  requestTimeoutSeconds: setting({
    name: 'ORBWEAVER_REQUEST_TIMEOUT_SECONDS',
    type: 'seconds',
    schema: decimal(0.1, 600),
    fallback: '30',
    description: 'Time for a whole request, connect to last byte.',
  }),
  http2: setting({
    name: 'ORBWEAVER_HTTP2',
    type: 'on or off',
    schema: oneOf(['on', 'off']),
    fallback: 'on',
    description: 'Whether servers may choose HTTP/2. Either way a host gets one request at a time.',
  }),
  leaseSeconds: setting({
    name: 'ORBWEAVER_LEASE_SECONDS',
    type: 'seconds',
    schema: decimal(1, 300),
    fallback: '8',
    description: 'How long the right to send requests to a host lasts without renewal.',
  }),
  probeSeconds: setting({
    name: 'ORBWEAVER_PROBE_SECONDS',
    type: 'seconds',
    schema: decimal(1, 86_400),
    fallback: '3600',
    description:
      'How soon a parked host is asked for its robots.txt, to see whether it answers again; doubled each time, up to a day.',
  }),
  retentionDays: nullable({
    name: 'ORBWEAVER_RETENTION_DAYS',
    type: 'days',
    schema: decimal(0, 36_500),
    fallback: null,
    defaultNote: 'none: they stay',
    description:
      'Days after its end on which a crawl is deleted with its data, unless it has a retention of its own.',
  }),
  apiHost: setting({
    name: 'ORBWEAVER_API_HOST',
    type: 'address',
    schema: text,
    fallback: '127.0.0.1',
    description: 'Address the API listens on.',
  }),
  apiNames: setting({
    name: 'ORBWEAVER_API_NAMES',
    type: 'host names, comma-separated',
    schema: hostNames,
    fallback: '',
    description:
      'Names that the API answers under, beside addresses and localhost: those a proxy, a container or a certificate gives it.',
  }),
  trustedProxies: setting({
    name: 'ORBWEAVER_TRUSTED_PROXIES',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description:
      'Proxies in front of the API whose `X-Forwarded-For` is believed: requests are counted for the rightmost address in it that is no such proxy.',
  }),
  adminKey: nullable({
    name: 'ORBWEAVER_ADMIN_KEY',
    type: '`owk_` and 32 to 128 letters, digits, `-`, `_`',
    schema: apiKey,
    fallback: null,
    defaultNote: 'made and printed once at the first start',
    description: 'API key for an admin of the instance, for whoever brings one.',
    secret: true,
  }),
  server: nullable({
    name: 'ORBWEAVER_SERVER',
    type: 'http or https URL',
    schema: webUrl,
    fallback: null,
    defaultNote: 'the stack on the data folder',
    description: 'API that the command line goes by.',
  }),
  apiKey: nullable({
    name: 'ORBWEAVER_API_KEY',
    type: 'API key or token',
    schema: text,
    fallback: null,
    defaultNote: 'none for a server that is named; here, the key in `admin-key` of the data folder',
    description: 'Key that the command line sends to the API.',
    secret: true,
  }),
  jwksUrl: nullable({
    name: 'ORBWEAVER_JWKS_URL',
    type: 'https URL',
    schema: secureUrl,
    fallback: null,
    defaultNote: 'none: API keys only',
    description:
      'Keys of the issuer whose JWTs the API takes as bearer tokens; plain http for loopback only.',
  }),
  jwtIssuer: nullable({
    name: 'ORBWEAVER_JWT_ISSUER',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none; must be set with the URL of its keys',
    description: 'What the claim `iss` of tokens must be.',
  }),
  jwtAudience: nullable({
    name: 'ORBWEAVER_JWT_AUDIENCE',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none; must be set with the URL of the keys',
    description: 'What the claim `aud` of tokens must name.',
  }),
  jwtTenantClaim: setting({
    name: 'ORBWEAVER_JWT_TENANT_CLAIM',
    type: 'text',
    schema: text,
    fallback: 'tenant',
    description: 'Claim that names the tenant, by id or name; `a.b` looks into objects.',
  }),
  jwtRoleClaim: setting({
    name: 'ORBWEAVER_JWT_ROLE_CLAIM',
    type: 'text',
    schema: text,
    fallback: 'role',
    description:
      'Claim with the role (reader, operator, admin), or a list of roles, of which the highest counts.',
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

/** Rows for docs/settings.md: name, type, default, description, as plain Markdown without pipes. */
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
