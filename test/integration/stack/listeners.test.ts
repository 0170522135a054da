/** No port on which the embedded services listen is ever fetched from, those they take at random included. */
import { expect, it } from 'vitest';
import { systemResolver } from '../../../net/resolver.ts';
import { ownServices } from '../../../net/own-services.ts';
import { stackListeners } from '../../../workers/listeners.ts';
import { expectFault, expectResponse, fetching } from '../../net/fetching.ts';
import { rawServer, response } from '../../net/raw-server.ts';
import { bare, startOwnStack } from '../../support/start-stack.ts';
import { until } from '../../support/until.ts';

it.skipIf(process.platform !== 'linux')(
  'the inner ports of Temporal are off limits',
  { tags: ['deep'] },
  async () => {
    const { stack, dataDir, close } = await startOwnStack(bare);
    try {
      const listening = stackListeners(dataDir);
      // The guard of Temporal Web listens in this process: its port is off limits by the setting that names it.
      const named = [stack.temporalAddress, stack.postgresUrl].map((place) =>
        Number(/:(\d+)(?:\/|$)/.exec(place)?.[1]),
      );
      await until('all listen', () => named.every((port) => listening().has(port)));
      // Temporal's frontend is named; its history, matching, worker, metrics and Web are not.
      await until('the others listen too', () => listening().size > named.length + 2);
      const ports = [...listening()];
      const get = fetching({ own: ownServices([], systemResolver, listening) });
      for (const port of ports) {
        for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
          const fault = expectFault(
            await get(`http://${host}:${String(port)}/`, { allowPrivate: ['0.0.0.0/0', '::/0'] }),
          );
          expect(fault).toMatchObject({ fault: 'address-refused' });
        }
      }
      const other = await rawServer((socket) => socket.write(response('not ours')));
      expect(expectResponse(await get(other.origin)).status).toBe(200);
    } finally {
      await close();
    }
  },
);
