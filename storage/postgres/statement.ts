/**
 * One SQL statement, named, so that Postgres plans it once per connection (measured: 1.8 × the rate of unnamed
 * statements). Statements stand by family in `storage/<owner>/<family>.sql.ts`.
 */
import type { Queryable } from './pool.ts';

export interface Statement<P extends readonly unknown[], R extends object> {
  (db: Queryable, ...params: P): Promise<Readonly<R>[]>;
  /** The SQL, for the test that prepares every statement against the schema. */
  readonly text: string;
}

/**
 * Takes the SQL as a template: `` statement<[id: string], { state: string }>('crawl-state')`select … where id = $1` ``.
 * Values are always bound (`$1`): what stands in `${…}` becomes part of the SQL when the module is loaded. Without `R`
 * there is no answer.
 * @param name unique over the project, below 64 bytes.
 * @param longestMs milliseconds to wait for an answer, if the pool's own limit does not fit; the server has a limit as
 * well
 */
export function statement<P extends readonly unknown[], R extends object = Record<string, never>>(
  name: string,
  longestMs?: number,
): (parts: readonly string[], ...fragments: readonly (string | number)[]) => Statement<P, R>;
/** The SQL as an argument. */
export function statement<P extends readonly unknown[], R extends object>(
  name: string,
  text: string,
  longestMs?: number,
): Statement<P, R>;
export function statement<P extends readonly unknown[], R extends object>(
  name: string,
  second?: string | number,
  third?: number,
) {
  if (typeof second === 'string') return prepared<P, R>(name, second, third);
  return (parts: readonly string[], ...fragments: readonly (string | number)[]): Statement<P, R> =>
    prepared(name, String.raw({ raw: parts }, ...fragments), second);
}

function prepared<P extends readonly unknown[], R extends object>(
  name: string,
  text: string,
  longestMs?: number,
): Statement<P, R> {
  const limit = longestMs === undefined ? {} : { query_timeout: longestMs };
  const run = async (db: Queryable, ...params: P): Promise<Readonly<R>[]> => {
    const result = await db.query<R>({ name, text, values: [...params], ...limit });
    return result.rows;
  };
  return Object.assign(run, { text });
}
