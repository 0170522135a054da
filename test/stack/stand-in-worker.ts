/** A worker that does nothing until it is asked to end. */
import { loadServiceConfig } from '../../config/config.ts';

loadServiceConfig();
process.stdout.write(`${JSON.stringify({ level: 30, pid: process.pid, msg: 'ready' })}\n`);
const busy = setInterval(() => undefined, 1000);
process.once('SIGTERM', () => {
  clearInterval(busy);
});
