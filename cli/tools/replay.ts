/** `replay`: checks whether histories, present or saved, still fit the present workflows; saves them. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Client } from '@temporalio/client';
import { historyFromJSON, historyToJSON, type History } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker, type ReplayHistoriesIterable } from '@temporalio/worker';
import { loadConfig } from '../../config/config.ts';
import { entryScript } from '../../config/package.ts';
import { counted } from '../../domain/counted.ts';
import { replayFault, type HistoryEvent } from '../../domain/replay-fault.ts';
import { wholeNumber } from '../arguments.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { openOutFile } from '../output/out-file.ts';
import { runningStack } from '../stack/running-stack.ts';
import { withClient, type TemporalPlace } from '../stack/temporal-client.ts';
import { sayPlainly } from '../output/lines.ts';
import { withOwnStack } from '../stack/stack.ts';
import { reasonOf } from '../output/words.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'replay',
    here: true,
    takes: {
      '[file...]': 'replay these saved histories; no stack is needed',
      '--workflow-id <id>':
        'only this workflow, such as host/https://example.com (default: all open workflows)',
      '--limit <n>': { about: 'histories to replay at most', read: wholeNumber(1), usual: 200 },
      '--save <id>': 'save the history of this workflow to the file, and replay nothing',
    },
    examples: ['', '--workflow-id crawl/3', '--save crawl/3 crawl-3.json', 'crawl-3.json'],
    run: ({ file: files, ...given }) => replay(files, given),
  }),
];

interface ReplayOptions {
  readonly workflowId: string | undefined;
  readonly limit: number;
  readonly save: string | undefined;
}

async function replay(files: readonly string[], options: ReplayOptions): Promise<ExitCode> {
  const { workflowId, limit, save } = options;
  if (workflowId !== undefined && (save !== undefined || files.length > 0))
    throw new CommandError('Give either --workflow-id, or files, or --save.');
  if (save !== undefined) return await saveTo(files, save);
  if (files.length > 0) return await judge(await Promise.all(files.map(savedHistory)));
  const config = loadConfig();
  const running = runningStack(config.dataDir, 'services');
  const work = (stack: TemporalPlace): Promise<ExitCode> =>
    withClient(stack, (client) =>
      judge(workflowId === undefined ? openHistories(client, limit) : oneHistory(client, workflowId)),
    );
  return running === null ? withOwnStack(config, 'services', work) : work(running);
}

async function saveTo([name, ...others]: readonly string[], workflowId: string): Promise<ExitCode> {
  if (name === undefined || others.length > 0) throw new CommandError('Give one file for --save to write.');
  if (existsSync(name)) throw new CommandError(`The file ${name} exists already.`);
  const config = loadConfig();
  const { temporalAddress, temporalNamespace } = runningStack(config.dataDir, 'services') ?? config;
  if (temporalAddress === null) throw new CommandError('No stack is running: orbweaver up starts one.');
  const file = await openOutFile(name);
  try {
    await withClient({ temporalAddress, temporalNamespace }, async (client) => {
      const history = await historyOf(client, workflowId);
      const whole: SavedHistory = { workflowId, history: JSON.parse(historyToJSON(history)) as unknown };
      await file.write(Readable.from([whole]));
      const events = counted(history.events?.length ?? 0, 'event');
      sayPlainly(`${events} of ${workflowId} were written to ${name}.`);
    });
  } finally {
    await file.discard();
  }
  return exitCodes.ok;
}

interface SavedHistory {
  readonly workflowId: string;
  readonly history: unknown;
}

async function savedHistory(file: string): Promise<{ workflowId: string; history: History }> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`The file ${file} cannot be read: ${reasonOf(error)}.`);
  });
  try {
    const { workflowId, history } = JSON.parse(text) as SavedHistory;
    return { workflowId, history: historyFromJSON(history) };
  } catch (error) {
    throw new CommandError(`The file ${file} holds no history that --save wrote.`, exitCodes.badUse, {
      cause: error,
    });
  }
}

/** What the open workflows of a Temporal do with this code: how many were looked at, and a sentence for each that differs. */
export const replayOpen = (place: TemporalPlace, limit: number): Promise<Replayed> =>
  withClient(place, (client) => compare(openHistories(client, limit)));

async function judge(histories: ReplayHistoriesIterable): Promise<ExitCode> {
  const { count, differences } = await compare(histories);
  for (const difference of differences) process.stdout.write(`${difference}\n`);
  if (count === 0) process.stdout.write('There is no open workflow.\n');
  else process.stdout.write(`${String(count)} replayed, ${String(differences.length)} differ.\n`);
  return differences.length === 0 ? exitCodes.ok : exitCodes.failed;
}

interface Replayed {
  readonly count: number;
  readonly differences: readonly string[];
}

async function compare(histories: ReplayHistoriesIterable): Promise<Replayed> {
  // Not before there is something to replay: a runtime that nothing uses may keep the process from ending.
  Runtime.install({
    // Log lines of a workflow were written when it ran.
    logger: new DefaultLogger('ERROR', () => undefined),
    // Otherwise the SDK's core writes each difference to standard output, as a log line.
    telemetryOptions: { logging: { forward: {} } },
    shutdownSignals: [],
  });
  let count = 0;
  const differences: string[] = [];
  /** Results come in the order of the histories. */
  const waiting: History[] = [];
  async function* noted(): ReplayHistoriesIterable {
    for await (const each of histories) {
      waiting.push(each.history as History);
      yield each;
    }
  }
  const results = Worker.runReplayHistories({ workflowsPath: entryScript('workflows/index') }, noted());
  for await (const { workflowId, error } of results) {
    count++;
    const history = waiting.shift();
    if (error === undefined) continue;
    const events = history === undefined ? [] : eventsOf(history);
    differences.push(`${workflowId} differs: ${replayFault(events, error.message)}.`);
  }
  return { count, differences };
}

const eventsOf = (history: History): readonly HistoryEvent[] =>
  (JSON.parse(historyToJSON(history)) as { readonly events: readonly HistoryEvent[] }).events;

async function* openHistories(client: Client, limit: number): ReplayHistoriesIterable {
  let taken = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    if (taken++ >= limit) return;
    yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
  }
}

async function* oneHistory(client: Client, workflowId: string): ReplayHistoriesIterable {
  yield { workflowId, history: await historyOf(client, workflowId) };
}

/** The code of gRPC. */
const notFound = 5;

function historyOf(client: Client, workflowId: string): Promise<History> {
  return client.workflow
    .getHandle(workflowId)
    .fetchHistory()
    .catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === notFound)) throw error;
      throw new CommandError(`There is no workflow ${workflowId}.`, exitCodes.badUse, { cause: error });
    });
}
