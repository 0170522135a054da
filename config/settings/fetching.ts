/** How the work is shared out among workers, and how much of it a worker does at a time. */
import { decimal, listOf, oneOf, whole } from '../values.ts';
import { setting } from './setting.ts';

const workerRoles = ['control', 'fetch', 'extract', 'render'] as const;
export type WorkerRole = (typeof workerRoles)[number];

export const fetchingSettings = {
  roles: setting({
    name: 'ORBWEAVER_ROLES',
    type: `list of ${workerRoles.join(', ')}`,
    schema: listOf(workerRoles),
    fallback: 'control,fetch,extract',
    description:
      'Which kinds of work a worker process does. `render` needs a browser, and is best alone in its process.',
  }),
  renderSlots: setting({
    name: 'ORBWEAVER_RENDER_SLOTS',
    type: '1–64',
    schema: whole(1, 64),
    fallback: '2',
    description: 'Number of pages that a worker process renders at the same time.',
  }),
  shards: setting({
    name: 'ORBWEAVER_SHARDS',
    type: '1–64',
    schema: whole(1, 64),
    fallback: '1',
    description: 'Number of shards of hosts, each with a scheduler workflow.',
  }),
  sliceSeconds: setting({
    name: 'ORBWEAVER_SLICE_SECONDS',
    type: 'seconds',
    schema: decimal(0, 300),
    fallback: '10',
    description:
      'How long one visit of a host lasts. With many hosts at work visits last longer, up to 45 minutes. 0: one URL per visit.',
  }),
  activeHosts: setting({
    name: 'ORBWEAVER_ACTIVE_HOSTS',
    type: 'number',
    schema: whole(1, 1_000_000),
    fallback: '3000',
    description:
      'Largest number of hosts at work at the same time, per shard. Hosts that sleep for more than a minute are not counted.',
  }),
  fetchSlots: setting({
    name: 'ORBWEAVER_FETCH_SLOTS',
    type: 'number',
    schema: whole(1, 10_000),
    fallback: '4000',
    description:
      'Number of hosts from which a worker process fetches at the same time. A quarter of them is for hosts in trouble.',
  }),
  maxBodyBytes: setting({
    name: 'ORBWEAVER_MAX_BODY_BYTES',
    type: 'bytes',
    schema: whole(1024, 1024 ** 3),
    fallback: String(10 * 1024 ** 2),
    description: 'Largest number of bytes that are kept of a body, after decompression.',
  }),
  bodyBudgetMb: setting({
    name: 'ORBWEAVER_BODY_BUDGET_MB',
    type: 'MiB',
    schema: whole(1, 65_536),
    fallback: '128',
    description:
      'Memory in a worker process for bodies over 256 KiB that are being fetched; further bodies wait in line.',
  }),
  requestTimeoutSeconds: setting({
    name: 'ORBWEAVER_REQUEST_TIMEOUT_SECONDS',
    type: 'seconds',
    schema: decimal(0.1, 600),
    fallback: '30',
    description: 'Time limit for a whole request, from connecting to the last byte.',
  }),
  http2: setting({
    name: 'ORBWEAVER_HTTP2',
    type: 'on or off',
    schema: oneOf(['on', 'off']),
    fallback: 'on',
    description: 'Whether servers may choose HTTP/2. In either case a host gets one request at a time.',
  }),
} as const;
