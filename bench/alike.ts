/**
 * `npm run bench -- alike`: how long Postgres takes to find the originals that share a band with a fingerprint, by how many
 * originals there are. They are made up: random sketches and sixteen random bands each, as of texts that are not alike.
 * Each size is asked with warm caches, and with cold ones: Postgres has just started, and the system has let go of its
 * files. Exits 1 if the target is missed with warm caches.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAlike, printsLike } from '../storage/alike/index.ts';
import { createPool, type Pool } from '../storage/postgres/index.ts';
import { bare, startOwnStack, type OwnStack } from '../test/support/start-stack.ts';
import { list, script, whole } from '../test/support/script.ts';
import { quantile, table } from './figures.ts';

const { prints: sizes, rounds } = script(
  'bench -- alike',
  'How long it takes to find originals that are alike.',
)
  .option(
    '--prints <counts>',
    'how many originals there are, in turn; each takes 1 kB of disk, and 10000000 some twenty minutes',
    list(whole()),
    [100_000, 1_000_000],
  )
  .option('--rounds <count>', 'look-ups of each kind', whole(), 500)
  .parse()
  .opts<{ prints: readonly number[]; rounds: number }>();
/** Milliseconds for one look-up. */
const target = 1;
/** As many as are judged together. */
const batch = 200;
/** Rows of one insert. */
const chunk = 250_000;
const dayMs = 24 * 3_600_000;

const band = '((random() - 0.5) * 1.8e19)::bigint';
const bands = (of: number): string => `array[${Array.from({ length: of }, () => band).join(', ')}]`;
const bytes = (times: number): string => `decode(repeat(md5(random()::text), ${String(times)}), 'hex')`;
const columns = 'crawl_id, content_id, words, simhash, sketch, numbers, bands';

/** Originals of crawl 1 with these ids. Every eighth text has a template's three bands. */
const originals = `insert into text_print (id, original, ${columns}) overriding system value
  select g, g, 1, g, 400, ${band}, ${bytes(8)}, ${bytes(4)},
         ${bands(18)} || case when g % 8 = 0 then array[g / 64 * 3, g / 64 * 3 + 1, g / 64 * 3 + 2] else ${bands(3)} end
    from generate_series($1::bigint, $2::bigint) g`;

const strangers = `insert into text_print (${columns})
  select 1, -abs(${band}), 400, ${band}, ${bytes(8)}, ${bytes(4)}, ${bands(21)}
    from generate_series(1, $1::bigint) g returning id`;

/** Texts that share eighteen bands with an original; $2 says of which originals, by the rest of their ids by 8. */
const relatives = `insert into text_print (${columns})
  select 1, -abs(${band}), 400, o.simhash, o.sketch, o.numbers, o.bands[4:21] || ${bands(3)}
    from (select (random() * ($3::bigint / 8 - 1))::bigint * 8 + $2::bigint as id from generate_series(1, $1::bigint)) r
    join text_print o on o.id = r.id returning id`;

async function ids(pool: Pool, query: string, given: readonly number[]): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(query, [...given]);
  return rows.map(({ id }) => id);
}

const open = async (own: OwnStack): Promise<Pool> => {
  const pool = createPool(own.stack.postgresUrl, 1, () => undefined, { silentMs: dayMs });
  await pool.query(`set statement_timeout = 0`);
  return pool;
};

/** Has the system let go of its copies of all files in a folder. */
function forgetFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = `of=${join(entry.parentPath, entry.name)}`;
    execFileSync('dd', [file, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none']);
  }
}

const rows: string[][] = [];
const sums: string[] = [];

async function ask(pool: Pool, name: string, asked: readonly number[], judged: boolean): Promise<void> {
  const times: number[] = [];
  let found = 0;
  for (const id of asked) {
    const from = performance.now();
    const like = await printsLike(pool, 1, [id]);
    times.push(performance.now() - from);
    found += like.length;
  }
  const p95 = quantile(times, 0.95);
  const met = p95 < target;
  if (judged && !met) process.exitCode = 1;
  rows.push([
    ...[name, quantile(times, 0.5).toFixed(2), p95.toFixed(2), Math.max(...times).toFixed(1)],
    ...[(found / asked.length).toFixed(1), judged ? (met ? 'met' : 'MISSED') : ''],
  ]);
}

let own = await startOwnStack({ ...bare, services: 'postgres' });
let pool = await open(own);
try {
  const { rows: indexes } = await pool.query<{ name: string; made: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as made
       from pg_index where indrelid = 'text_print'::regclass and not indisunique`,
  );
  await pool.query(`alter table text_print alter column id restart with 1000000000`);
  await pool.query(`alter table text_print set (autovacuum_enabled = off)`);
  let filled = 0;
  for (const size of sizes) {
    const from = performance.now();
    for (const { name } of indexes) await pool.query(`drop index ${name}`);
    for (; filled < size; filled = Math.min(size, filled + chunk)) {
      await pool.query(originals, [filled + 1, Math.min(size, filled + chunk)]);
      process.stderr.write(`${String(Math.min(size, filled + chunk))} prints\n`);
    }
    await pool.query(`set maintenance_work_mem = '2GB'`);
    for (const { made } of indexes) await pool.query(made);
    await pool.query(`reset maintenance_work_mem`);
    await pool.query('vacuum analyze text_print');
    const { rows: bytesOf } = await pool.query<{ of: number; index: number }>(
      `select pg_table_size('text_print') as of, pg_relation_size('text_print_bands') as index`,
    );
    const megabytes = (count: number | undefined): string => `${String(Math.round((count ?? 0) / 1e6))} MB`;
    sums.push(
      `${String(size)} originals: ${megabytes(bytesOf[0]?.of)}, and ${megabytes(bytesOf[0]?.index)} in the index of ` +
        `bands; made in ${((performance.now() - from) / 60_000).toFixed(1)} minutes.`,
    );
    const asked = [
      ['like no other', await ids(pool, strangers, [rounds])],
      ['like one', await ids(pool, relatives, [rounds, 1, size])],
      ['one of a template', await ids(pool, relatives, [rounds, 0, size])],
    ] as const;
    await pool.query('checkpoint');
    for (const warm of [false, true]) {
      if (!warm) {
        await pool.end();
        await own.stack.stop();
        forgetFiles(own.dataDir);
        own = await startOwnStack({ ...bare, services: 'postgres', dataDir: own.dataDir });
        pool = await open(own);
        // The first statement of a connection reads the catalogue.
        await printsLike(pool, 1, [-1]);
      }
      for (const [kind, these] of asked) {
        if (warm) for (const id of these) await printsLike(pool, 1, [id]);
        await ask(pool, `${String(size)}, ${kind}, ${warm ? 'warm' : 'cold'}`, these, warm);
      }
    }
    const all = asked.flatMap(([, these]) => these);
    const begun = performance.now();
    for (let at = 0; at < all.length; at += batch) await printsLike(pool, 1, all.slice(at, at + batch));
    const lookedUp = performance.now();
    const judged = await judgeAlike(pool, dayMs);
    const each = (ms: number): string => `${(ms / all.length).toFixed(2)} ms`;
    sums.push(
      `  ${each(lookedUp - begun)} a print if ${String(batch)} are asked together; ` +
        `${each(performance.now() - lookedUp)} to judge one (${String(judged)} judged).`,
    );
    await pool.query('delete from text_print where content_id < 0');
  }
  process.stdout.write(
    [
      ...sums,
      '',
      table([
        ['look-up among', 'median ms', 'p95 ms', 'most ms', 'found', `p95 < ${String(target)} ms`],
        ...rows,
      ]),
      '',
    ].join('\n'),
  );
} finally {
  await pool.end();
  await own.close();
}
