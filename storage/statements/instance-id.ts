import { statement } from '../statement.ts';

/** Who this database is (a UUID): part of every key in shared caches. */
export const instanceId = statement<[], { id: string }>('instance-id', `select id from instance`);
