/**
 * A crawl from the command line, from its stack to its summary: `crawl` and `resume` differ only in how it begins.
 * Ctrl-C pauses the crawl durably before the stack goes, so that nothing but `resume` sets it going again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { closedCrawlStates } from '../contracts/crawl.ts';
import type { CrawlView } from '../contracts/http/crawls.ts';
import { defaultTenant } from '../contracts/tenancy.ts';
import { findRunningStack } from '../stack/info.ts';
import { openCrawls, parkedHosts, viewCrawl } from '../storage/crawls.ts';
import { allPages } from '../storage/pages.ts';
import { createPool, type Pool } from '../storage/pool.ts';
import { isStorageOutage } from '../storage/retry.ts';
import { createApiClient, type ApiClient } from './api-client.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { aborted, listenForInterrupts, type Interrupts } from './interrupts.ts';
import { openOutFile, type OutFile } from './out-file.ts';
import { readLocalKey } from './local-key.ts';
import { createProgress, type Progress } from './progress.ts';
import { othersStack, ownStack, start, startKept, textReader, type Say, type UsedStack } from './stack.ts';
import { summaryJson, summaryLines } from './summary.ts';
import { grouped } from './words.ts';

/** The reason of crawls that were paused because their command line ended. */
export const interruptedReason = 'interrupted';

export interface RunOptions {
  readonly out?: string;
  readonly json?: boolean;
  readonly keep?: boolean;
}

export interface Session {
  readonly pool: Pool;
  readonly api: ApiClient;
  /** The stack is ours alone: crawls of earlier commands must not go on in it by themselves. */
  readonly own: boolean;
  readonly say: Say;
  readonly signal: AbortSignal;
}

const pollMs = 500;

/** @param begin creates or resumes the crawl and answers its id */
export async function runCrawl(
  config: Config,
  options: RunOptions,
  begin: (session: Session) => Promise<string>,
): Promise<ExitCode> {
  const out = options.out === undefined ? null : await openOutFile(options.out);
  const interrupts = listenForInterrupts();
  const progress = createProgress(process.stderr, options.json === true);
  try {
    const stack = await takeStack(config, options.keep === true, progress.say, interrupts.first);
    const hastened = aborted(interrupts.second).then(() => stack.leave(true));
    hastened.catch(() => undefined);
    const pool = createPool(stack.info.postgresUrl, 4, () => undefined);
    try {
      return await runOn(stack, pool, begin, { config, options, out, interrupts, progress });
    } finally {
      await Promise.race([pool.end(), aborted(interrupts.second)]);
      await stack.leave();
    }
  } catch (error) {
    if (!interrupts.first.aborted) throw error;
    progress.say('Interrupted.');
    return exitCodes.interrupted;
  } finally {
    progress.clear();
    interrupts.release();
    await out?.discard();
  }
}

async function takeStack(config: Config, keep: boolean, say: Say, signal: AbortSignal): Promise<UsedStack> {
  const running = findRunningStack(config.dataDir);
  if (running?.owner === 'crawl') {
    throw new CommandError(
      `Another command (process ${String(running.launcher.pid)}) runs its own stack on ${config.dataDir}: ` +
        'wait for it, or keep a stack for several with orbweaver up.',
    );
  }
  if (running !== null) return othersStack(running);
  say('Starting the stack …');
  if (keep) return othersStack(await startKept(config, say, signal));
  return ownStack(await start({ config, owner: 'crawl', say, signal, processes: 'all' }));
}

interface Surroundings {
  readonly config: Config;
  readonly options: RunOptions;
  readonly out: OutFile | null;
  readonly interrupts: Interrupts;
  readonly progress: Progress;
}

async function runOn(
  stack: UsedStack,
  pool: Pool,
  begin: (session: Session) => Promise<string>,
  { config, options, out, interrupts, progress }: Surroundings,
): Promise<ExitCode> {
  const { apiUrl, temporalUiUrl } = stack.info;
  if (apiUrl === null) throw new CommandError('The stack that runs has no API: stop it first.');
  const api = createApiClient(apiUrl, readLocalKey(config.dataDir));
  const id = await begin({ pool, api, own: stack.own, say: progress.say, signal: interrupts.first });
  const web = temporalUiUrl === null ? '' : ` Temporal Web: ${temporalUiUrl}`;
  progress.say(`Crawl ${id} is under way.${web}`);
  const ended = await Promise.race([follow(pool, id, progress, interrupts.first), stack.lost]);
  progress.clear();
  if (ended === null) return interrupt(id, api, interrupts, progress.say);

  const parked = await parkedHosts(pool, id, 10);
  if (options.json !== true) process.stdout.write(`${summaryLines(ended, parked).join('\n')}\n`);
  if (out !== null) {
    const count = await out.write(allPages(pool, id, ['links', 'text'], textReader(config)));
    progress.say(`${grouped(count)} pages were written to ${out.name}.`);
  }
  if (options.json === true) process.stdout.write(`${summaryJson(ended)}\n`);
  else process.stdout.write(`Results: ./orbweaver pages ${id}\n`);
  if (options.keep === true && !stack.own) tellKept(stack, progress.say);
  return ended.state === 'finished' ? exitCodes.ok : exitCodes.failed;
}

/** Until the crawl is closed; null: interrupted before that. A Postgres that is away is waited for. */
async function follow(
  pool: Pool,
  id: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<CrawlView | null> {
  while (!signal.aborted) {
    const view = await viewCrawl(pool, id).catch((error: unknown) => {
      if (isStorageOutage(error)) return undefined;
      throw error;
    });
    if (view === null) throw new Error(`crawl ${id} is gone`);
    if (view !== undefined) {
      if (closedCrawlStates.includes(view.state)) return view;
      progress.update(view);
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

async function interrupt(id: string, api: ApiClient, interrupts: Interrupts, say: Say): Promise<ExitCode> {
  say('Pausing the crawl; once more stops at once.');
  await Promise.race([
    api.change(id, 'pause', interruptedReason, interrupts.second),
    aborted(interrupts.second),
  ]);
  say(`Crawl ${id} is interrupted; ./orbweaver resume ${id} goes on with it.`);
  return exitCodes.interrupted;
}

function tellKept({ info }: UsedStack, say: Say): void {
  say(
    `The stack stays up: API ${info.apiUrl ?? 'none'}, Temporal Web ${info.temporalUiUrl ?? 'none'}. ` +
      `kill ${String(info.launcher.pid)} stops it.`,
  );
}

/** Pauses what earlier commands left running, so that only the crawl that was asked for goes on in our own stack. */
export async function pauseOthers(
  { pool, api, own, say, signal }: Session,
  but: string | null,
): Promise<void> {
  if (!own) return;
  const others = (await openCrawls(pool, ['seeding', 'running'], defaultTenant)).filter(
    ({ id }) => id !== but,
  );
  await Promise.all(
    others.map(async ({ id }) => {
      if (!(await api.change(id, 'pause', interruptedReason, signal))) {
        say(`Crawl ${id} could not be paused and goes on beside this one.`);
      }
    }),
  );
}
