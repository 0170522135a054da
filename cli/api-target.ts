/** The API that a verb uses: the one that the caller names, or that of the running stack of the data folder. */
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../config/config.ts';
import { findRunningStack } from '../stack/info.ts';
import { createApi, type Api } from './api.ts';
import type { ApiAddress } from './api-request.ts';
import { CommandError } from './ending.ts';
import { readLocalKey } from './local-key.ts';
import { reasonOf } from './words.ts';

/** As commander gives them. */
export interface ApiOptions {
  readonly server?: string;
  readonly key?: string;
  /** `-`: standard input. */
  readonly keyFile?: string;
}

/** Milliseconds to wait for a server on another machine: nobody here starts its parts again. */
const remotePatienceMs = 3_000;
const localPatienceMs = 60_000;

/**
 * The API that `--server` or ORBWEAVER_SERVER names, or the local API if a key is given. Null: neither is given, and
 * verbs that can look into the data folder do so. @throws CommandError
 */
export async function namedApi(options: ApiOptions): Promise<Api | null> {
  const address = await namedAddress(options);
  if (address !== null) return createApi(address);
  const { key, keyFile } = options;
  return key === undefined && keyFile === undefined ? null : stackApi(options);
}

/** The API that is named, otherwise the local one. @throws CommandError if there is neither */
export async function anyApi(options: ApiOptions): Promise<Api> {
  return (await namedApi(options)) ?? (await stackApi(options));
}

/** The API of the running stack of the data folder, even if another server is named. @throws CommandError */
export const stackApi = async (options: ApiOptions): Promise<Api> => createApi(await localAddress(options));

/**
 * For verbs that only look: the API that is named, or that of the stack of the data folder. If no stack runs there, one
 * is started for the moment, without workers: no crawl goes on in it. @throws CommandError
 */
export async function withLookingApi<T>(options: ApiOptions, look: (api: Api) => Promise<T>): Promise<T> {
  const named = await namedApi(options);
  if (named !== null) return look(named);
  // Loaded only here: most verbs that use an API start nothing.
  const { withStack } = await import('./stack.ts');
  return withStack(loadConfig(), async () => look(await stackApi(options)), 'api');
}

async function namedAddress(options: ApiOptions): Promise<ApiAddress | null> {
  const config = loadConfig();
  const server = options.server ?? config.server;
  if (server === null) return null;
  const url = serverUrl(server);
  const key = (await givenKey(options)) ?? config.apiKey;
  if (key !== null && url.protocol === 'http:' && !isLoopback(url.hostname))
    process.stderr.write(`The key is sent to ${url.host} over plain HTTP, where others may read it.\n`);
  return {
    url: url.href.replace(/\/$/, ''),
    key,
    patienceMs: remotePatienceMs,
    silent: (why) => `The server ${url.host} does not answer: ${why}.`,
  };
}

async function localAddress(options: ApiOptions): Promise<ApiAddress> {
  const config = loadConfig();
  const url = findRunningStack(config.dataDir)?.apiUrl ?? null;
  if (url === null)
    throw new CommandError(
      'No stack is running. Start one with orbweaver up, or name another with --server.',
    );
  const key = (await givenKey(options)) ?? config.apiKey ?? readLocalKey(config.dataDir);
  return localApi(url, key);
}

/** The API of the stack on this machine. */
const localApi = (url: string, key: string | null): ApiAddress => ({
  url,
  key,
  patienceMs: localPatienceMs,
  silent: () => 'The API does not answer. orbweaver status shows what is running.',
});

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError(
      '--server must be a URL such as https://crawler.example/ or http://127.0.0.1:7700.',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new CommandError(
      '--server must not contain a user, password, query or fragment. Give the key with --key-file.',
    );
  return url;
}

const maxKeyLength = 16_384;

async function givenKey({ key, keyFile }: ApiOptions): Promise<string | null> {
  if (key !== undefined && keyFile !== undefined)
    throw new CommandError('Give --key or --key-file, not both.');
  const given = key ?? (keyFile === undefined ? null : await readKey(keyFile));
  if (given === null) return null;
  const trimmed = given.trim();
  // Keys of ours and tokens of issuers. Other texts would not survive as a header, or their server would refuse them.
  if (/^[\x21-\x7e]+$/.test(trimmed) && trimmed.length <= maxKeyLength) return trimmed;
  throw new CommandError(
    keyFile === undefined ? '--key does not hold a key or token.' : `There is no key or token in ${keyFile}.`,
  );
}

async function readKey(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    const handle = await open(file);
    try {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(maxKeyLength * 2) });
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new CommandError(`The key file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}
