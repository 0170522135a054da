/** Takes a lock 25 times and writes down when it came in and went out. */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLock } from '../../stack/lock.ts';

const [file = '', log = ''] = process.argv.slice(2);
for (let turn = 0; turn < 25;) {
  const taken = takeLock(file);
  if (!('lock' in taken)) {
    await delay(1);
    continue;
  }
  appendFileSync(log, `${String(process.pid)} ${String(turn)} in\n`);
  await delay(0);
  appendFileSync(log, `${String(process.pid)} ${String(turn)} out\n`);
  taken.lock.release();
  turn++;
}
