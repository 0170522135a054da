/**
 * `node stack/prepare-namespace.ts` makes the namespace of a Temporal that we did not start usable: the namespace
 * exists, keeps closed runs for 30 days, and knows our search attributes. Run it once before workers start
 * (docker-compose.yml does); it is safe to run again, and beside others. It waits for a server that is still coming up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../config/config.ts';
import { messageOf } from './errors.ts';
import { createNamespace, prepareNamespace } from './temporal.ts';

/**
 * Milliseconds. A server on a fresh database takes about a minute; one that does not know its namespace after this is
 * broken.
 */
const patienceMs = 180_000;
const askAgainMs = 2_000;

const { temporalAddress, temporalNamespace } = loadConfig();

async function prepare(address: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await createNamespace(address, temporalNamespace);
      await prepareNamespace(address, temporalNamespace);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      process.stderr.write(`waiting for Temporal at ${address}: ${messageOf(error)}\n`);
      await delay(askAgainMs);
    }
  }
}

try {
  if (temporalAddress === null) throw new Error('ORBWEAVER_TEMPORAL_ADDRESS must be set.');
  await prepare(temporalAddress);
  process.stdout.write(`The namespace ${temporalNamespace} of ${temporalAddress} is ready.\n`);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
