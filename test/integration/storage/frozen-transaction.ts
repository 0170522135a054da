/** A process that is frozen with a host's row in its hand, and says what became of it: `outage`, `committed`, or the error. */
import { createPool, inTransaction, isStorageOutage } from '../../../storage/postgres/index.ts';
import { changeHost } from '../../support/database/index.ts';

const [url = '', origin = ''] = process.argv.slice(2);
const pool = createPool(url, 1, () => undefined);
try {
  await inTransaction(pool, async (db) => {
    await changeHost(db, origin, { paused_reason: 'frozen' });
    process.kill(process.pid, 'SIGSTOP');
  });
  console.log('committed');
} catch (error) {
  console.log(isStorageOutage(error) ? 'outage' : error);
}
await pool.end();
