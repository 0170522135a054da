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

/** @param id null: the latest, where all are of one stack @throws StackError */
export async function findBackup(repository: Repository, id: string | null): Promise<Manifest> {
  const all = await listBackups(repository);
  const found = id === null ? all.at(-1) : all.find((each) => each.id === id);
  const latest = [...new Map(all.map((each) => [each.instance, each.id])).values()];
  if (found !== undefined && id === null && latest.length > 1)
    throw new StackError(
      `${repository.place} has backups of ${String(latest.length)} stacks, of which the latest are ${latest.join(', ')}: say which by --backup ID.`,
    );
  if (found !== undefined) return found;
  throw new StackError(`There is no backup ${id === null ? '' : `${id} `}in ${repository.place}.`);
}

/** What may go: nothing as long as fewer than so many are whole, and nothing that is as young as the oldest of these. */
function olderThanLatest(all: readonly Manifest[], keep: number): readonly Manifest[] {
  if (keep === 0) return all;
  const whole = all.filter(({ segments }) => segments.missing.length === 0);
  const oldest = whole.at(-keep);
  return oldest === undefined ? [] : all.filter(({ id }) => id < oldest.id);
}

/**
 * Removes all backups of a stack but its latest so many that are whole, and what nobody needs any more. May be killed at any instant, and run beside
 * backups and others like it.
 * @param instance of the stack. A restore gives a stack another one, and what it had made before stays.
 * @returns the ids that were removed
 */
export async function keepLatest(
  repository: Repository,
  keep: number,
  instance: string,
  now = Date.now(),
): Promise<string[]> {
  const own = (await listBackups(repository)).filter((each) => each.instance === instance);
  const gone = olderThanLatest(own, keep);
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
