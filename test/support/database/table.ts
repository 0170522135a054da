/** One table as a test sees it: its rows, found by what their columns hold. */
import type { Queryable } from '../../../storage/postgres/index.ts';

/** A time by the database's clock. */
class Moment {
  readonly seconds: number;
  constructor(seconds: number) {
    this.seconds = seconds;
  }
}
/** So many seconds from now, by the database's clock; ago where negative. */
export const fromNow = (seconds = 0): Moment => new Moment(seconds);

/** The time before all others. */
export const longAgo = '-infinity';

class Pattern {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** A text that matches, `%` standing for anything. */
export const like = (text: string): Pattern => new Pattern(text);

class Other {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
/** Anything but this; `not(null)` is any value at all. */
export const not = (value: unknown): Other => new Other(value);

/** Rows that one statement adds: a statement that takes longer than some 30 s on a busy machine is given up. */
const mostAtOnce = 10_000;

type Value = string | number | boolean | Date | Buffer | object | null | undefined;
/** Columns by their new values. */
export type Columns<R> = Readonly<Partial<Record<keyof R, Value>>>;
/** Columns by what they hold: a value, one of some, a `like` or a `not`. */
export type Where<R> = Columns<R>;

/** Every time of a row also as milliseconds from when it was read, by the database's clock: `not_before_ms`. */
export type Read<R> = R & { readonly read_at: Date } & {
  readonly [C in keyof R & string as Date extends R[C] ? `${C}_ms` : never]: number;
};

export interface Table<R extends object> {
  rows(db: Queryable, where?: Where<R>): Promise<Read<R>[]>;
  /** The one row; throws where there are none or several. */
  row(db: Queryable, where: Where<R>): Promise<Read<R>>;
  count(db: Queryable, where?: Where<R>): Promise<number>;
  /** @returns how many rows it changed; throws where there is none, since a test means to change something */
  change(db: Queryable, where: Where<R>, columns: Columns<R>): Promise<number>;
  /** As `change`, where there may be no such row. */
  changeAny(db: Queryable, where: Where<R>, columns: Columns<R>): Promise<number>;
  add(db: Queryable, columns: Columns<R>): Promise<R>;
  /** In one statement; the rows name the same columns, and hold no `fromNow`. */
  addAll(db: Queryable, rows: readonly Columns<R>[]): Promise<R[]>;
  remove(db: Queryable, where?: Where<R>): Promise<void>;
}

const timestamp = 1184;

/** @param order the columns by which its rows are read, as SQL */
export function table<R extends object>(name: string, order: string): Table<R> {
  const rows = async (db: Queryable, where?: Where<R>): Promise<Read<R>[]> => {
    const values: unknown[] = [];
    const found = await db.query<Record<string, unknown>>(
      `select *, clock_timestamp() as read_at from ${name} ${condition(where, values)} order by ${order}`,
      values,
    );
    const times = found.fields
      .filter(({ dataTypeID, name: column }) => dataTypeID === timestamp && column !== 'read_at')
      .map((field) => field.name);
    return found.rows.map((row) => {
      const ahead = times.map((time) => [
        `${time}_ms`,
        row[time] === null ? NaN : Number(row[time]) - Number(row['read_at']),
      ]);
      return { ...row, ...Object.fromEntries(ahead) } as Read<R>;
    });
  };
  const changeAny = async (db: Queryable, where: Where<R>, columns: Columns<R>): Promise<number> => {
    const values: unknown[] = [];
    const sets = Object.entries(columns).map(([column, value]) => `${column} = ${bound(value, values)}`);
    const { rowCount } = await db.query(
      `update ${name} set ${sets.join(', ')} ${condition(where, values)}`,
      values,
    );
    return rowCount ?? 0;
  };
  return {
    rows,
    changeAny,
    row: async (db, where) => {
      const [row, ...others] = await rows(db, where);
      if (row === undefined || others.length > 0)
        throw new Error(
          `${String(others.length + Number(row !== undefined))} rows of ${name} are ${JSON.stringify(where)}`,
        );
      return row;
    },
    count: async (db, where) => {
      const values: unknown[] = [];
      const found = await db.query<{ n: number }>(
        `select count(*)::int as n from ${name} ${condition(where, values)}`,
        values,
      );
      return found.rows[0]?.n ?? 0;
    },
    change: async (db, where, columns) => {
      const changed = await changeAny(db, where, columns);
      if (changed === 0) throw new Error(`no row of ${name} is ${JSON.stringify(where)}`);
      return changed;
    },
    add: async (db, columns) => {
      const values: unknown[] = [];
      const bounds = Object.values(columns).map((value) => bound(value, values));
      const made = await db.query<R>(
        `insert into ${name} (${Object.keys(columns).join(', ')}) values (${bounds.join(', ')}) returning *`,
        values,
      );
      return made.rows[0] as R;
    },
    addAll: async (db, all) => {
      const columns = Object.keys(all[0] ?? {}).join(', ');
      const made: R[] = [];
      for (let at = 0; at < all.length; at += mostAtOnce) {
        const some = all.slice(at, at + mostAtOnce);
        const json = JSON.stringify(some.map((row) => Object.fromEntries(Object.entries(row).map(asJson))));
        const { rows } = await db.query<R>(
          `insert into ${name} (${columns}) select ${columns} from json_populate_recordset(null::${name}, $1) returning *`,
          [json],
        );
        made.push(...rows);
      }
      return made;
    },
    remove: async (db, where) => {
      const values: unknown[] = [];
      await db.query(`delete from ${name} ${condition(where, values)}`, values);
    },
  };
}

/** Notes a value to bind; answers how the statement names it. */
function bound(value: unknown, values: unknown[]): string {
  values.push(value instanceof Moment ? value.seconds : value);
  const place = `$${String(values.length)}`;
  return value instanceof Moment ? `now() + ${place}::float8 * interval '1 second'` : place;
}

function condition(where: object | undefined, values: unknown[]): string {
  const parts = Object.entries(where ?? {}).map(([column, value]: [string, unknown]) => {
    if (value === undefined) throw new Error(`${column} is to be compared with nothing`);
    if (value === null) return `${column} is null`;
    if (value instanceof Pattern) return `${column} like ${bound(value.text, values)}`;
    if (value instanceof Other) return `${column} is distinct from ${bound(value.value, values)}`;
    return Array.isArray(value)
      ? `${column} = any (${bound(value, values)})`
      : `${column} = ${bound(value, values)}`;
  });
  return parts.length === 0 ? '' : `where ${parts.join(' and ')}`;
}

const asJson = ([column, value]: [string, unknown]): [string, unknown] => [
  column,
  Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
];
