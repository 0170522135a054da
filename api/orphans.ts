/**
 * A crawl whose API died between storing it and starting its workflow stays in `seeding` with nobody to work on it.
 * The next API starts those workflows; starting one that runs already changes nothing. A crawl that new seeds have set
 * running again, while Temporal did not answer, is looked for every few seconds, as is one whose settings were changed.
 */
import { openCrawls } from '../storage/crawls.ts';
import { pendingEdits } from '../storage/statements/pending-edits.ts';
import { strandedCrawls } from '../storage/statements/stranded-crawls.ts';
import type { Dependencies } from './dependencies.ts';

const retryMs = 2_000;
const lookMs = 10_000;

/** Goes on until the function it answers is called. */
export function adoptOrphans({
  pool,
  control,
  log,
}: Pick<Dependencies, 'pool' | 'control' | 'log'>): () => Promise<void> {
  const ended = new AbortController();
  const adopt = async (): Promise<void> => {
    for (let first = true; !ended.signal.aborted;) {
      try {
        if (first) for (const { id } of await openCrawls(pool, ['seeding'])) await control.start(id);
        first = false;
        for (const { id } of await strandedCrawls(pool)) await control.adopt(id);
        for (const { id } of await pendingEdits(pool)) await control.applyEdit(id);
        await pause(lookMs, ended.signal);
      } catch (error) {
        log.debug({ err: error }, 'crawls that wait for their start cannot be looked up yet');
        await pause(retryMs, ended.signal);
      }
    }
  };
  const done = adopt();
  return () => {
    ended.abort();
    return done;
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
  });
}
