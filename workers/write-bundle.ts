/** `node workers/write-bundle.ts FILE`: bundles the workflows; started by a worker that finds none. */
import { DefaultLogger } from '@temporalio/worker';
import { writeBundle } from './workflow-bundle.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('the file to write is missing');
await writeBundle(file, new DefaultLogger('WARN'));
