/** A process that reads pages follows the changes of crawls beside its other work. */
import type { Logger } from 'pino';
import type { Pool } from '../../storage/postgres/index.ts';
import { inRounds } from '../rounds.ts';
import { followChanges } from './follow.ts';
import type { ReadAnswer } from './read-version.ts';

const lookMs = 5_000;
/** Milliseconds after which a look stops comparing: the rest belongs to the pages that wait to be read. */
const workMs = 3_000;

/**
 * Runs until the returned function is called, which looks a last time: a stack that runs for one crawl ends with it, and
 * its last answers are compared all the same.
 */
export function followInRounds(pool: Pool, read: ReadAnswer, log: Logger): () => Promise<void> {
  const look = async (): Promise<void> => {
    await followChanges(pool, read, workMs);
  };
  const onError = (error: unknown): void => {
    log.warn({ err: error }, 'answers could not be compared with those before them; this is tried again');
  };
  const stop = inRounds(lookMs, look, onError);
  return async () => {
    await stop();
    await look().catch(onError);
  };
}
