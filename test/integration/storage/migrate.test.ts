import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { lookAtDatabase, migrate } from '../../../storage/postgres/index.ts';
import { emptyTally } from '../../../domain/reextraction/tally.ts';
import { until } from '../../support/until.ts';
import { createDatabase } from '../../support/world.ts';

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

/** A new database, which goes after the test. */
async function database(suffix: string): Promise<string> {
  const made = `${name}_${suffix}`;
  await ask('postgres', `create database ${made}`);
  onTestFinished(async () => {
    await ask('postgres', `drop database if exists ${made} with (force)`);
  });
  return made;
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
  const world = await createDatabase();
  onTestFinished(() => world.close());
  expect(await ask(name, columns)).toEqual(await ask(new URL(world.databaseUrl).pathname.slice(1), columns));
});

it('names the file of a migration that fails, and leaves nothing of it', async () => {
  const [broken, folder] = [await database('broken'), mkdtempSync(join(tmpdir(), 'orbweaver-migrations-'))];
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, '0001_good.sql'), 'create table good ();');
  writeFileSync(join(folder, '0002_broken.sql'), 'create table half (); select * from nowhere;');
  const failed = migrate(urlOf(broken), folder);
  await expect(failed).rejects.toThrow(
    `Migration ${join(folder, '0002_broken.sql')} failed: relation "nowhere"`,
  );
  const tables = await ask(broken, `select tablename from pg_tables where schemaname = 'public'`);
  expect(tables.map((row) => row['tablename'])).not.toContain('half');
});

it('runs a migration that came later than one with a higher number', async () => {
  const [late, folder] = [await database('late'), mkdtempSync(join(tmpdir(), 'orbweaver-migrations-'))];
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, '0001_first.sql'), 'create table first ();');
  writeFileSync(join(folder, '0003_third.sql'), 'create table third ();');
  await migrate(urlOf(late), folder);
  writeFileSync(join(folder, '0002_second.sql'), 'create table second ();');
  expect(await migrate(urlOf(late), folder)).toEqual(['0002_second']);
});

it('leaves those alone who stand in line behind it, and waits for its lock', async () => {
  const [busy, folder] = [await database('busy'), mkdtempSync(join(tmpdir(), 'orbweaver-migrations-'))];
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, '0001_first.sql'), 'create table first ();');
  await migrate(urlOf(busy), folder);
  writeFileSync(join(folder, '0002_size.sql'), 'alter table first add column size int;');
  writeFileSync(join(folder, '0003_third.sql'), 'create table third ();');
  const reader = new Client({ connectionString: urlOf(busy) });
  await reader.connect();
  try {
    await reader.query('begin; select from first');
    const migrating = migrate(urlOf(busy), folder, { lockMs: 100, restMs: 500, tries: 1_000 });
    const waiting = `select from pg_stat_activity where datname = '${busy}' and wait_event_type = 'Lock'`;
    await until('it waits', async () => (await ask('postgres', waiting)).length > 0);
    // Behind it, while the long read goes on.
    expect(await ask(busy, 'select from first')).toEqual([]);
    // Another one that starts waits for this one, however long that takes.
    const hasty = migrate(urlOf(busy), folder, { lockMs: 100, restMs: 0, tries: 2 });
    await reader.query('commit');
    expect(await migrating).toEqual(['0002_size', '0003_third']);
    expect(await hasty).toEqual([]);

    // What gives up says what it was.
    await reader.query('begin; select from first');
    writeFileSync(join(folder, '0004_more.sql'), 'alter table first add column more int;');
    await expect(migrate(urlOf(busy), folder, { lockMs: 100, restMs: 0, tries: 2 })).rejects.toThrow(
      /0004_more.sql failed: .* lock timeout/,
    );
  } finally {
    await reader.end();
  }
});

const namesIn = async (made: string): Promise<unknown[]> =>
  (await ask(made, 'select name from migration order by id')).map((row) => row['name']);

it('adopts a database that had the migrations which are folded by now, and goes on with it', async () => {
  const adopted = await database('adopted');
  const [folder, all] = [mkdtempSync(join(tmpdir(), 'orbweaver-migrations-')), '../../../storage/migrations'];
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  cpSync(fileURLToPath(new URL(all, import.meta.url)), folder, { recursive: true });
  const known = await migrate(urlOf(adopted), folder);
  await ask(
    adopted,
    `insert into opt_out (domain) values ('kept.example');
     with had as (delete from migration returning name)
     insert into migration (name, run_on)
     select name, now() from (select name from had union values ('0027_same_text'), ('0066_repeated_holds')) n order by name`,
  );
  expect(await namesIn(adopted)).toHaveLength(known.length + 2);
  writeFileSync(join(folder, '9998_next.sql'), 'create table next ();');
  expect(await migrate(urlOf(adopted), folder)).toEqual(['9998_next']);
  expect(await namesIn(adopted)).toEqual([...known, '9998_next']);
  expect(await ask(adopted, 'select domain from opt_out')).toEqual([{ domain: 'kept.example' }]);
});

it('refuses a database that has not had all of them, and says what brings it up to date', async () => {
  const older = await database('older');
  await migrate(urlOf(older));
  await ask(older, `delete from migration where name >= '0031'`);
  await expect(migrate(urlOf(older))).rejects.toThrow(
    /unreleased build .* 0029_boilerplate\. .*start the build whose last migration is 0067_turns_in_order on it first/,
  );
});

it('refuses a database that a newer version wrote, and names its migration', async () => {
  const newer = await database('newer');
  await migrate(urlOf(newer));
  await ask(newer, `insert into migration (name, run_on) values ('9999_of_tomorrow', now())`);
  const refused =
    /written by a newer version.* 9999_of_tomorrow\. Start that newer version, or a later one; or restore/;
  await expect(migrate(urlOf(newer))).rejects.toThrow(refused);
  // A process that would only try again ends, with what to do as its last words.
  const { code, log } = await endedWorker(urlOf(newer));
  expect(code).toBe(1);
  expect(log).toMatch(refused);
});

/** A worker that is started on a database. */
async function endedWorker(databaseUrl: string): Promise<{ code: number | null; log: string }> {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    ORBWEAVER_DATABASE_URL: databaseUrl,
    ORBWEAVER_TEMPORAL_ADDRESS: inject('stack').temporalAddress,
  };
  const worker = spawn(process.execPath, [fileURLToPath(new URL('../../../workers/main.ts', import.meta.url))], { env });
  const log: Buffer[] = [];
  worker.stdout.on('data', (chunk: Buffer) => log.push(chunk));
  const [code] = (await once(worker, 'close')) as [number | null];
  return { code, log: Buffer.concat(log).toString() };
} // prettier-ignore

it('says beforehand what it would run, and changes nothing', async () => {
  const looked = await database('looked');
  expect(await lookAtDatabase(urlOf(looked))).toMatchObject({ last: null, refusal: null });
  const all = await migrate(urlOf(looked));
  const last = all.at(-1) ?? '';
  expect(await lookAtDatabase(urlOf(looked))).toMatchObject({ last, pending: [], refusal: null });
  await ask(looked, `delete from migration where name = '${last}'`);
  expect(await lookAtDatabase(urlOf(looked))).toMatchObject({ last: all.at(-2), pending: [last] });
  await ask(looked, `insert into migration (name, run_on) values ('9999_of_tomorrow', now())`);
  const refusal = { says: expect.stringContaining('9999_of_tomorrow') as unknown };
  expect(await lookAtDatabase(urlOf(looked))).toMatchObject({ refusal });
  expect(await namesIn(looked)).toHaveLength(all.length);
});

it('refuses a database of an unreleased build, and says that an empty one is needed', async () => {
  const unreleased = await database('unreleased');
  await ask(
    unreleased,
    `create table migration (id serial primary key, name text, run_on timestamp);
     insert into migration (name, run_on) values ('0001_frontier', now()), ('0057_of_then', now())`,
  );
  await expect(migrate(urlOf(unreleased))).rejects.toThrow(
    /written by an unreleased build .* 0001_frontier\. .* empty database\.$/,
  );
});

/** A new database with all migrations before one. */
async function databaseBefore(migration: string): Promise<string> {
  const before = await database(`before_${migration.slice(0, 4)}`);
  const [folder, all] = [mkdtempSync(join(tmpdir(), 'orbweaver-migrations-')), '../../../storage/migrations'];
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  cpSync(fileURLToPath(new URL(all, import.meta.url)), folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name >= migration) rmSync(join(folder, name));
  await migrate(urlOf(before), folder);
  return before;
}

it('brings jobs that had tables of their own over, wherever they were', async () => {
  const jobs = '0074_jobs';
  const before = await databaseBefore(jobs);
  await ask(
    before,
    `create type export_state as enum ('waiting', 'running', 'finished', 'failed', 'cancelled');
     create table export_job (
       id bigint, crawl_id bigint, format text, choice jsonb, target text, state export_state, reason text,
       created_at timestamptz default now(), ended_at timestamptz, phase text default 'pages', owner uuid,
       folder uuid default gen_random_uuid(), draft uuid, place text, parts jsonb default '{}', memory jsonb,
       pages bigint default 0, bytes bigint default 0, has_files boolean default true);
     insert into export_job (id, crawl_id, format, choice, target, state, draft, place, parts, memory, pages, bytes)
     values (7, 3, 'csv', '{"fields": [], "filter": {}}', 'folder', 'running', gen_random_uuid(), 'here', '{"file": 9}',
             '5', 2, 9);
     insert into export_job (id, crawl_id, format, choice, target, state, reason, ended_at, has_files)
     values (8, 3, 'wacz', '{"fields": ["text"], "filter": {}}', 'bucket', 'failed', 'no room', now(), false);
     create table search_index (
       crawl_id bigint, state text, store text, place text, round bigint, looked bigint, lost bigint, configs text[],
       asked_at timestamptz default now(), indexed_at timestamptz);
     insert into search_index values (3, 'checking', 'postgres', 'there', 4, 300, 1, '{english}', now(), now()),
                                     (4, 'ready', 'postgres', 'end', 9, 500, 0, '{simple}', now(), '2026-05-01T00:00:00Z'),
                                     (5, 'building', null, null, 0, 0, 0, '{}', now(), null)`,
  );
  expect((await migrate(urlOf(before)))[0]).toBe(jobs);
  const rows = await ask(before, 'select * from job order by kind, id');
  expect(rows).toMatchObject([
    {
      ...{ kind: 'export', id: '7', crawl_id: '3', state: 'running', owner: null, error: null },
      detail: { format: 'csv', choice: { fields: [], filter: {} }, target: 'folder' },
      place: { cursor: 'here', parts: { file: 9 }, memory: 5 },
      progress: { phase: 'pages', pages: 2, bytes: 9 },
    },
    {
      ...{ kind: 'export', id: '8', state: 'failed', error: 'no room', place: null },
      progress: { cleared: true, draft: null },
    },
    {
      ...{
        kind: 'search',
        id: '3',
        crawl_id: '3',
        state: 'running',
        place: { cursor: 'there', checks: true },
      },
      progress: { store: 'postgres', round: 4, looked: 300, lost: 1, configs: ['english'] },
    },
    {
      ...{ kind: 'search', id: '4', state: 'finished', ended_at: new Date('2026-05-01T00:00:00Z') },
      progress: { indexedAt: '2026-05-01T00:00:00.000Z' },
    },
    { kind: 'search', id: '5', state: 'running', progress: { store: null, indexedAt: null } },
  ]);
  expect(rows[0]?.['progress']).not.toHaveProperty('cleared');
  // Nobody else gets the id of an export that there was.
  const [next] = await ask(before, `insert into job (kind, crawl_id) values ('export', 3) returning id`);
  expect(Number(next?.['id'])).toBe(9);
  const old = `select from pg_tables where tablename in ('export_job', 'search_index')`;
  expect(await ask(before, old)).toEqual([]);
});

it('brings re-extractions over, with whatever is left to do', async () => {
  const jobs = '0086_reextractions_as_jobs';
  const before = await databaseBefore(jobs);
  await ask(
    before,
    `insert into reextraction (id, crawl_id, state, until, place, pages, tally, extractor, turns, settled, has_pages, reason)
       overriding system value values
       (11, 3, 'waiting', 90, null, 0, '{}', null, 0, 0, true, null),
       (12, 4, 'running', 90, 40, 30, '{"equal": 20, "different": 10}', 7, 0, 0, true, null),
       (13, 5, 'finished', 90, null, 90, '{}', 7, 2, 2, true, null),
       (14, 6, 'finished', 90, null, 90, '{}', 7, 1, 0, true, null),
       (15, 7, 'keeping', 90, null, 90, '{}', 7, 1, 1, true, null),
       (16, 8, 'failed', 90, null, 9, '{}', 7, 0, 0, true, 'a fault'),
       (17, 8, 'cancelled', 90, null, 9, '{}', 7, 0, 0, false, null),
       (18, 8, 'kept', 90, null, 90, '{}', 7, 1, 1, false, null);
     insert into reading_in_use values (6, 14), (7, 15)`,
  );
  expect((await migrate(urlOf(before)))[0]).toBe(jobs);
  const rows = await ask(
    before,
    `select id::int, state::text, place, progress ->> 'phase' as phase, (progress -> 'isInUse')::boolean as used,
            (progress -> 'isSettled')::boolean as settled
       from job where kind = 'reextraction' order by job.id`,
  );
  expect(rows.map((row) => Object.values(row))).toEqual([
    [11, 'waiting', null, 'reading', false, true],
    [12, 'running', 40, 'reading', false, true],
    [13, 'finished', null, 'finished', false, true],
    [14, 'waiting', null, 'finished', true, false],
    [15, 'waiting', null, 'keeping', true, true],
    [16, 'waiting', null, 'failed', false, true],
    [17, 'finished', null, 'cancelled', false, true],
    [18, 'finished', null, 'kept', false, true],
  ]);
  const [running] = await ask(before, `select crawl_id, detail, progress from job where id = 12`);
  expect(running).toMatchObject({
    crawl_id: '4',
    detail: { until: 90 },
    progress: { extractor: 7, pages: 30, tally: { ...emptyTally, equal: 20, different: 10 } },
  });
  const [failed] = await ask(before, `select error from job where id = 16`);
  expect(failed).toEqual({ error: 'a fault' });
  // Readings name a re-extraction by its id: no other one gets the same.
  const [next] = await ask(
    before,
    `insert into job (kind, crawl_id) values ('reextraction', 3) returning id`,
  );
  expect(Number(next?.['id'])).toBeGreaterThan(18);
});

it('tells of crawls from before that they have reached the hosts that answered them', async () => {
  const reached = '0097_hosts_reached_before';
  const before = await databaseBefore(reached);
  await ask(
    before,
    `insert into tenant (id, name) values (7, 'second');
     insert into crawl (id, tenant_id, config) overriding system value values (3, 7, '{}');
     insert into host (id, origin, shard) overriding system value
     select n, 'https://' || n || '.example', 0 from generate_series(1, 3) n;
     insert into host_queue (host_id, crawl_id) select n, 3 from generate_series(1, 3) n on conflict do nothing;
     insert into url (host_id, crawl_id, key, url, state, depth, priority, fetches) values
       (1, 3, '\\x01', 'https://1.example/', 'done', 0, 0.5, 1), (2, 3, '\\x02', 'https://2.example/', 'excluded', 0, 0.5, 0);
     insert into forgotten values (3, 3, 1, 1, 10)`,
  );
  expect(await migrate(urlOf(before))).toContain(reached);
  const rows = await ask(before, 'select host_id::int, reached from host_queue order by host_id');
  expect(rows.map((row) => Object.values(row))).toEqual([[1, true], [2, false], [3, true]]); // prettier-ignore
});

it('brings what was read over to the bodies to which it belongs', async () => {
  const readings = '0075_readings_of_bodies';
  const before = await databaseBefore(readings);
  const stored = `host_id, crawl_id, key, url, state, depth, priority, status, fetched_at, content_hash, alias_host, alias_key, stage`;
  const answered = `0, 0.5, 200, now() - interval '1 hour'`;
  await ask(
    before,
    `insert into crawl (id, config) overriding system value values (3, '{}');
     insert into host (id, origin, shard) overriding system value values (1, 'https://a.example', 0), (2, 'https://b.example', 0);
     insert into content (crawl_id, hash, site, host_id, key, tenant_id) values
       (3, '\\xaa', 0, 1, '\\x01', 1), (3, '\\xbb', 2, 2, '\\x04', 1), (3, '\\xdd', 0, 1, '\\x05', 1);
     -- A page, its copy, one whose new body waits, one of a site with a seed; the body dd has no page any more.
     insert into url (${stored}) values
       (1, 3, '\\x01', 'https://a.example/1', 'done', ${answered}, '\\xaa', null, null, 0),
       (1, 3, '\\x02', 'https://a.example/2', 'done', ${answered}, '\\xaa', 1, '\\x01', 0),
       (1, 3, '\\x03', 'https://a.example/3', 'done', ${answered}, '\\xcc', null, null, 1),
       (2, 3, '\\x04', 'https://b.example/4', 'done', ${answered}, '\\xbb', null, null, 0),
       (1, 3, '\\x05', 'https://a.example/5', 'dead', ${answered}, null, null, null, 0);
     insert into page (host_id, crawl_id, key, title, words, links, noindex, nofollow, outlinks, extracted_at) values
       (1, 3, '\\x01', 'one', 5, 0, false, false, '', '2026-01-01'), (1, 3, '\\x03', 'old', 5, 0, false, false, '', now()),
       (2, 3, '\\x04', 'four', 5, 0, false, false, '', now());
     insert into reextraction (id, crawl_id, until, state, place) overriding system value
     values (9, 3, 0, 'finished', '{"micros": 1, "host": 1, "key": "01"}');
     insert into reextraction_page (job_id, host_id, key, of, title, words, links, noindex, nofollow, outlinks) values
       (9, 1, '\\x01', '2026-01-01', 'one, renewed', 6, 0, false, false, ''),
       (9, 2, '\\x04', '2026-01-01', 'of an earlier reading', 6, 0, false, false, '');
     insert into reading_in_use values (3, 9);
     insert into text_print (crawl_id, host_id, key, words, simhash, sketch, numbers, bands) values
       (3, 1, '\\x01', 5, 1, '', '', '{}'), (3, 1, '\\x03', 5, 2, '', '', '{}')`,
  );
  expect(await migrate(urlOf(before))).toContain(readings);
  const pages = `select u.url, r.title, r.is_reextracted, t.simhash
                   from url u
                   left join current_reading r on r.crawl_id = u.crawl_id and r.content_id = u.content_id
                   left join text_print t on t.crawl_id = u.crawl_id and t.content_id = u.content_id
                  order by u.key`;
  expect(await ask(before, pages)).toEqual([
    { url: 'https://a.example/1', title: 'one, renewed', is_reextracted: true, simhash: '1' },
    { url: 'https://a.example/2', title: 'one, renewed', is_reextracted: true, simhash: '1' },
    { url: 'https://a.example/3', title: null, is_reextracted: null, simhash: null },
    { url: 'https://b.example/4', title: 'four', is_reextracted: false, simhash: null },
    { url: 'https://a.example/5', title: null, is_reextracted: null, simhash: null },
  ]);
  expect(await ask(before, `select count(*)::int as n from reading`)).toEqual([{ n: 3 }]);
  // Nobody has the body dd: it is settled as soon as somebody looks.
  const due = `select c.hash from content_due d join content c on c.crawl_id = d.crawl_id and c.id = d.content_id`;
  expect(await ask(before, due)).toEqual([{ hash: Buffer.of(0xdd) }]);
});
