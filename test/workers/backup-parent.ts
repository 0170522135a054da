/** A worker that makes a backup by the schedule, as far as the backup is concerned: to be killed while it is made. */
import { loadConfig } from '../../config/config.ts';
import { createPool } from '../../storage/postgres/index.ts';
import { backupJobs } from '../../workers/backups.ts';

const pool = createPool('postgres://127.0.0.1:1/none', 1, () => undefined);
const { signal } = new AbortController();
await backupJobs(loadConfig(), pool).work({ id: 'stack', tries: 1, signal, goOn: () => true });
