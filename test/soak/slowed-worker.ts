/**
 * Becomes a worker whose reading or whose disk is as slow as a file says (slowness.ts), and that tells how full the
 * stages behind its requests were at most.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pressure } from '../../engine/pressure/pressure.ts';
import { Archive, RecentBodies } from '../../storage/archive/index.ts';
import { readSlowness, soakFolder, writeFullest, type Fullest } from './slowness.ts';

const folder = soakFolder();
const lookMs = 100;
let slowness = readSlowness(folder);
let fullest: Fullest = {};

/** Each call takes `ms`, one after another, as at one slow device. */
function inLine(ms: () => number): () => Promise<void> {
  let line: Promise<unknown> = Promise.resolve();
  return async () => {
    if (ms() === 0) return;
    const mine = line.then(() => sleep(ms()));
    line = mine;
    await mine;
  };
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its object below
const read = RecentBodies.prototype.get;
const readInLine = inLine(() => slowness.readMs);
RecentBodies.prototype.get = async function (this: RecentBodies, ...at) {
  await readInLine();
  return read.apply(this, at);
};

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its object below
const put = Archive.prototype.put;
const putInLine = inLine(() => slowness.diskMs);
Archive.prototype.put = async function (this: Archive, ...capture) {
  await putInLine();
  return put.apply(this, capture);
};

const loads = Object.getOwnPropertyDescriptor(Pressure.prototype, 'loads');
Object.defineProperty(Pressure.prototype, 'loads', {
  ...loads,
  get(this: Pressure) {
    const now = loads?.get?.call(this) as Pressure['loads'];
    for (const { stage, used } of now) fullest = { ...fullest, [stage]: Math.max(fullest[stage] ?? 0, used) };
    return now;
  },
});

setInterval(() => {
  const next = readSlowness(folder);
  if (next.phase !== slowness.phase) fullest = {};
  slowness = next;
  writeFullest(folder, slowness.phase, fullest);
}, lookMs).unref();

await import('../../workers/main.ts');
