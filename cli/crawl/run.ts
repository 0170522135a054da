/**
 * A crawl from the command line, from its stack to its summary; `crawl` and `resume` differ only in how they begin.
 * Ctrl-C pauses the crawl durably before the stack stops, so that only `resume` makes it run again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import { crawlView, type CrawlSummary, type CrawlView } from '../../contracts/http/crawls.ts';
import { crawlOutlookView, type CrawlOutlookView, type ParkedHost } from '../../contracts/http/outlook.ts';
import { findRunningStack } from '../../stack/info.ts';
import { mayPass, type Asking, type Query } from '../api/request.ts';
import { localApi } from '../api/target.ts';
import { createApi, type Api } from '../api/api.ts';
import { openCrawls } from '../steer/crawl-list.ts';
import { CommandError, endingOf, exitCodes, type ExitCode } from '../ending.ts';
import { createPatience, usualPatience } from './give-up.ts';
import { aborted, listenForInterrupts, type Interrupts } from './interrupts.ts';
import { standardOutput, writeAllPages, writeLivePages } from './live-pages.ts';
import { openOutFile, type OutFile } from '../output/out-file.ts';
import { forgetOut, recallOut, rememberOut } from './remembered-out.ts';
import { readLocalKey } from '../api/local-key.ts';
import { createOutlast, type Outlast } from '../api/outages.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Say } from '../output/say.ts';
import { othersStack, ownStack, start, startKept, type UsedStack } from '../stack/stack.ts';
import { summaryJson, summaryLines } from '../look/summary.ts';
import { runningWorkflows } from '../stack/temporal-web.ts';
import { turnCrawl } from './turn-crawl.ts';
import { counted } from '../../domain/counted.ts';

/** The reason of crawls that are paused because their command line ended. */
const interruptedReason = 'interrupted';
/** The reason of crawls that are paused because their command line gave up waiting. */
export const waitingReason = 'only hosts that wait are left';

/** The crawl stands still because its command line ended or gave up waiting. */
export const isInterrupted = ({ state, reason }: CrawlSummary): boolean =>
  state === 'paused' && (reason === interruptedReason || reason === waitingReason);

export interface RunOptions {
  readonly out: string | undefined;
  readonly json: boolean;
  readonly keep: boolean;
  /** Seconds without a page, while only waiting hosts are left, after which the command ends; null: never. */
  readonly giveUpAfter: number | null | undefined;
}

export interface Session {
  readonly api: Api;
  /** The stack is ours alone: crawls of earlier commands must not go on in it by themselves. */
  readonly own: boolean;
  readonly say: Say;
  readonly signal: AbortSignal;
}

/**
 * Milliseconds between two looks at the crawl, at least: after a look that took long, because the crawl is large or the
 * machine busy, so many times as long as it took.
 */
const [pollMs, restFactor, longestRestMs] = [500, 20, 5_000];
/** Milliseconds between two looks at what the crawl waits for. */
const outlookMs = 2_000;
/** For requests whose caller can go on without an answer: they are not sent again. */
const atOnce: Asking = { patienceMs: 0 };
/** Waiting hosts that are named, at most. */
const namedHosts = 10;
/** Parked hosts that are reported, at most. */
const mostParked = 100;

/** @param begin creates or resumes the crawl and answers its id */
export async function runCrawl(
  config: Config,
  options: RunOptions,
  begin: (session: Session) => Promise<string>,
): Promise<ExitCode> {
  const { out: file = standardOutput } = options;
  const out = file === standardOutput ? null : await openOutFile(file);
  const interrupts = listenForInterrupts();
  const progress = createProgress(process.stderr, options.json);
  try {
    const stack = await takeStack(config, options.keep, progress.say, interrupts.first);
    const hastened = aborted(interrupts.second).then(() => stack.leave(true));
    hastened.catch(() => undefined);
    try {
      return await runOn(stack, begin, { config, options, out, interrupts, progress });
    } finally {
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

interface Surroundings {
  readonly config: Config;
  readonly options: RunOptions;
  readonly out: OutFile | null;
  readonly interrupts: Interrupts;
  readonly progress: Progress;
}

async function runOn(
  stack: UsedStack,
  begin: (session: Session) => Promise<string>,
  { config, options, out, interrupts, progress }: Surroundings,
): Promise<ExitCode> {
  const { apiUrl } = stack.info;
  if (apiUrl === null) throw new CommandError('The running stack has no API. Stop that stack first.');
  const api = createApi({ ...localApi(apiUrl, readLocalKey(config.dataDir)), signal: interrupts.second });
  const outlast = createOutlast(progress.say);
  const id = await begin({ api, own: stack.own, say: progress.say, signal: interrupts.first });
  if (out !== null) rememberOut(config.dataDir, id, out.name);
  /** Writes all pages that there are to the file of this command, or of the one that began the crawl. */
  const writeOut = async (isWhole: boolean, signal: AbortSignal): Promise<void> => {
    const recalled = out === null && options.out === undefined ? recallOut(config.dataDir, id) : null;
    const file = recalled === null ? out : await openOutFile(recalled);
    if (file === null) return;
    try {
      const count = await writeAllPages(api, id, file, outlast, signal);
      const rest = isWhole ? '' : ' so far; resume goes on with it';
      progress.say(`${counted(count, 'page was', 'pages were')} written to ${file.name}${rest}.`);
      if (isWhole) forgetOut(config.dataDir, id);
    } finally {
      await file.discard();
    }
  };
  const web = runningWorkflows(stack.info);
  progress.say(`Crawl ${id} is under way.${web === null ? '' : ` Temporal Web: ${web}`}`);
  const over = new AbortController();
  const live =
    options.out === standardOutput
      ? writeLivePages(api, id, outlast, AbortSignal.any([interrupts.first, over.signal]))
      : null;
  live?.catch(() => undefined);
  /** Text that is not pages, when pages go to standard output. */
  const tell = (text: string): unknown =>
    (live === null ? process.stdout : process.stderr).write(`${text}\n`);
  const summarize = async (seen: CrawlView, error: string | null = null): Promise<void> => {
    const parked = error === null ? await parkedHosts(api, id) : [];
    progress.clear();
    const waiting = watched.gaveUp()?.waiting ?? null;
    if (options.json) tell(summaryJson(seen, parked, error, waiting));
    else if (error === null) tell(summaryLines(seen, parked, waiting).join('\n'));
  };

  const { giveUpAfter = usualPatience } = options;
  const watched = follow(api, id, progress, outlast, interrupts.first, createPatience(giveUpAfter));
  let ended: CrawlView | null;
  let whole = true;
  try {
    ended = await Promise.race([
      watched.ended,
      stack.lost,
      ...(live === null ? [] : [live.then(() => watched.ended)]),
    ]);
    const gaveUp = watched.gaveUp() !== null;
    if (gaveUp) over.abort();
    if (ended !== null && live !== null) whole = (await Promise.race([live, stack.lost])) || gaveUp;
  } catch (error) {
    const seen = watched.latest();
    if (seen !== null) await summarize(seen, endingOf(error).message);
    throw error;
  }
  progress.clear();
  if (ended === null) {
    await pause(id, api, interrupts, progress.say);
    if (!interrupts.second.aborted) await writeOut(false, interrupts.second);
    // If the API is away, the crawl is shown as it was seen last.
    const seen =
      (await api.get(`/v1/crawls/${id}`, crawlView, {}, atOnce).catch(() => null)) ?? watched.latest();
    if (options.json && seen !== null) await summarize(seen);
    return exitCodes.interrupted;
  }

  const gaveUp = watched.gaveUp() !== null;
  if (gaveUp) {
    await turnCrawl(api, id, 'pause', waitingReason, interrupts.first);
    ended = await api.get(`/v1/crawls/${id}`, crawlView);
  }
  if (!options.json) await summarize(ended);
  await writeOut(!gaveUp, interrupts.first);
  if (options.json) await summarize(ended);
  else tell(`Results: ./orbweaver pages ${id}`);
  if (options.keep && !stack.own) tellKept(stack, progress.say);
  if (gaveUp) {
    progress.say(`Gave up waiting for the hosts of crawl ${id}; ./orbweaver resume ${id} goes on with it.`);
    return exitCodes.waiting;
  }
  if (!whole) return exitCodes.interrupted;
  return ended.state === 'finished' ? exitCodes.ok : exitCodes.failed;
}

interface Followed {
  /** The crawl, once it is closed or was given up; null: interrupted before that. */
  readonly ended: Promise<CrawlView | null>;
  /** What the crawl waits for, if it was given up. */
  gaveUp(): CrawlOutlookView | null;
  /** The crawl as it was seen last; null: it was not seen yet. */
  latest(): CrawlView | null;
}

/** Waits for an API that is away. */
function follow(
  api: Api,
  id: string,
  progress: Progress,
  outlast: Outlast,
  signal: AbortSignal,
  isEnough: ReturnType<typeof createPatience>,
): Followed {
  let latest: CrawlView | null = null;
  let outlook: CrawlOutlookView | null = null;
  let outlookAt = -Infinity;
  let gaveUp: CrawlOutlookView | null = null;
  const look = async (): Promise<CrawlView | null> => {
    while (!signal.aborted) {
      const asking = { ...atOnce, signal };
      const lookedAt = performance.now();
      const view = await outlast(() => api.get(`/v1/crawls/${id}`, crawlView, {}, asking), signal);
      if (view === null) return null;
      latest = view;
      if (closedCrawlStates.includes(view.state)) return view;
      if (performance.now() - outlookAt >= outlookMs) {
        outlook = await outlookOf(api, id, { limit: namedHosts }, asking).catch(() => null);
        outlookAt = performance.now();
      }
      if (isEnough(view.pages, outlook, performance.now())) {
        gaveUp = outlook;
        return view;
      }
      progress.update(view, outlook);
      const restMs = Math.min(longestRestMs, restFactor * (performance.now() - lookedAt));
      await sleep(Math.max(pollMs, restMs), undefined, { signal }).catch(() => undefined);
    }
    return null;
  };
  const ended = look();
  // The caller may have failed for another reason before it awaits this.
  ended.catch(() => undefined);
  return { ended, latest: () => latest, gaveUp: () => gaveUp };
}

const outlookOf = (api: Api, id: string, query: Query, asking: Asking): Promise<CrawlOutlookView> =>
  api.get(`/v1/crawls/${id}/outlook`, crawlOutlookView, query, asking);

/** None if the API is away: the rest of the summary is shown all the same. */
async function parkedHosts(api: Api, id: string): Promise<readonly ParkedHost[]> {
  try {
    const query = { limit: mostParked, fields: 'parked' };
    return (await outlookOf(api, id, query, atOnce)).parked ?? [];
  } catch (error) {
    if (mayPass(error)) return [];
    throw error;
  }
}

async function pause(id: string, api: Api, interrupts: Interrupts, say: Say): Promise<void> {
  say('Pausing the crawl. Press Ctrl-C again to stop at once.');
  await Promise.race([
    turnCrawl(api, id, 'pause', interruptedReason, interrupts.second),
    aborted(interrupts.second),
  ]);
  say(`Crawl ${id} is interrupted; ./orbweaver resume ${id} goes on with it.`);
}

function tellKept({ info }: UsedStack, say: Say): void {
  say(
    `The stack stays up: API ${info.apiUrl ?? 'none'}, Temporal Web ${runningWorkflows(info) ?? 'none'}. ` +
      `kill ${String(info.launcher.pid)} stops it.`,
  );
}

/** Pauses crawls that earlier commands left running, so that only the wanted crawl goes on in our own stack. */
export async function pauseOthers({ api, own, say, signal }: Session, but: string | null): Promise<void> {
  if (!own) return;
  const others = (await openCrawls(api, ['seeding', 'running'])).filter(({ id }) => id !== but);
  await Promise.all(
    others.map(async ({ id }) => {
      if (!(await turnCrawl(api, id, 'pause', interruptedReason, signal))) {
        say(`Crawl ${id} could not be paused and goes on beside this one.`);
      }
    }),
  );
}
