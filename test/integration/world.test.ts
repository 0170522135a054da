import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tables } from '../support/database/index.ts';
import { createWorld, type World } from '../support/world.ts';

let one: World;
let other: World;
beforeAll(async () => {
  [one, other] = await Promise.all([createWorld(), createWorld()]);
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
});

const ask = async (world: World, statement: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
};

it('two worlds have the schema each and see nothing of one another', async () => {
  const tables = `select tablename from pg_tables where schemaname = 'public'`;
  expect(await ask(one, tables)).toContainEqual({ tablename: 'crawl' });
  await ask(one, 'create table mine (n int)');
  expect(await ask(other, tables)).not.toContainEqual({ tablename: 'mine' });
  expect(one.namespace).not.toBe(other.namespace);
  // What they share in Redis is told apart by it.
  expect(await ask(one, 'select id from instance')).not.toEqual(await ask(other, 'select id from instance'));
});

it('a change that finds no row is no silent one', async () => {
  const db = new Client({ connectionString: one.databaseUrl });
  await db.connect();
  try {
    const nowhere = { origin: 'https://nowhere.example' };
    await expect(tables.host.change(db, nowhere, { fed: true })).rejects.toThrow(
      'no row of host is {"origin":"https://nowhere.example"}',
    );
    expect(await tables.host.changeAny(db, nowhere, { fed: true })).toBe(0);
  } finally {
    await db.end();
  }
});
