/** The quality of hosts. */
export { lookAtQuality } from './quality.ts';
export { hasPoorHosts, pinQuality, poorHosts, qualitiesOf, type QualityRow } from './quality.sql.ts';
