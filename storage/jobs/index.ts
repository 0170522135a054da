/** Jobs on record. */
export { jobsOf, type JobRow, type JobsOf } from './jobs.sql.ts';
