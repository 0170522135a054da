/**
 * A worker process notes every few seconds that it is at work (table `worker_process`), which `/readyz` uses, and, if it
 * fetches, how full its stages are and what is out (table `outage`).
 */
import { writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { keep, type Look } from '../engine/chores.ts';
import type { Pool } from '../storage/postgres/index.ts';
import type { StageLoad } from '../domain/pressure.ts';
import { OutageLog, type SeenOutage } from '../domain/outage.ts';
import { forgetWorker, noteLoads, noteOutages, noteWorker } from '../storage/instance/index.ts';

/**
 * Returns the function that ends the notes; `lost`: the process does not leave in order.
 * @param id of this process, a UUID
 * @param roles those in which it can work now
 * @param folder as in `Dependencies`
 * @param fetching of a process that sends requests: in which regions, how full the stages behind them are, and what is out; null: it sends
 * none
 * @param alive a file that is touched with each note that Postgres took, while the process takes work; null: none
 */
export function announce(
  pool: Pool,
  id: string,
  roles: () => readonly string[],
  folder: string | null,
  fetching: {
    readonly loads: () => readonly StageLoad[];
    /** Says that it is at work in its regions; absent: the instance has none. */
    readonly regions?: { readonly note: () => Promise<void> } | undefined;
    readonly outages: () => readonly Pick<SeenOutage, 'dependency' | 'since' | 'why'>[];
  } | null,
  alive: { readonly file: string; readonly takesWork: () => boolean } | null,
  log: Logger,
): (lost: boolean) => Promise<void> {
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
    await noteWorker(pool, id, roles(), folder);
    if (alive?.takesWork() === true) await writeFile(alive.file, '');
  };
  const regions = fetching?.regions;
  const ofFetching: readonly Look[] =
    fetching === null
      ? []
      : [
          {
            run: () => noteLoads(pool, id, JSON.stringify(fetching.loads())),
            fault: 'this worker could not say how full its stages are',
          },
          { run: tellOutages, fault: 'this worker could not say what is out' },
          ...(regions === undefined
            ? []
            : [
                {
                  run: () => regions.note(),
                  fault: 'this worker could not say in which regions it fetches',
                },
              ]),
        ];
  const fault = 'this worker could not record that it is at work';
  const stop = keep([{ everyMs: 5_000, looks: [{ run: note, fault }, ...ofFetching] }], log);
  return async (lost) => {
    await stop();
    if (lost) return;
    await forgetWorker(pool, id).catch((error: unknown) => {
      log.debug({ err: error }, 'this worker could not record that it has left');
    });
  };
}
