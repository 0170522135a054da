/** Facts of which an instance has one: its id, its secret, its namespace, and the workers at work. */
export { instanceId, cursorSecret, temporalNamespace, noteTemporalNamespace } from './instance.sql.ts';
export { currentOutages, noteOutages } from './outages.sql.ts';
export { measurePoliteness, notePoliteness } from './politeness.sql.ts';
export { hostPlaces, noteRegions } from './regions.sql.ts';
export { homesOf, silentTimes } from './regions.ts';
export {
  noteLoads,
  measureLoads,
  measureWorkers,
  noteWorker,
  forgetWorker,
  controlPresence,
  anyRenderer,
  isAnyRenderer,
  lostFetchers,
  type ControlPresence,
} from './presence.sql.ts';
