/**
 * An API that is started on the database of a newer version ends, as a worker does. One that runs while another version
 * migrates goes on: migrations of a release only add (docs/operations.md, "Upgrade").
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { lookAtDatabase } from '../storage/postgres/index.ts';

const retryMs = 2_000;

/**
 * Looks once. Where Postgres is away the API starts all the same, and looks go on beside it, until it has answered or
 * the signal comes.
 * @param refuse called with a sentence for people, from the first look or a later one
 */
export async function expectKnownSchema(
  databaseUrl: string,
  refuse: (words: string) => void,
  signal: AbortSignal,
  log: Pick<Logger, 'debug'>,
): Promise<void> {
  const hasLooked = async (): Promise<boolean> => {
    try {
      const { refusal } = await lookAtDatabase(databaseUrl);
      if (refusal !== null) refuse(`${refusal.says} ${refusal.cure}`);
      return true;
    } catch (error) {
      log.debug({ err: error }, 'the schema of the database is not known yet');
      return false;
    }
  };
  const goOn = async (): Promise<void> => {
    while (!signal.aborted && !(await hasLooked()))
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
  };
  if (!(await hasLooked())) void goOn();
}
