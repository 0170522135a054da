/** The instance: its id, the secret of its cursors, the Temporal namespace it belongs to. */
import { statement } from '../postgres/index.ts';

/** The id of this database (a UUID), which is part of every key in shared caches. */
export const instanceId = statement<[], { id: string }>('instance-id')`select id from instance`;

/** 32 bytes that only this database knows. */
export const cursorSecret = statement<[], { secret: Buffer }>('cursor-secret')`
   select cursor_secret as secret from instance`;

/** Id of the Temporal namespace that has the workflows of all work; null: none has them yet. */
export const temporalNamespace = statement<[], { id: string | null }>('temporal-namespace')`
   select temporal_namespace as id from instance`;

export const noteTemporalNamespace = statement<[id: string]>('note-temporal-namespace')`
   update instance set temporal_namespace = $1`;
