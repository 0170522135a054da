import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../../storage/postgres/index.ts';
import { createWorld } from '../../support/world.ts';

const name = `test_${randomBytes(6).toString('hex')}`;
const urlOf = (database: string): string => {
  const url = new URL(inject('stack').templateUrl);
  url.pathname = `/${database}`;
  return url.href;
};

async function ask(database: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

afterAll(() => ask('postgres', `drop database if exists ${name} with (force)`));

it('brings an empty database to the schema once, however many start at the same time', async () => {
  await ask('postgres', `create database ${name}`);
  const starters = await Promise.all(Array.from({ length: 4 }, () => migrate(urlOf(name))));
  const ran = starters.filter((migrations) => migrations.length > 0);
  expect(ran).toHaveLength(1);
  expect(ran[0]?.[0]).toBe('0001_tenancy');
  expect(await migrate(urlOf(name))).toEqual([]);
  const recorded = await ask(name, 'select name from migration order by id');
  expect(recorded.map((row) => row['name'])).toEqual(ran[0]);
  // The same columns as where a single starter made them.
  const columns = `select table_name, column_name, data_type, column_default from information_schema.columns
                    where table_schema = 'public' order by 1, 2`;
  const world = await createWorld();
  onTestFinished(() => world.close());
  expect(await ask(name, columns)).toEqual(await ask(new URL(world.databaseUrl).pathname.slice(1), columns));
});

it('names the file of a migration that fails, and leaves nothing of it', async () => {
  const [database, folder] = [`${name}_broken`, mkdtempSync(join(tmpdir(), 'orbweaver-migrations-'))];
  await ask('postgres', `create database ${database}`);
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await ask('postgres', `drop database if exists ${database} with (force)`);
  });
  writeFileSync(join(folder, '0001_good.sql'), 'create table good ();');
  writeFileSync(join(folder, '0002_broken.sql'), 'create table half (); select * from nowhere;');
  const failed = migrate(urlOf(database), folder);
  await expect(failed).rejects.toThrow(
    `Migration ${join(folder, '0002_broken.sql')} failed: relation "nowhere"`,
  );
  const tables = await ask(database, `select tablename from pg_tables where schemaname = 'public'`);
  expect(tables.map((row) => row['tablename'])).not.toContain('half');
});

/** A database as it was before a migration. */
async function before(database: string, migration: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-migrations-'));
  await ask('postgres', `create database ${database}`);
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await ask('postgres', `drop database if exists ${database} with (force)`);
  });
  const all = fileURLToPath(new URL('../../../storage/migrations', import.meta.url));
  cpSync(all, folder, { recursive: true, filter: (file) => basename(file) < migration || file === all });
  await migrate(urlOf(database), folder);
}

it('counts the hosts of crawls that are there already', async () => {
  const database = `${name}_hosts`;
  await before(database, '0034_host_counts.sql');
  await ask(
    database,
    `insert into host_queue (host_id, crawl_id, queued, leased) values (1, 1, 2, 0), (2, 1, 0, 3), (3, 1, 0, 0), (1, 2, 5, 1);
     insert into ledger (crawl_id, shard, discovered) values (1, 0, 9), (1, 5, 9)`,
  );
  await migrate(urlOf(database));
  expect(
    await ask(
      database,
      `select crawl_id, sum(discovered)::int as urls, sum(hosts)::int as hosts, sum(waiting_hosts)::int as waiting,
              sum(working_hosts)::int as working from ledger group by crawl_id order by crawl_id`,
    ),
  ).toEqual([
    { crawl_id: '1', urls: 18, hosts: 3, waiting: 1, working: 1 },
    { crawl_id: '2', urls: 0, hosts: 1, waiting: 1, working: 1 },
  ]);
});

it('forgets marks of visits that were cut and are over', async () => {
  const database = `${name}_cuts`;
  await before(database, '0035_cut_leases.sql');
  await ask(
    database,
    `insert into host (origin, shard, lease_token, cut_token)
     values ('http://over', 0, null, 1), ('http://other', 0, 3, 2), ('http://cut', 0, 4, 4)`,
  );
  await migrate(urlOf(database));
  expect(await ask(database, `select origin from host where cut_token is not null`)).toEqual([
    { origin: 'http://cut' },
  ]);
});

it('refuses a database that a newer version wrote, and names its migration', async () => {
  const database = `${name}_newer`;
  await ask('postgres', `create database ${database}`);
  onTestFinished(async () => {
    await ask('postgres', `drop database if exists ${database} with (force)`);
  });
  await migrate(urlOf(database));
  await ask(database, `insert into migration (name, run_on) values ('9999_of_tomorrow', now())`);
  await expect(migrate(urlOf(database))).rejects.toThrow(/written by a newer version.* 9999_of_tomorrow/);
});

it('refuses a database of an unreleased build, and says that an empty one is needed', async () => {
  const database = `${name}_unreleased`;
  await ask('postgres', `create database ${database}`);
  onTestFinished(async () => {
    await ask('postgres', `drop database if exists ${database} with (force)`);
  });
  await ask(
    database,
    `create table migration (id serial primary key, name text, run_on timestamp);
     insert into migration (name, run_on) values ('0001_frontier', now()), ('0057_of_then', now())`,
  );
  await expect(migrate(urlOf(database))).rejects.toThrow(
    /written by an unreleased build .* 0001_frontier\. .* empty database\.$/,
  );
});
