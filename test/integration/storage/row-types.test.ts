/**
 * The rows of each statement are what TypeScript takes them for: the columns that Postgres answers, with their types.
 * @module-tag long
 */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createPool } from '../../../storage/postgres/index.ts';
import { declaredRows } from '../../support/declared-rows.ts';
import { allStatements } from '../../support/statements.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await createWorld();
  client = new Client({ connectionString: world.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await world.close();
});

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Asks Postgres which columns a statement answers, without running it (the message Describe of its protocol). */
const described = (text: string): Promise<readonly Field[]> =>
  new Promise((resolve, reject) => {
    let found: readonly Field[] = [];
    client.query({
      submit: (connection: {
        parse: (of: object) => void;
        describe: (of: object) => void;
        sync: () => void;
      }) => {
        connection.parse({ text, name: '', types: [] });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription: ({ fields }: { readonly fields: readonly Field[] }) => {
        found = fields;
      },
      handleError: reject,
      handleReadyForQuery: () => {
        resolve(found);
      },
    } as never);
  });

/** What the driver makes of each type of Postgres (storage/postgres/pool.ts). */
async function kindsByType(): Promise<ReadonlyMap<number, string>> {
  const types = await client.query<{ oid: number; kind: string }>(
    `with kinds as (
       select t.oid, t.typelem,
              case when t.typname in ('int2', 'int4', 'int8', 'float4', 'float8', 'oid') then 'number'
                   when t.typname in ('json', 'jsonb') then 'json'
                   when t.typname = 'bytea' then 'bytes'
                   when t.typname = 'bool' then 'boolean'
                   when t.typname in ('timestamptz', 'timestamp', 'date') then 'Date'
                   else 'string' end as kind, t.typcategory
         from pg_type t)
     select k.oid::int, case when k.typcategory <> 'A' then k.kind
                             when e.kind = 'bytes' or e.kind = 'json' then 'string[]'
                             else e.kind || '[]' end as kind
       from kinds k left join kinds e on e.oid = k.typelem`,
  );
  return new Map(types.rows.map(({ oid, kind }) => [oid, kind]));
}

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A column's value is of the kind that Postgres answers, if it is declared as that kind. */
const isOf = (declared: readonly string[], kind: string): boolean =>
  kind === 'json' || declared.includes('any') || declared.some((each) => each === kind);

it('have the declared columns and types', async () => {
  const kinds = await kindsByType();
  const declared = new Map(declaredRows().map((row) => [row.name, row]));
  expect(declared.size).toBeGreaterThan(450);
  const wrong: string[] = [];
  for (const { preparedAs, text, values } of await allStatements()) {
    const row = declared.get(preparedAs);
    if (row === undefined || /^\s*create /.test(text)) continue;
    const unnamed = row.values.filter((name) => !values.includes(name));
    if (unnamed.length > 0 || values.length !== row.values.length)
      wrong.push(`${preparedAs}: takes ${values.join(', ')}, and is given ${row.values.join(', ')}`);
    const answered = new Map(
      (await described(text)).map(({ name, dataTypeID }): [string, string] => {
        const kind = kinds.get(dataTypeID) ?? 'unknown';
        return row.maker === 'view' ? [camelCase(name), kind.replace('Date', 'string')] : [name, kind];
      }),
    );
    for (const [name, kind] of answered) {
      const types = row.columns.get(name);
      // A view leaves as it is.
      if (types === undefined && row.maker === 'view')
        wrong.push(`${preparedAs}: ${name} is answered, and not declared`);
      if (types !== undefined && !isOf(types, kind))
        wrong.push(`${preparedAs}: ${name} is ${kind}, not ${types.join(' | ')}`);
    }
    for (const name of row.columns.keys())
      if (!answered.has(name)) wrong.push(`${preparedAs}: ${name} is declared, and not answered`);
  }
  expect(wrong).toEqual([]);
});

it('have numbers for 8-byte integers, in lists as well', async () => {
  const pool = createPool(world.databaseUrl, 1, () => undefined);
  onTestFinished(() => pool.end());
  const { rows } = await pool.query(
    `select 9007199254740991::bigint as one, '{1,9007199254740991}'::bigint[] as some`,
  );
  expect(rows).toEqual([{ one: 9007199254740991, some: [1, 9007199254740991] }]);
});
