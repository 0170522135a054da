/**
 * A crawl from the command line, from its stack to its summary; `crawl` and `resume` differ only in how they begin.
 * Ctrl-C pauses the crawl durably before the stack stops, so that only `resume` makes it run again.
 */
import type { Config } from '../../config/config.ts';
import { crawlView, type CrawlSummary, type CrawlView } from '../../contracts/http/crawls.ts';
import { counted } from '../../domain/counted.ts';
import type { Api } from '../api/api.ts';
import { createOutlast } from '../api/outages.ts';
import { stackApi } from '../api/target.ts';
import { secondsOrNever } from '../arguments.ts';
import { endingOf, exitCodes, type ExitCode } from '../ending.ts';
import { summaryJson, summaryLines } from '../look/summary.ts';
import { openOutFile, standardOutput, type OutFile } from '../output/out-file.ts';
import type { Say } from '../output/lines.ts';
import { takeStack, type UsedStack } from '../stack/stack.ts';
import { runningWorkflows } from '../stack/temporal-web.ts';
import { openCrawls } from '../steer/crawl-list.ts';
import { atOnce, createPatience, follow, parkedHosts, usualPatience } from './follow.ts';
import { aborted, listenForInterrupts, type Interrupts } from './interrupts.ts';
import { forgetOut, recallOut, rememberOut, writeAllPages, writeLivePages } from './live-pages.ts';
import { createProgress, type Progress } from './progress.ts';
import { turnCrawl } from './turn-crawl.ts';

/** The reason of crawls that are paused because their command line ended. */
const interruptedReason = 'interrupted';
/** The reason of crawls that are paused because their command line gave up waiting. */
export const waitingReason = 'only hosts that wait are left';

/** The crawl stands still because its command line ended or gave up waiting. */
export const isInterrupted = ({ state, reason }: CrawlSummary): boolean =>
  state === 'paused' && (reason === interruptedReason || reason === waitingReason);

/** What the verbs that stay with a crawl take. */
export const runTakes = {
  out: 'write the pages to this file at the end, one JSON object per line; with - the pages go to standard output as they come, and all messages to standard error',
  json: 'show no progress; the last line is one JSON object, also when the crawl failed or was interrupted',
  giveUpAfter: {
    about:
      'end with exit code 4 when no page has come for this many seconds and only hosts that must wait are left; orbweaver resume goes on later; never: wait for all hosts (default: 600)',
    read: secondsOrNever,
  },
  keep: 'leave the stack running at the end',
} as const;

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
  let isStarted = false;
  try {
    const stack = await takeStack(config, options.keep, progress.say, interrupts.first);
    isStarted = true;
    const hastened = aborted(interrupts.second).then(() => stack.leave(true));
    hastened.catch(() => undefined);
    try {
      return await runOn(stack, begin, { config, options, out, interrupts, progress });
    } finally {
      await stack.leave();
    }
  } catch (error) {
    if (!interrupts.first.aborted) throw error;
    progress.say(isStarted ? 'Interrupted.' : 'Interrupted before the stack was up: no crawl was begun.');
    return exitCodes.interrupted;
  } finally {
    progress.clear();
    interrupts.release();
    await out?.discard();
  }
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
  const api = stackApi(stack.info, interrupts.second);
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
