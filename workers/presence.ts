/** A worker process notes every few seconds that it is at work (table `worker_process`); `/readyz` uses these notes. */
import { writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Pool } from '../storage/postgres/index.ts';
import type { StageLoad } from '../domain/pressure.ts';
import { forgetWorker, noteLoads, noteWorker } from '../storage/instance/index.ts';

const everyMs = 5_000;

/**
 * Returns the function that ends the notes; `lost`: the process does not leave in order.
 * @param id of this process, a UUID
 * @param folder as in `Dependencies`
 * @param loads how full the stages behind the process's requests are; null: it sends none
 * @param alive a file that is touched with each note that Postgres took, while the process takes work; null: none
 */
export function announce(
  pool: Pool,
  id: string,
  roles: readonly string[],
  folder: string | null,
  loads: (() => readonly StageLoad[]) | null,
  alive: { readonly file: string; readonly takesWork: () => boolean } | null,
  log: Logger,
): (lost: boolean) => Promise<void> {
  const tell = (note: () => Promise<unknown>): Promise<void> =>
    note().then(
      () => undefined,
      (error: unknown) => {
        log.debug({ err: error }, 'this worker could not record that it is at work');
      },
    );
  const note = async (): Promise<void> => {
    await noteWorker(pool, id, roles, folder);
    if (alive?.takesWork() === true) await writeFile(alive.file, '');
  };
  let told = tell(note);
  const timer = setInterval(() => {
    told = told.then(() => tell(note));
    if (loads !== null) told = told.then(() => tell(() => noteLoads(pool, id, JSON.stringify(loads()))));
  }, everyMs);
  return async (lost) => {
    clearInterval(timer);
    await told;
    if (!lost) await tell(() => forgetWorker(pool, id));
  };
}
