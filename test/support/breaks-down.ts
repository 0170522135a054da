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
  parentPort?.postMessage(task);
});
