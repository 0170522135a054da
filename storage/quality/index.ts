/** The quality of hosts. */
export { lookAtQuality, pinQuality } from './quality.ts';
export { hasPoorHosts, poorHosts, qualitiesOf, type QualityRow } from './quality.sql.ts';
