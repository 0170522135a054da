/** The quality of hosts. */
export { lookAtQuality, pinQuality } from './quality.ts';
export { hasPoorHosts, poorHosts, qualitiesOf } from './quality.sql.ts';
