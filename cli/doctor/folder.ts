/** Checks of the data folder: whose it is, who may read its secrets, which Postgres made it, and what was left in it. */
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { lockHolder } from '../../stack/lock.ts';
import { lives, parseId } from '../../stack/processes.ts';
import { packagedPostgres } from '../../stack/postgres.ts';
import { reasonOf } from '../output/words.ts';
import { may, must, unless, type Check, type Problem } from './check.ts';

const secrets = ['postgres.password', 'admin-key', 'secret-key', 'run/stack.json'];

function ownership(root: string): Problem | null {
  const [{ uid }, own] = [statSync(root), process.getuid?.()];
  if (own !== undefined && uid !== own)
    return must(
      `The data folder ${root} belongs to the user ${String(uid)}, and this is ${String(own)}.`,
      'Run Orbweaver as the user to whom the folder belongs, or name another folder with ORBWEAVER_DATA.',
    );
  try {
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return must(
      `The data folder ${root} cannot be written: ${reasonOf(error)}.`,
      'Give its owner that right.',
    );
  }
}

const openSecrets = (root: string): Problem[] =>
  secrets
    .map((name) => path.join(root, name))
    .filter((file) => existsSync(file) && (statSync(file).mode & 0o077) !== 0)
    .map((file) => must(`Others may read the secret in ${file}.`, `chmod 600 ${file}`));

function postgresVersion(root: string): Problem | null {
  const file = path.join(root, 'postgres', 'PG_VERSION');
  if (!existsSync(file)) return null;
  const [made, ours] = [readFileSync(file, 'utf8').trim(), packagedPostgres().version.split('.')[0] ?? ''];
  return made === ours
    ? null
    : must(
        `The database in ${root} was made by Postgres ${made}, and this version has Postgres ${ours}.`,
        `Start the version of Orbweaver that has Postgres ${made} on it, or move the data with pg_upgrade of a Postgres of your own.`,
      );
}

const folder: Check = {
  name: 'data folder',
  look: ({ config: { dataDir, databaseUrl } }) => {
    if (!existsSync(dataDir)) return `${dataDir} is made at the first start`;
    return unless(
      [ownership(dataDir), ...openSecrets(dataDir), databaseUrl === null ? postgresVersion(dataDir) : null],
      dataDir,
    );
  },
};

/** Parts whose process lives though no launcher does. */
const leftParts = (run: string): string[] =>
  readdirSync(run).filter((name) => {
    if (!name.endsWith('.id')) return false;
    const id = parseId(readFileSync(path.join(run, name), 'utf8'));
    return id !== null && lives(id);
  });

const locks: Check = {
  name: 'locks',
  look: ({ config: { dataDir }, running }) => {
    const run = path.join(dataDir, 'run');
    if (running !== null) return `held by the stack that runs (process ${String(running.launcher.pid)})`;
    if (!existsSync(run)) return 'none';
    const holder = lockHolder(path.join(run, 'lock'));
    if (holder?.lives === true)
      return [
        must(
          `Process ${String(holder.pid)} holds ${dataDir}, and no stack answers there: it starts, stops or hangs.`,
          'Wait a minute and look again; if it stays so, end that process.',
        ),
      ];
    const parts = leftParts(run).map((name) => path.parse(name).name);
    return unless(
      [
        parts.length > 0
          ? may(`${parts.join(', ')} are still there without their launcher.`, 'The next start ends them.')
          : null,
      ],
      holder === null
        ? 'none'
        : `process ${String(holder.pid)} has left one, which the next start takes over`,
    );
  },
};

export const folderChecks: readonly Check[] = [folder, locks];
