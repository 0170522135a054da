/** Starts a service that does not end when asked to, on a leash, and tells its pid. */
import { openSync } from 'node:fs';
import path from 'node:path';
import { spawnTethered } from '../../stack/tether.ts';

const root = process.argv[2] ?? '';
const ready = path.join(root, 'stubborn.ready');
const { id, exited } = await spawnTethered({
  command: '/bin/sh',
  args: ['-c', `trap '' TERM; echo >"${ready}"; while :; do sleep 0.1; done`],
  env: { PATH: process.env['PATH'] ?? '' },
  cwd: root,
  stopSignal: 'SIGTERM',
  orphanGraceSeconds: 1,
  output: openSync(path.join(root, 'stubborn.log'), 'a'),
});
process.stdout.write(String(id.pid));
await exited;
