/**
 * Every setting of every process: the one place where a name, a meaning and a default are written down. docs/settings.md's
 * table is made from it, `loadConfig` reads by it, and the stack hands settings to its children through it.
 */
import { z } from 'zod';
import { maxCapRate } from '../domain/caps.ts';
import { defaultCacheDir, defaultDataDir } from './folders.ts';
import type { Environment } from './folders.ts';
import {
  address,
  addresses,
  apiKey,
  capRate,
  cidrs,
  decimal,
  endpoint,
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
  defaultNote: `${String(usualPorts[of])}, or a free port if that one is taken`,
  description: `Loopback port of ${what}. If this is set and the port is taken, the start fails.`,
});

export const settings = {
  dataDir: setting({
    name: 'ORBWEAVER_DATA',
    type: 'folder',
    schema: folder,
    fallback: defaultDataDir,
    defaultNote: '`$XDG_DATA_HOME/orbweaver`, else `~/.local/share/orbweaver` (root: `/var/lib/orbweaver`)',
    description: 'Folder of everything that the embedded stack keeps: databases, bodies, logs.',
  }),
  cacheDir: setting({
    name: 'ORBWEAVER_CACHE',
    type: 'folder',
    schema: folder,
    fallback: defaultCacheDir,
    defaultNote: '`$XDG_CACHE_HOME/orbweaver`, else `~/.cache/orbweaver`',
    description: 'Folder of programs that are downloaded or built once, such as the Temporal CLI.',
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
    description: 'Postgres to use instead of the embedded Postgres.',
    secret: true,
  }),
  temporalAddress: nullable({
    name: 'ORBWEAVER_TEMPORAL_ADDRESS',
    type: 'host:port',
    schema: address,
    fallback: null,
    defaultNote: 'embedded Temporal',
    description: 'Temporal to use instead of the embedded Temporal.',
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
    defaultNote: 'embedded Redis if `redis-server` is on PATH, else none',
    description:
      'Redis to use as a shared cache. Two instances on copies of one database must not share a Redis.',
    secret: true,
  }),
  blobDir: nullable({
    name: 'ORBWEAVER_BLOBS',
    type: 'folder',
    schema: folder,
    fallback: null,
    defaultNote: '`blobs` in the data folder',
    description: 'Folder of the archive segments, which hold the stored bodies.',
  }),
  s3Bucket: nullable({
    name: 'ORBWEAVER_S3_BUCKET',
    type: 'bucket',
    schema: text,
    fallback: null,
    defaultNote: 'none: segments stay in their folder',
    description:
      'Bucket to which archive segments are uploaded once they are closed. Access keys come from the environment, profile or machine, as with every program that uses the AWS SDK.',
  }),
  s3Endpoint: nullable({
    name: 'ORBWEAVER_S3_ENDPOINT',
    type: 'URL',
    schema: endpoint,
    fallback: null,
    defaultNote: 'AWS',
    description: 'Address of the S3 service, if it is not that of AWS.',
  }),
  s3Region: nullable({
    name: 'ORBWEAVER_S3_REGION',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'with an endpoint `us-east-1`, else as `AWS_REGION` or the profile says',
    description: 'Region of the bucket.',
  }),
  s3Prefix: setting({
    name: 'ORBWEAVER_S3_PREFIX',
    type: 'text',
    schema: z.string(),
    fallback: '',
    defaultNote: 'none',
    description: 'What the names of all objects begin with, such as `crawls/`.',
  }),
  s3PathStyle: setting({
    name: 'ORBWEAVER_S3_PATH_STYLE',
    type: 'on or off',
    schema: oneOf(['on', 'off']),
    fallback: 'off',
    description:
      'Whether requests name the bucket in the path instead of the host name. Services of your own mostly want `on`.',
  }),
  exportDir: nullable({
    name: 'ORBWEAVER_EXPORTS',
    type: 'folder',
    schema: folder,
    fallback: null,
    defaultNote: '`exports` in the data folder',
    description: 'Folder of the files that exports make. The API and the workers that read pages share it.',
  }),
  exportMb: setting({
    name: 'ORBWEAVER_EXPORTS_MB',
    type: 'MiB',
    schema: whole(1, 1_073_741_824),
    fallback: '102400',
    description:
      'Size that the files of all exports in the folder may have together. An export that passes it fails.',
  }),
  exportDays: setting({
    name: 'ORBWEAVER_EXPORT_DAYS',
    type: 'days',
    schema: decimal(0.001, 36_500),
    fallback: '7',
    description: 'Days after its end at which an export is removed with its file.',
  }),
  segmentMb: setting({
    name: 'ORBWEAVER_SEGMENT_MB',
    type: 'MiB',
    schema: whole(1, 1_048_576),
    fallback: '1024',
    description: 'Size at which an archive segment takes no more bodies.',
  }),
  segmentHours: setting({
    name: 'ORBWEAVER_SEGMENT_HOURS',
    type: 'hours',
    schema: decimal(0.01, 8_760),
    fallback: '24',
    description: 'Age at which an archive segment takes no more bodies.',
  }),
  segmentFormat: setting({
    name: 'ORBWEAVER_SEGMENT_FORMAT',
    type: '`zstd` or `gzip`',
    schema: oneOf(['zstd', 'gzip']),
    fallback: 'zstd',
    description:
      'Compression of the records in new archive segments. `gzip` takes more time and room, and more programs read it.',
  }),
  crawlerUrl: nullable({
    name: 'ORBWEAVER_CRAWLER_URL',
    type: 'URL',
    schema: webUrl,
    fallback: null,
    defaultNote: 'none: the user agent names no page',
    description: 'Public address of the page `/crawler` of the API. The user agent names this address.',
  }),
  contact: nullable({
    name: 'ORBWEAVER_CONTACT',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none: the page says so',
    description: 'Who runs this crawler, for its page: an e-mail address, a URL, or words.',
  }),
  userAgent: nullable({
    name: 'ORBWEAVER_USER_AGENT',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: '`Orbweaver/<version> (+<ORBWEAVER_CRAWLER_URL>)`; without that URL, `(polite crawler)`',
    description:
      'User agent that is sent, unless a crawl sets its own. The first word of it is looked up in robots.txt.',
  }),
  allowPrivate: setting({
    name: 'ORBWEAVER_ALLOW_PRIVATE',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description: 'Blocks of private or special addresses that every crawl may reach.',
  }),
  webhookAllowPrivate: setting({
    name: 'ORBWEAVER_WEBHOOK_ALLOW_PRIVATE',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description: 'Blocks of private or special addresses that webhooks may be sent to.',
  }),
  offLimits: setting({
    name: 'ORBWEAVER_OFF_LIMITS',
    type: 'list of host:port',
    schema: addresses,
    fallback: '',
    defaultNote: 'none',
    description:
      'Addresses that no crawl and no webhook may ever reach, in addition to those of the stack that other settings name.',
  }),
  dns: setting({
    name: 'ORBWEAVER_DNS',
    type: 'list of IP or IP:port',
    schema: resolvers,
    fallback: '',
    defaultNote: "the machine's resolvers",
    description:
      'DNS resolvers that are asked for the addresses of hosts; if one fails, the next one is asked.',
  }),
  roles: setting({
    name: 'ORBWEAVER_ROLES',
    type: `list of ${workerRoles.join(', ')}`,
    schema: listOf(workerRoles),
    fallback: workerRoles.join(','),
    description: 'Which kinds of work a worker process does.',
  }),
  shards: setting({
    name: 'ORBWEAVER_SHARDS',
    type: '1–64',
    schema: whole(1, 64),
    fallback: '1',
    description: 'Number of shards of hosts, each with a scheduler workflow.',
  }),
  sliceSeconds: setting({
    name: 'ORBWEAVER_SLICE_SECONDS',
    type: 'seconds',
    schema: decimal(0, 300),
    fallback: '10',
    description:
      'How long one visit of a host lasts. With many hosts at work visits last longer, up to 15 minutes. 0: one URL per visit.',
  }),
  activeHosts: setting({
    name: 'ORBWEAVER_ACTIVE_HOSTS',
    type: 'number',
    schema: whole(1, 1_000_000),
    fallback: '3000',
    description:
      'Largest number of hosts at work at the same time, per shard. Hosts that sleep for more than a minute are not counted.',
  }),
  fetchSlots: setting({
    name: 'ORBWEAVER_FETCH_SLOTS',
    type: 'number',
    schema: whole(1, 10_000),
    fallback: '4000',
    description:
      'Number of hosts from which a worker process fetches at the same time. A quarter of them is for hosts in trouble.',
  }),
  maxBodyBytes: setting({
    name: 'ORBWEAVER_MAX_BODY_BYTES',
    type: 'bytes',
    schema: whole(1024, 1024 ** 3),
    fallback: String(10 * 1024 ** 2),
    description: 'Largest number of bytes that are kept of a body, after decompression.',
  }),
  bodyBudgetMb: setting({
    name: 'ORBWEAVER_BODY_BUDGET_MB',
    type: 'MiB',
    schema: whole(1, 65_536),
    fallback: '128',
    description:
      'Memory in a worker process for bodies over 256 KiB that are being fetched; further bodies wait in line.',
  }),
  requestTimeoutSeconds: setting({
    name: 'ORBWEAVER_REQUEST_TIMEOUT_SECONDS',
    type: 'seconds',
    schema: decimal(0.1, 600),
    fallback: '30',
    description: 'Time limit for a whole request, from connecting to the last byte.',
  }),
  http2: setting({
    name: 'ORBWEAVER_HTTP2',
    type: 'on or off',
    schema: oneOf(['on', 'off']),
    fallback: 'on',
    description: 'Whether servers may choose HTTP/2. In either case a host gets one request at a time.',
  }),
  addressRate: setting({
    name: 'ORBWEAVER_ADDRESS_RATE',
    type: '`off`, or requests per second',
    schema: capRate,
    fallback: '20',
    description:
      'Largest number of requests per second to one IP address (IPv6: to one /64), whatever hosts are there, by all workers together. A fraction of 1 is allowed. Give all workers and the API the same value.',
  }),
  addressInFlight: nullable({
    name: 'ORBWEAVER_ADDRESS_IN_FLIGHT',
    type: 'number',
    schema: whole(1, maxCapRate),
    fallback: null,
    defaultNote: 'as many as the rate',
    description: 'Largest number of requests in flight at one IP address. More than the rate has no effect.',
  }),
  domainRate: setting({
    name: 'ORBWEAVER_DOMAIN_RATE',
    type: '`off`, or requests per second',
    schema: capRate,
    fallback: 'off',
    description:
      'Largest number of requests per second to the hosts of one registered domain (by the public suffix list), by all workers together.',
  }),
  domainInFlight: nullable({
    name: 'ORBWEAVER_DOMAIN_IN_FLIGHT',
    type: 'number',
    schema: whole(1, maxCapRate),
    fallback: null,
    defaultNote: 'as many as the rate',
    description:
      'Largest number of requests in flight at the hosts of one registered domain. More than the rate has no effect.',
  }),
  capPrivate: setting({
    name: 'ORBWEAVER_CAP_PRIVATE',
    type: 'on or off',
    schema: oneOf(['on', 'off']),
    fallback: 'off',
    description:
      'Whether `ORBWEAVER_ADDRESS_RATE` holds for private addresses too. They are networks of your own, which crawls reach only if you allow it.',
  }),
  unreadPages: setting({
    name: 'ORBWEAVER_UNREAD_PAGES',
    type: 'number',
    schema: whole(1, 1_000_000_000),
    fallback: '20000',
    description:
      'Number of fetched pages that may wait to be read, of all crawls. From four fifths of it on, workers fetch more slowly.',
  }),
  unreadMb: setting({
    name: 'ORBWEAVER_UNREAD_MB',
    type: 'MiB',
    schema: whole(1, 1_048_576),
    fallback: '4096',
    description:
      'Bytes of fetched pages that may wait to be read, of all crawls, as they came over the wire. From four fifths of it on, workers fetch more slowly.',
  }),
  waitingRows: setting({
    name: 'ORBWEAVER_WAITING_ROWS',
    type: 'number',
    schema: whole(1, 1_000_000_000),
    fallback: '40000',
    description:
      'Number of rows that may wait in a worker for their commit. From four fifths of it on, the worker fetches and reads more slowly.',
  }),
  commitMs: setting({
    name: 'ORBWEAVER_COMMIT_MS',
    type: 'milliseconds',
    schema: whole(1, 600_000),
    fallback: '3000',
    description:
      'How long a commit of a worker may take. From four fifths of it on, the worker fetches and reads more slowly.',
  }),
  storeMb: setting({
    name: 'ORBWEAVER_STORE_MB',
    type: 'MiB',
    schema: whole(1, 65_536),
    fallback: '128',
    description:
      'Bodies of a worker that may wait for the disk. From four fifths of it on, the worker fetches more slowly.',
  }),
  uploadMb: setting({
    name: 'ORBWEAVER_UPLOAD_MB',
    type: 'MiB',
    schema: whole(1, 16_777_216),
    fallback: '16384',
    description:
      'Where the archive is in S3: closed segments that may wait in a folder for their upload. From four fifths of it on, workers with this folder fetch more slowly.',
  }),
  trapPages: setting({
    name: 'ORBWEAVER_TRAP_PAGES',
    type: 'number',
    schema: whole(100, 1_000_000_000),
    fallback: '2000',
    description:
      'A part of a site is a trap once so many of its pages in a row have led to little but unknown pages of the same kind, whatever they say. More for sites that are larger than that and hardly link back.',
  }),
  trapLinks: setting({
    name: 'ORBWEAVER_TRAP_LINKS',
    type: 'number',
    schema: whole(10, 1_000_000),
    fallback: '500',
    description:
      'URLs of a kind of which one page links to more than this go behind the others, until their pages have something to say.',
  }),
  trapUrlsPerDay: setting({
    name: 'ORBWEAVER_TRAP_URLS_PER_DAY',
    type: 'number',
    schema: whole(1_000, 1_000_000_000),
    fallback: '1000000',
    description: 'As `ORBWEAVER_TRAP_LINKS`, for the URLs of a kind that a host brings in one day.',
  }),
  leaseSeconds: setting({
    name: 'ORBWEAVER_LEASE_SECONDS',
    type: 'seconds',
    schema: decimal(1, 300),
    fallback: '8',
    description: 'How long a worker keeps the right to send requests to a host without renewing it.',
  }),
  probeSeconds: setting({
    name: 'ORBWEAVER_PROBE_SECONDS',
    type: 'seconds',
    schema: decimal(1, 86_400),
    fallback: '3600',
    description:
      'How soon a parked host is asked for its robots.txt, to see whether the host answers again. The time doubles after each try, up to a day.',
  }),
  retentionDays: nullable({
    name: 'ORBWEAVER_RETENTION_DAYS',
    type: 'days',
    schema: decimal(0, 36_500),
    fallback: null,
    defaultNote: 'none: crawls stay',
    description:
      'Days after its end at which a crawl and its data are deleted, unless the crawl has a retention of its own.',
  }),
  apiHost: setting({
    name: 'ORBWEAVER_API_HOST',
    type: 'address',
    schema: text,
    fallback: '127.0.0.1',
    description: 'Address on which the API listens.',
  }),
  apiNames: setting({
    name: 'ORBWEAVER_API_NAMES',
    type: 'host names, comma-separated',
    schema: hostNames,
    fallback: '',
    description:
      'Host names for which the API answers, in addition to addresses and localhost: names that a proxy, a container or a certificate gives the API.',
  }),
  trustedProxies: setting({
    name: 'ORBWEAVER_TRUSTED_PROXIES',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description:
      'Proxies in front of the API whose `X-Forwarded-For` is trusted. Requests are counted for the rightmost address in that field that is not such a proxy.',
  }),
  adminKey: nullable({
    name: 'ORBWEAVER_ADMIN_KEY',
    type: '`owk_` and 32 to 128 letters, digits, `-`, `_`',
    schema: apiKey,
    fallback: null,
    defaultNote: 'a key that is made and printed once at the first start',
    description: 'API key for an admin of the instance, if you bring your own.',
    secret: true,
  }),
  server: nullable({
    name: 'ORBWEAVER_SERVER',
    type: 'http or https URL',
    schema: webUrl,
    fallback: null,
    defaultNote: 'the stack on the data folder',
    description: 'API that the command line uses.',
  }),
  apiKey: nullable({
    name: 'ORBWEAVER_API_KEY',
    type: 'API key or token',
    schema: text,
    fallback: null,
    defaultNote: 'with a server: none; for the stack on the data folder: the key in its file `admin-key`',
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
      'URL of the keys of the issuer whose JWTs the API accepts as bearer tokens; plain http on loopback only.',
  }),
  jwtIssuer: nullable({
    name: 'ORBWEAVER_JWT_ISSUER',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none; must be set if `ORBWEAVER_JWKS_URL` is set',
    description: 'Value that the claim `iss` of tokens must have.',
  }),
  jwtAudience: nullable({
    name: 'ORBWEAVER_JWT_AUDIENCE',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none; must be set if `ORBWEAVER_JWKS_URL` is set',
    description: 'Value that the claim `aud` of tokens must contain.',
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
      'Claim with the role (reader, operator or admin), or with a list of roles; the highest role counts.',
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
    description: 'Lowest level of messages that workers and API log.',
  }),
} as const;

/** The name of the setting that is no setting: where the optional settings file is. */
export const settingsFileName = 'ORBWEAVER_CONFIG';

/** Rows for docs/settings.md: name, type, default, description, as plain Markdown without pipes. */
const settingsRows = (): readonly (readonly [string, string, string, string])[] => [
  [
    settingsFileName,
    'file',
    'none',
    'File that holds a JSON object with the settings below. Variables of the environment win over the file.',
  ],
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
