/** What there is once per instance: its id, its secret, the workers at work. */
export { instanceId, cursorSecret, temporalNamespace, noteTemporalNamespace } from './instance.sql.ts';
export { noteWorker, forgetWorker, controlPresence, type ControlPresence } from './presence.sql.ts';
