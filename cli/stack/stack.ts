/** The stack that a verb works on: the running stack of the data folder, or one of its own. */
import { fork } from 'node:child_process';
import type { Config } from '../../config/config.ts';
import { entryScript } from '../../config/package.ts';
import { startStack, type RunningStack, type StackOptions } from '../../stack/embedded.ts';
import { StackError } from '../../stack/errors.ts';
import { findRunningStack, type StackInfo, type StackOwner } from '../../stack/info.ts';
import type { StackEvent } from '../../stack/supervisor.ts';
import type { LocalKey } from '../api/local-key.ts';
import { CommandError } from '../ending.ts';
import { prepareDatabase } from './prepare-database.ts';
import type { Parts } from './running-stack.ts';
import { sayPlainly, type Say } from '../output/lines.ts';

export interface UsedStack {
  readonly info: StackInfo;
  /** We started the stack: only what we allow goes on in it, and it ends with us. */
  readonly own: boolean;
  /** Rejects when the stack is gone for good; never resolves. */
  readonly lost: Promise<never>;
  /** Stops our own stack; leaves another launcher's alone. */
  leave(now?: boolean): Promise<void>;
}

/** What is started besides Postgres. */
const partOptions: Readonly<Record<Parts | 'postgres', Pick<StackOptions, 'workers' | 'api' | 'services'>>> =
  {
    all: {},
    reading: { workers: [], services: 'postgres' },
    acting: { workers: [] },
    services: { workers: [], api: false },
    postgres: { workers: [], api: false, services: 'postgres' },
  };

export interface StartOptions {
  readonly config: Config;
  readonly owner: StackOwner;
  readonly say: Say;
  readonly signal?: AbortSignal;
  /** `postgres`: nothing but that. */
  readonly parts: Parts | 'postgres';
  /** As in `StackOptions`. */
  readonly metrics?: boolean;
  readonly restoring?: true;
  readonly ports?: 'any';
}

/** The stack, and the key of its data folder for the API. */
export type StartedStack = RunningStack & { readonly localKey: LocalKey };

export async function start(options: StartOptions): Promise<StartedStack> {
  const { config, owner, say, signal, parts, metrics = false, restoring, ports } = options;
  let localKey: LocalKey | null = null;
  const stackOptions: StackOptions = {
    config,
    owner,
    metrics,
    migrate: async (databaseUrl) => {
      // Before the API starts: otherwise the API would make a first key if there is none.
      localKey = await prepareDatabase(databaseUrl, config);
    },
    onEvent: (event) => {
      tell(event, say);
    },
    ...(signal !== undefined && { signal }),
    ...(restoring !== undefined && { restoring }),
    ...(ports !== undefined && { ports }),
    ...partOptions[parts],
  };
  const stack = await startStack(stackOptions);
  return { ...stack, localKey: knownKey(localKey) };
}

function knownKey(key: LocalKey | null): LocalKey {
  if (key === null) throw new Error('the stack started without its schema');
  return key;
}

function tell(event: StackEvent, say: Say): void {
  switch (event.kind) {
    case 'progress':
      say(event.message);
      return;
    case 'exited': {
      const { part, code, waitMs, why } = event;
      const what = code === null ? 'could not be started' : `ended by itself (exit code ${String(code)})`;
      const when = waitMs < 1_000 ? '' : ` in ${String(Math.round(waitMs / 1_000))} s`;
      say(`${part} ${what} and is started again${when}${why === null || why === '' ? '.' : `: ${why}`}`);
      return;
    }
    case 'up':
      return;
  }
}

function ownStack(stack: RunningStack): UsedStack {
  const lost = stack.done.then(() => new Promise<never>(() => undefined));
  lost.catch(() => undefined);
  return { info: stack, own: true, lost, leave: (now) => stack.stop(now) };
}

const goneMs = 10_000;
const lookMs = 1_000;

/** Another launcher's stack; lost when that launcher has been gone for a while. */
function othersStack(info: StackInfo): UsedStack {
  let seen = performance.now();
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => undefined);
  const timer = setInterval(() => {
    if (findRunningStack(info.dataDir) !== null) seen = performance.now();
    else if (performance.now() - seen > goneMs) {
      gone.reject(new StackError(`The stack on ${info.dataDir} was stopped meanwhile.`));
    }
  }, lookMs).unref();
  return {
    info,
    own: false,
    lost: gone.promise,
    leave: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

/** A message from a launcher that was started to stay. */
export type KeptMessage =
  | { readonly kind: 'progress'; readonly message: string }
  | { readonly kind: 'up' }
  | { readonly kind: 'failed'; readonly message: string };

/** Starts a launcher that outlives us, and waits until its stack is up. @throws StackError */
async function startKept(config: Config, say: Say, signal: AbortSignal): Promise<StackInfo> {
  const child = fork(entryScript('cli/main'), ['up', '--kept'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    await new Promise<void>((up, failed) => {
      child.on('message', (message: KeptMessage) => {
        if (message.kind === 'up') up();
        else if (message.kind === 'failed') failed(new StackError(message.message));
        else say(message.message);
      });
      child.once('error', failed);
      child.once('exit', () => {
        failed(
          new StackError(
            signal.aborted ? 'The start was interrupted.' : 'The stack ended while it was starting.',
          ),
        );
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
    if (child.connected) child.disconnect();
    child.unref();
  }
  const info = findRunningStack(config.dataDir);
  if (info === null) throw new StackError('The stack ended as soon as it was up.');
  return info;
}

/** Uses a stack that runs only for the moment. The caller has seen that none runs on the data folder. */
export async function withOwnStack<T>(
  config: Config,
  parts: Exclude<Parts, 'all'>,
  work: (info: StackInfo) => Promise<T>,
): Promise<T> {
  const own = await start({ config, owner: 'crawl', say: sayPlainly, parts });
  try {
    return await work(own);
  } finally {
    await own.stop();
  }
}

/** The stack that runs, or one for this command alone. @throws CommandError if another command has its own on the folder */
export async function takeStack(
  config: Config,
  keep: boolean,
  say: Say,
  signal: AbortSignal,
): Promise<UsedStack> {
  const running = findRunningStack(config.dataDir);
  if (running?.owner === 'crawl') {
    throw new CommandError(
      `Another command (process ${String(running.launcher.pid)}) runs its own stack on ${config.dataDir}: ` +
        'wait until that command ends, or keep one stack for all commands with orbweaver up.',
    );
  }
  if (running !== null) return othersStack(running);
  say('Starting the stack …');
  if (keep) return othersStack(await startKept(config, say, signal));
  return ownStack(await start({ config, owner: 'crawl', say, signal, parts: 'all' }));
}
