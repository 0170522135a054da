/** A thread that fails as it is told. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (task: string) => {
  if (task === 'throw') throw new Error('nobody catches this');
  if (task === 'late') {
    setImmediate(() => {
      throw new Error('nobody waits for this');
    });
  }
  if (task === 'heap') {
    const hoard: object[][] = [];
    for (;;) hoard.push(Array.from({ length: 1_000 }, (_, at) => ({ at })));
  }
  if (task === 'work') for (;;);
  if (task === 'wait') return;
  // As on a machine that gives the thread no turn: neither work nor a loop that waits for something to do.
  if (task === 'stand still') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
  parentPort?.postMessage(task);
});
