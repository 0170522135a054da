/** The API that a verb uses: the one that the caller names, or that of the running stack of the data folder. */
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../../config/config.ts';
import type { StackInfo } from '../../stack/info.ts';
import { createApi, type Api } from './api.ts';
import type { ApiAddress } from './request.ts';
import { CommandError } from '../ending.ts';
import { readLocalKey } from './local-key.ts';
import { runningStack, type Parts } from '../stack/running-stack.ts';
import { reasonOf } from '../output/words.ts';

/** As commander gives them. */
export type ApiOptions = {
  readonly server?: string;
  readonly key?: string;
  /** `-`: standard input. */
  readonly keyFile?: string;
};

/** Milliseconds to wait for a server on another machine: nobody here starts its parts again. */
const remotePatienceMs = 3_000;
const localPatienceMs = 60_000;

/** As `withApi` with all: for verbs that have to do more than ask. */
export const anyApi = (options: ApiOptions): Promise<Api> =>
  withApi(options, (api) => Promise.resolve(api), 'all');

/**
 * Whose API it is: that of a server that is named, that of the running stack of the data folder, or that of a stack
 * that runs only for this verb.
 */
export type Place = 'server' | StackInfo | 'own';

/** What a verb needs of a stack. `all`: its work goes on after the verb, so a stack must be running. */
export type Needs = Exclude<Parts, 'services'>;

/**
 * The API that is named, or that of the stack of the data folder. If no stack runs there, the parts that the verb needs
 * start for it and end with it, unless it needs all; no crawl goes on in them. @throws CommandError
 */
export const withApi = <T>(
  options: ApiOptions,
  work: (api: Api, place: Place) => Promise<T>,
  parts: Needs = 'reading',
): Promise<T> => withAddress(options, (address, place) => work(createApi(address), place), parts);

/** As `withApi`, for a verb whose requests are made by somebody else. */
export async function withAddress<T>(
  options: ApiOptions,
  work: (address: ApiAddress, place: Place) => Promise<T>,
  parts: Needs,
): Promise<T> {
  const named = await namedAddress(options);
  if (named !== null) return work(named, 'server');
  const config = loadConfig();
  const running = runningStack(config.dataDir, parts);
  if (running !== null) return work(await localAddress(options, parts), running);
  // A key of the caller's own is for an API that runs.
  if (parts === 'all' || (options.key ?? options.keyFile) !== undefined) throw noStack();
  // Loaded only here: most verbs start nothing.
  const { withOwnStack } = await import('../stack/stack.ts');
  return withOwnStack(config, parts, async () => work(await localAddress(options, parts), 'own'));
}

/** A server is named, so no stack of this machine is used. */
export const isNamed = ({ server }: ApiOptions): boolean => (server ?? loadConfig().server) !== null;

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

async function localAddress(options: ApiOptions, parts: Needs): Promise<ApiAddress> {
  const config = loadConfig();
  const running = runningStack(config.dataDir, parts);
  if (running === null) throw noStack();
  const key = (await givenKey(options)) ?? config.apiKey ?? readLocalKey(config.dataDir);
  return localApi(urlOf(running), key);
}

const noStack = (): CommandError =>
  new CommandError('No stack is running. Start one with orbweaver up, or name another with --server.');

function urlOf({ apiUrl }: StackInfo): string {
  if (apiUrl !== null) return apiUrl;
  throw new CommandError('The running stack has no API. Stop that stack first.');
}

/** The API of a stack that this verb knows, by the key of its data folder. @throws CommandError if it has none */
export const stackApi = (stack: StackInfo, signal: AbortSignal): Api =>
  createApi({ ...stackAddress(stack), signal });

/** The same as an address. @throws CommandError if it has none */
export const stackAddress = (stack: StackInfo): ApiAddress =>
  localApi(urlOf(stack), readLocalKey(stack.dataDir));

/** The API of a stack on this machine. */
export const localApi = (url: string, key: string | null): ApiAddress => ({
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
