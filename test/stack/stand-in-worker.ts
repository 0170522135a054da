/** A worker that does nothing until it is asked to end. */
import { loadServiceConfig } from '../../config/config.ts';

loadServiceConfig();
const busy = setInterval(() => undefined, 1000);
process.once('SIGTERM', () => {
  clearInterval(busy);
});
