/** Where the services of a stack are, and what the embedded stack keeps where. */
import { defaultCacheDir, defaultDataDir } from '../folders.ts';
import { address, folder, oneOf, text, url, whole } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const stackSettings = {
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
  startSeconds: setting({
    name: 'ORBWEAVER_START_SECONDS',
    type: 'seconds',
    schema: whole(1, 86_400),
    fallback: '60',
    description:
      'How long each part of the embedded stack may take until it first answers. A slow or crowded machine wants more.',
  }),
  temporalCli: nullable({
    name: 'ORBWEAVER_TEMPORAL_CLI',
    type: 'file',
    schema: folder,
    fallback: null,
    defaultNote: 'found on PATH or in the cache, else downloaded or built',
    description: 'The `temporal` program that runs the embedded Temporal server.',
  }),
  browser: nullable({
    name: 'ORBWEAVER_BROWSER',
    type: 'file, or `off`',
    schema: text,
    fallback: null,
    defaultNote: 'found on PATH, or where Playwright puts its own',
    description: 'The Chromium, or its headless shell, that renders pages.',
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
  temporalUi: nullable({
    name: 'ORBWEAVER_TEMPORAL_UI',
    type: 'host:port',
    schema: address,
    fallback: null,
    defaultNote: 'Temporal Web of the embedded Temporal',
    description: 'Temporal Web in front of which `stack/guard-temporal-web` stands.',
  }),
  temporalUiSignIn: setting({
    name: 'ORBWEAVER_TEMPORAL_UI_SIGN_IN',
    type: '`on` or `off`',
    schema: oneOf(['on', 'off']),
    fallback: 'off',
    description:
      'Whether Temporal Web asks for the API key of an admin of the instance, as the password of any name. Off: whoever reaches its port may use it.',
  }),
  aliveFile: nullable({
    name: 'ORBWEAVER_ALIVE_FILE',
    type: 'file',
    schema: folder,
    fallback: null,
    defaultNote: 'none',
    description:
      'File that a worker touches every five seconds while it is at work, for the health check of its container.',
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
} as const;
