/** Caps on hosts together: what operators set, who has which permits, and which hosts wait for one. */
export { atBooks } from './books.ts';
export { clearCap, listCaps, loadCaps, setCap } from './caps.sql.ts';
export {
  addHolder,
  hostCapWait,
  noteWaits,
  readGroups,
  removeHolder,
  renewHolder,
  someGroups,
} from './permits.sql.ts';
