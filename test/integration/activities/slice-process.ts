/**
 * A process that runs one slice of one host with a worker's own parts, as its environment says (ORBWEAVER_…), and
 * prints how it ended. Argument: JSON { host, freeze: {port, nth} | null }.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import { createFetchActivities } from '../../../activities/fetch.ts';
import { loadServiceConfig } from '../../../config/config.ts';
import type { HostRef } from '../../../contracts/activities.ts';
import { openDependencies } from '../../../workers/dependencies.ts';
import { asActivity } from '../../support/activity.ts';
import { freezeAtConnection } from '../../support/freezing.ts';

export interface SliceOrder {
  readonly host: HostRef;
  readonly freeze: { readonly port: number; readonly nth: number } | null;
}

const { host, freeze } = JSON.parse(process.argv[2] ?? '') as SliceOrder;
const config = loadServiceConfig();
const { workflow, schedule } = new Client({
  connection: Connection.lazy({ address: config.temporalAddress }),
});
const opened = await openDependencies(
  config,
  randomUUID(),
  { workflow, schedule },
  pino({ level: 'silent' }),
);
const activities = createFetchActivities(opened.dependencies);
if (freeze !== null) freezeAtConnection(freeze.port, freeze.nth);
const { fetched } = await asActivity(() => activities.fetchSlice({ ...host, inTrouble: true }));
await opened.close();
writeSync(1, `fetched ${String(fetched)}\n`);
// The next renewal of leases is not waited for.
process.exit();
