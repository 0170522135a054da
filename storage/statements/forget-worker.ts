import { statement } from '../statement.ts';

/** A worker process leaves in order. */
export const forgetWorker = statement<[id: string], Record<string, never>>(
  'forget-worker',
  `delete from worker_process where id = $1`,
);
