/** The write that shows whether Postgres takes writes. */
import { statement } from './statement.ts';

/**
 * Writes 4 MB to a table that is gone when the statement is over: shows that the disk has room and that writing is
 * allowed.
 */
export const writeAndForget = statement<[], never>('write-and-forget')`
   create temporary table orbweaver_probe on commit drop as
   select repeat(md5(line::text), 60) as filling from generate_series(1, 2000) as line`;
