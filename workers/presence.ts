/**
 * A worker process notes every few seconds that it is at work (table `worker_process`), which `/readyz` uses, and, if it
 * fetches, how full its stages are and what is out (table `outage`).
 */
import { writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Pool } from '../storage/postgres/index.ts';
import type { StageLoad } from '../domain/pressure.ts';
import { OutageLog, type SeenOutage } from '../domain/outage.ts';
import { forgetWorker, noteLoads, noteOutages, noteWorker } from '../storage/instance/index.ts';

const everyMs = 5_000;

/**
 * Returns the function that ends the notes; `lost`: the process does not leave in order.
 * @param id of this process, a UUID
 * @param folder as in `Dependencies`
 * @param fetching of a process that sends requests: how full the stages behind them are, and what is out; null: it sends
 * none
 * @param alive a file that is touched with each note that Postgres took, while the process takes work; null: none
 */
export function announce(
  pool: Pool,
  id: string,
  roles: readonly string[],
  folder: string | null,
  fetching: {
    readonly loads: () => readonly StageLoad[];
    readonly outages: () => readonly Pick<SeenOutage, 'dependency' | 'since' | 'why'>[];
  } | null,
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
  const outages = new OutageLog();
  const tellOutages = async (): Promise<void> => {
    const now = Date.now();
    const rows = outages.look(fetching?.outages() ?? [], now);
    if (rows.length === 0) return;
    const aged = rows.map(({ since, seen, ...row }) => ({
      ...row,
      since_ago: now - since,
      seen_ago: now - seen,
    }));
    await noteOutages(pool, id, JSON.stringify(aged));
    outages.told(rows);
  };
  const note = async (): Promise<void> => {
    await noteWorker(pool, id, roles, folder);
    if (alive?.takesWork() === true) await writeFile(alive.file, '');
  };
  let told = tell(note);
  const timer = setInterval(() => {
    told = told.then(() => tell(note));
    if (fetching === null) return;
    const { loads } = fetching;
    told = told
      .then(() => tell(() => noteLoads(pool, id, JSON.stringify(loads()))))
      .then(() => tell(tellOutages));
  }, everyMs);
  return async (lost) => {
    clearInterval(timer);
    await told;
    if (!lost) await tell(() => forgetWorker(pool, id));
  };
}
