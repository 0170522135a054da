/** The backups of a repository: which there are, and which stay. */
import { z } from 'zod';
import { StackError } from '../stack/errors.ts';
import { garbage, idOf, manifest, nameOf, removedName, graceDays, type Manifest } from './manifest.ts';
import type { Repository } from './repository.ts';

/** @throws StackError where there is something that this program cannot read: nobody must build on it, or remove its parts */
async function read(repository: Repository, name: string): Promise<Manifest | null> {
  const bytes = await repository.get(name);
  if (bytes === null) return null;
  const parsed = manifest.safeParse(jsonOf(bytes));
  if (parsed.success) return parsed.data;
  throw new StackError(`${repository.place}: ${name} is damaged, or of a newer version of Orbweaver.`);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/**
 * Writes the manifest: from now on the backup is there. One that could not be read again would be in the way of every
 * backup, list and removal after it, so it is not written.
 */
export async function nameBackup(repository: Repository, made: Manifest): Promise<void> {
  const read = manifest.safeParse(made);
  if (!read.success)
    throw new StackError(
      `The backup cannot be named, since it could not be read again: ${z.prettifyError(read.error)}`,
    );
  await repository.put(nameOf(made.id), Buffer.from(JSON.stringify(made)));
}

/** The latest last. */
export async function listBackups(repository: Repository): Promise<Manifest[]> {
  const ids = (await repository.names('backups/')).flatMap((name) => idOf(name) ?? []).sort();
  const found: Manifest[] = [];
  for (const id of ids) {
    // Null: it was removed since.
    const each = await read(repository, nameOf(id));
    if (each !== null) found.push(each);
  }
  return found;
}

/**
 * Those of one stack: its own, and those of stacks that had made their last one before its first. A restore gives a stack
 * another name, so it goes on with the backups of the one before; of two stacks that run, each has its own.
 */
function ofStack(all: readonly Manifest[], instance: string): Manifest[] {
  const since = all.slice(all.findIndex((each) => each.instance === instance));
  const beside = new Set(since.map((each) => each.instance));
  return all.filter((each) => each.instance === instance || !beside.has(each.instance));
}

/** @param id null: the latest, where all are of one stack @throws StackError */
export async function findBackup(repository: Repository, id: string | null): Promise<Manifest> {
  const all = await listBackups(repository);
  const found = id === null ? all.at(-1) : all.find((each) => each.id === id);
  if (found !== undefined && (id !== null || ofStack(all, found.instance).length === all.length))
    return found;
  if (found !== undefined)
    throw new StackError(
      `There are backups of several stacks in ${repository.place}: say which by --backup ID. backup list has their ids.`,
    );
  throw new StackError(`There is no backup ${id === null ? '' : `${id} `}in ${repository.place}.`);
}

/**
 * Removes all backups of a stack but its latest so many, and what nobody needs any more. May be killed at any instant, and run beside
 * backups and others like it.
 * @returns the ids that were removed
 */
export async function keepLatest(
  repository: Repository,
  keep: number,
  instance: string,
  now = Date.now(),
): Promise<string[]> {
  const all = ofStack(await listBackups(repository), instance);
  const gone = all.slice(0, Math.max(0, all.length - keep));
  for (const each of gone) {
    // First under the other name: its parts are named all the while.
    await repository.put(removedName(each.id, new Date(now)), Buffer.from(JSON.stringify(each)));
    await repository.remove(nameOf(each.id));
  }
  const parts = await repository.names('parts/');
  // After the list of what there is: what was named since belongs to parts that are too young to go.
  const named = new Set(
    (await listBackups(repository)).flatMap((each) => each.parts.map(({ name }) => name)),
  );
  // Last: what another remover takes out of that list is here before it is gone there.
  const removed = await repository.names('removed/');
  const leaving = new Set(garbage(removed, named, now));
  for (const name of removed.filter((each) => !leaving.has(each)))
    for (const part of (await read(repository, name))?.parts ?? []) named.add(part.name);
  for (const name of [...garbage(parts, named, now), ...leaving]) await repository.remove(name);
  await repository.tidy(now - graceDays * 86_400_000);
  return gone.map(({ id }) => id);
}
