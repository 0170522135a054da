/**
 * The stack that runs on the data folder, for verbs that use it. A verb that finds none may start one for itself, with
 * no more parts than it needs: a second verb that needs other parts has to wait for that verb's end.
 */
import { findRunningStack, type StackInfo } from '../../stack/info.ts';
import { CommandError } from '../ending.ts';

/** `all`: crawls go on in it. `reading`: an API. `acting`: an API, and Temporal to tell workflows. `services`: Temporal. */
export type Parts = 'all' | 'reading' | 'acting' | 'services';

/** Null: none runs. @throws CommandError if the stack of another verb runs there, and lacks a part */
export function runningStack(dataDir: string, parts: Parts): StackInfo | null {
  const running = findRunningStack(dataDir);
  if (running === null) return null;
  const lacking =
    parts !== 'services' && running.apiUrl === null
      ? 'API'
      : parts !== 'reading' && !running.hasTemporal
        ? 'Temporal'
        : parts === 'all' && !running.hasWorkers
          ? 'workers'
          : null;
  if (lacking === null || running.owner !== 'crawl') return running;
  throw new CommandError(
    `Another command (process ${String(running.launcher.pid)}) runs a stack for itself that has no ${lacking}. ` +
      'Try again once that command has ended.',
  );
}
