/** The thread in which bodies are read for somebody who asks (content/aside.ts). */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { works, type Works } from './works.ts';

export interface Task {
  readonly work: keyof Works;
  readonly args: readonly unknown[];
}
/** In an object, since a work may have any result. */
export interface Done {
  readonly result: unknown;
}

/** As `nice` counts: where cores are scarce, the event loop of the process goes first. */
const niceness = 5;

// On Linux it is the priority of this thread alone, elsewhere that of the whole process.
if (process.platform === 'linux') setPriority(niceness);

parentPort?.on('message', ({ work, args }: Task) => {
  const run = works[work] as (...args: readonly unknown[]) => unknown;
  // An error ends the thread, which says so to whoever waits.
  void (async () => {
    parentPort?.postMessage({ result: await run(...args) } satisfies Done);
  })();
});
