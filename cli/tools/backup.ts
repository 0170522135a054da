/** `backup`: all that a data folder holds, and back. They work on this machine's folder, not by the API. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { checkRestored, type Checked } from '../../backup/check.ts';
import { findBackup, keepLatest, listBackups } from '../../backup/list.ts';
import { lackedKeys, printsOf, secretKey } from '../../backup/keys.ts';
import { lackedBy, makeBackup } from '../../backup/make.ts';
import { addedBy, bytesOf, type Manifest } from '../../backup/manifest.ts';
import { openRepository } from '../../backup/open-repository.ts';
import type { Repository } from '../../backup/repository.ts';
import { DamagedPart } from '../../backup/parts.ts';
import { endRestore, expectNobody, passOverUnknown, placeBackup } from '../../backup/restore.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import { backupTarget } from '../../config/values.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { startStack } from '../../stack/embedded.ts';
import { findRunningStack } from '../../stack/info.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { sayPlainly } from '../output/lines.ts';
import { moment, writeList, writeOne } from '../output/table.ts';
import { bytes, duration, reasonOf } from '../output/words.ts';
import { lookAtDatabase, prepareDatabase } from '../stack/prepare-database.ts';
import { start } from '../stack/stack.ts';
import { does } from '../verb.ts';

const target = { '[target]': 'a folder, or s3://bucket/prefix; absent: that of ORBWEAVER_BACKUP' } as const;
const which = { '--backup <id>': 'this one, as backup list names it; absent: the latest' } as const;
const readKeep = (text: string): number => {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number from 1 to 99999');
};

export const verbs = [
  does({
    words: 'backup',
    here: true,
    takes: {
      ...target,
      '--keys <file>': 'write the key of what is sealed in Postgres to this file, apart from the backup',
      '--keep <n>': { about: 'remove all backups there but the latest so many', read: readKeep },
      '--json': 'as JSON',
      '--tethered': { about: '', hidden: true },
    },
    examples: ['/mnt/backups', 's3://my-backups/orbweaver --keep 14', '/mnt/backups --keys ~/orbweaver.key'],
    run: async ({ target: to, keys, keep, json, tethered }) => {
      if (tethered) endWithParent();
      const config = here(loadConfig());
      const repository = await opened(to, config);
      const made = await withPostgres(config, (url, stack) => makeBackup(stack, url, repository));
      // After it: the key may have been made meanwhile.
      if (keys !== undefined) await writeKeys(keys, config);
      const { removed, fault } = await removeOld(repository, keep, made.instance);
      writeOne({ ...shown(made), removed }, json, () => linesOf(made, removed, repository.place));
      if (keys === undefined && made.keyPrint !== null) sayPlainly(withoutKeys);
      const lacked = lackedBy(made);
      const faults = [
        ...(fault === null
          ? []
          : [`The backup is made, but older ones could not be removed, and --keep did not hold: ${fault}`]),
        ...(lacked === null ? [] : [`${lacked} It does not count as a backup of everything.`]),
      ];
      // In one line, the last: a job shows it.
      if (faults.length > 0) sayPlainly(faults.join(' '));
      return faults.length === 0 ? exitCodes.ok : exitCodes.failed;
    },
  }),
  does({
    words: 'backup list',
    here: true,
    summary: 'List the backups of a folder or bucket, the latest last.',
    takes: { ...target, '--json': 'as JSON' },
    examples: ['/mnt/backups'],
    run: async ({ target: to, json }) => {
      const repository = await opened(to, loadConfig());
      const isFolder = !repository.place.startsWith('s3://');
      if (isFolder && !existsSync(repository.place))
        throw new CommandError(`There is no folder ${repository.place}.`);
      const found = (await listBackups(repository)).map(shown);
      await writeList(found, json, {
        heads: ['id', 'state of', 'size', 'new', 'took', 'lacks'],
        row: (each) => [
          each.id,
          moment(each.moment),
          bytes(each.bytes),
          bytes(each.added),
          duration(each.seconds),
          each.segments.missing.length === 0 ? '' : counted(each.segments.missing.length, 'segment'),
        ],
        none: 'There are no backups.',
      });
    },
  }),
  does({
    words: 'backup verify',
    here: true,
    summary:
      'Restore a backup into a scratch folder, count every crawl anew there and read bodies of every segment. The exit code is 3 if anything differs.',
    takes: {
      ...target,
      ...which,
      '--scratch <folder>':
        'where to restore it for the moment; it needs as much room as the data folder that was backed up',
      '--json': 'as JSON',
    },
    examples: ['/mnt/backups', 's3://my-backups/orbweaver --scratch /mnt/scratch'],
    run: async ({ target: to, backup: id, scratch, json }) => {
      const given = loadConfig();
      const repository = await opened(to, given);
      const backup = await findBackup(repository, id ?? null);
      const dataDir = mkdtempSync(path.join(scratch ?? tmpdir(), 'orbweaver-verify-'));
      try {
        // The ports of a stack that runs here are taken: this one has its own, which nobody has to know.
        const own = {
          dataDir,
          blobDir: path.join(dataDir, 'blobs'),
          databaseUrl: null,
          postgresPort: null,
        };
        const config = { ...given, ...own };
        const checked = await restored(config, repository, backup, null, 'any');
        return told(checked, backup, json);
      } catch (error) {
        if (!(error instanceof DamagedPart)) throw error;
        return told({ crawls: 0, urls: 0, bodies: 0, faults: [error.message] }, backup, json);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  }),
  does({
    words: 'backup restore',
    here: true,
    summary:
      'Bring a backup back into an empty data folder. Crawls go on from it with the next start of the stack; no host is asked sooner than its delay after the restore.',
    takes: {
      ...target,
      ...which,
      '--keys <file>': 'the file that backup --keys has written',
      '--json': 'as JSON',
    },
    examples: ['/mnt/backups', 's3://my-backups/orbweaver --keys ~/orbweaver.key'],
    run: async ({ target: from, backup: id, keys, json }) => {
      const config = here(loadConfig());
      const repository = await opened(from, config);
      const backup = await findBackup(repository, id ?? null);
      const key = keys === undefined ? null : await readKeys(keys);
      const checked = await restored(config, repository, backup, key);
      const code = told(checked, backup, json);
      if (lackedKeys(backup, key) > 0) sayPlainly(key === null ? lostWithoutKeys : lostWithSome);
      sayPlainly(next(config, backup));
      return code;
    },
  }),
  does({
    words: 'backup adopt',
    here: true,
    summary:
      'After a Postgres of your own was brought back by its own tools, and before anything starts on it: count every host as asked just now, pass over what was given out since, and count every crawl anew. The exit code is 3 if anything differs.',
    takes: { '--json': 'as JSON' },
    run: async ({ json }) => {
      const config = loadConfig();
      const { databaseUrl } = config;
      if (databaseUrl === null)
        throw new CommandError('This is for a Postgres of your own: set ORBWEAVER_DATABASE_URL.');
      await expectNobody(databaseUrl);
      await prepareDatabase(databaseUrl, config);
      await passOverUnknown(databaseUrl, { moment: new Date().toISOString() });
      return told(await checkRestored(config, databaseUrl), null, json);
    },
  }),
];

/** Milliseconds between two empty lines by which whoever started this process hears that it is not frozen. */
const signMs = 1_000;

/** Whoever started this process holds the other end of its input, a pipe, which does not keep it from ending by itself. */
function endWithParent(): void {
  process.stdin
    .once('end', () => process.exit(exitCodes.interrupted))
    .resume()
    .unref();
  setInterval(() => process.stderr.write('\n'), signMs).unref();
}

/** A backup that is made stays made, whatever becomes of older ones: the next one removes them. */
async function removeOld(repository: Repository, keep: number | undefined, instance: string) {
  if (keep === undefined) return { removed: [], fault: null };
  try {
    return { removed: await keepLatest(repository, keep, instance), fault: null };
  } catch (error) {
    return { removed: [], fault: reasonOf(error) };
  }
}

const withoutKeys =
  'Not in the backup: the key of what is sealed in Postgres. Without it the sessions of crawls cannot be opened after a restore. Write it with --keys FILE, and keep that file elsewhere.';
const lostWithoutKeys =
  'Restored without --keys: sessions of crawls cannot be opened, and have to be added anew (orbweaver session add).';
const lostWithSome =
  'The file of --keys lacks a key that the instance had: what it had sealed cannot be opened, and sessions of crawls may have to be added anew (orbweaver session add).';
const next = ({ dataDir }: Config, { moment: at }: Manifest): string =>
  `${dataDir} is as it was at ${moment(at)}. What was fetched after that is fetched again. Make sure that the stack that was backed up runs no more, then: orbweaver up`;

/** @throws CommandError where the services are not the embedded ones */
function here(config: Config): Config {
  if (config.databaseUrl === null) return config;
  throw new CommandError(
    'ORBWEAVER_DATABASE_URL names a Postgres of your own, which has its own tools: docs/backup.md says how to use them.',
  );
}

function opened(target: string | undefined, config: Config): Promise<Repository> {
  const place = target ?? config.backupTarget;
  if (place === null) throw new CommandError('Name a folder or s3://bucket/prefix, or set ORBWEAVER_BACKUP.');
  const judged = backupTarget.safeParse(place);
  if (!judged.success) throw new CommandError(`${place}: ${judged.error.issues[0]?.message ?? ''}`);
  const away = path.relative(config.dataDir, path.resolve(place));
  if (!place.startsWith('s3://') && !away.startsWith('..') && !path.isAbsolute(away))
    throw new CommandError(`${place} is in the data folder, and would be lost with it: name another place.`);
  return openRepository(place, config);
}

/**
 * Uses the Postgres of the stack that runs, or starts it for the moment. It is not migrated: a backup before an update is
 * the way back from the migrations of that update.
 */
async function withPostgres<T>(
  config: Config,
  work: (url: string, config: Config) => Promise<T>,
): Promise<T> {
  const running = findRunningStack(config.dataDir);
  // Its bodies are where it has put them, whatever this command was given.
  const stack = { ...config, blobDir: running?.blobDir ?? config.blobDir };
  const known = async (url: string): Promise<T> => {
    const { last, refusal } = await lookAtDatabase(url);
    if (last === null) throw nothing(config);
    if (refusal !== null) throw new CommandError(`${refusal.says} ${refusal.cure}`);
    return work(url, stack);
  };
  if (running !== null) return known(running.postgresUrl);
  if (!existsSync(path.join(config.dataDir, 'postgres'))) throw nothing(config);
  sayPlainly('Starting Postgres for the moment …');
  const migrate = (): Promise<void> => Promise.resolve();
  const own = await startStack({
    config,
    owner: 'crawl',
    migrate,
    workers: [],
    api: false,
    services: 'postgres',
  });
  try {
    return await known(own.postgresUrl);
  } finally {
    await own.stop();
  }
}

const nothing = ({ dataDir }: Config): CommandError =>
  new CommandError(`There is nothing to back up: no stack has stored anything in ${dataDir} yet.`);

/** Restores into the folder of `config`, and says whether all is well there. */
async function restored(
  config: Config,
  repository: Repository,
  backup: Manifest,
  key: string | null,
  ports?: 'any',
): Promise<Checked> {
  await placeBackup(config, repository, backup, key);
  const stack = await start({
    config,
    owner: 'crawl',
    say: sayPlainly,
    parts: 'postgres',
    restoring: true,
    ...(ports !== undefined && { ports }),
  });
  let checked;
  try {
    await passOverUnknown(stack.postgresUrl, backup);
    checked = await checkRestored(config, stack.postgresUrl);
  } finally {
    await stack.stop();
  }
  await endRestore(config.dataDir);
  return checked;
}

const shown = (made: Manifest) => ({
  id: made.id,
  instance: made.instance,
  moment: made.moment,
  bytes: bytesOf(made),
  added: addedBy(made),
  seconds: made.seconds,
  segments: made.segments,
});

const linesOf = (made: Manifest, removed: readonly string[], place: string): string[] => [
  `Backup ${made.id} in ${place} ${lackedBy(made) === null ? 'is whole' : 'LACKS BODIES'}: the state of ${moment(made.moment)}.`,
  `  ${bytes(bytesOf(made))}, of which ${bytes(addedBy(made))} are new, in ${duration(made.seconds)}`,
  `  ${counted(made.segments.copied, 'segment')} of bodies` +
    (made.segments.elsewhere === 0
      ? ''
      : `; ${grouped(made.segments.elsewhere)} in the bucket of the archive are not copied`),
  ...removed.map((id) => `  removed: ${id}`),
];

function told(checked: Checked, backup: Manifest | null, json: boolean): ExitCode {
  const { crawls, urls, bodies, faults } = checked;
  writeOne({ id: backup?.id ?? null, ...checked }, json, () => [
    `${backup === null ? 'Adopted' : `Backup ${backup.id}`}: ${counted(crawls, 'crawl')} with ${counted(urls, 'URL')} counted anew, ${counted(bodies, 'body', 'bodies')} read: ${faults.length === 0 ? 'all agree.' : 'NOT all agree.'}`,
    ...faults.map((fault) => `  ${fault}`),
  ]);
  return faults.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function writeKeys(file: string, config: Config): Promise<void> {
  const keys = await secretKey(config);
  if (keys === null) {
    sayPlainly(
      config.secretKeys === null
        ? 'The instance has no key yet: nothing is sealed.'
        : 'The keys are those of ORBWEAVER_SECRET_KEY: keep them yourself.',
    );
    return;
  }
  try {
    await writeFile(file, keys, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    const there = printsOf(await readFile(file, 'utf8').catch(() => null));
    if (printsOf(keys).some((print) => !there.includes(print)))
      throw new CommandError(
        `The backup is made, but the key cannot be written to ${file}: ${reasonOf(error)}.`,
      );
  }
}

async function readKeys(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`The file of keys ${file} cannot be read: ${reasonOf(error)}.`);
  }
}
