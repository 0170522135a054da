/**
 * One SQL statement, named, so that Postgres plans it once per connection (measured: 1.8 × the rate of unnamed
 * statements). Statements stand by family in `storage/<owner>/<family>.sql.ts`.
 */
import type { Queryable } from './pool.ts';

/**
 * `P`: the values by place (`$1`), as a tuple; or, where they are more than four, by name (`$crawlId`), as a record. What
 * is absent there is null.
 */
export interface Statement<P extends object, R extends object> {
  (db: Queryable, ...params: P extends readonly unknown[] ? P : [values: P]): Promise<Readonly<R>[]>;
  /** The SQL, and the names of its values, for the tests that compare every statement with the schema and its types. */
  readonly text: string;
  readonly names: readonly string[];
}

/** Takes the SQL. What stands in `${…}` becomes part of it when the module is loaded: values are always bound. */
type Template<P extends object, R extends object> = (
  parts: readonly string[],
  ...fragments: readonly (string | number)[]
) => Statement<P, R>;

/**
 * Takes the SQL as a template: `` statement<[id: string], { state: string }>('crawl-state')`select … where id = $1` ``.
 * Without `R` there is no answer.
 * @param name unique over the project, below 64 bytes.
 * @param longestMs milliseconds to wait for an answer, if the pool's own limit does not fit; the server has a limit as
 * well
 */
export const statement = <P extends object, R extends object = Record<string, never>>(
  name: string,
  longestMs?: number,
): Template<P, R> => prepared(name, longestMs, (rows) => rows);

/** As `statement`, for rows that leave as they come: names in camel case, instants as text (ISO 8601). */
export const view = <P extends object, R extends object>(name: string): Template<P, R> =>
  prepared(name, undefined, (rows) =>
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [camelCase(key), withoutDates(value)])),
    ),
  );

const prepared =
  <P extends object, R extends object>(
    name: string,
    longestMs: number | undefined,
    read: (rows: object[]) => object[],
  ): Template<P, R> =>
  (parts, ...fragments) => {
    const written = String.raw({ raw: parts }, ...fragments);
    const names = [...new Set(Array.from(written.matchAll(/\$([a-z]\w*)/gi), ([, each = '']) => each))];
    const text = written.replaceAll(
      /\$([a-z]\w*)/gi,
      (_, each: string) => `$${String(names.indexOf(each) + 1)}`,
    );
    const limit = longestMs === undefined ? {} : { query_timeout: longestMs };
    const run = async (db: Queryable, ...params: readonly unknown[]): Promise<object[]> => {
      const [record] = params as readonly Readonly<Record<string, unknown>>[];
      const values = names.length === 0 ? [...params] : names.map((each) => record?.[each]);
      const { rows } = await db.query<object>({ name, text, values, ...limit });
      return read(rows);
    };
    return Object.assign(run, { text, names }) as Statement<P, R>;
  };

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const withoutDates = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDates);
  return value instanceof Date ? value.toISOString() : value;
};
