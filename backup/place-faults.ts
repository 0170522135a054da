/** What is wrong with the place of backups, in a sentence that says what to do: a disk or a bucket says a code at best. */
import { errorCode, messageOf, StackError } from '../stack/errors.ts';
import type { Repository } from './repository.ts';

const full = 'Make room there, or name another place; what was stored so far is removed by a later backup.';
const closed = 'Let the user of this command write there, or name another place.';

const ofFolder: Readonly<Record<string, readonly [why: string, cure: string]>> = {
  ENOSPC: ['its disk is full', full],
  EDQUOT: ['the quota of its disk is used up', full],
  EROFS: ['its file system is read-only', 'Mount it for writing, or name another place.'],
  EACCES: ['permission is denied', closed],
  EPERM: ['permission is denied', closed],
  ENOTDIR: ['a file is where a folder would have to be', 'Name a folder.'],
  EEXIST: ['a file is where a folder would have to be', 'Name a folder.'],
};

const ofBucket =
  'Look at its name and the prefix, at the keys (docs/operations.md, "Bodies in S3"), and at ORBWEAVER_S3_ENDPOINT.';

function told({ place }: Repository, what: string, error: unknown): StackError {
  const [why, cure] = place.startsWith('s3://')
    ? [messageOf(error), ofBucket]
    : (ofFolder[errorCode(error) ?? ''] ?? [messageOf(error), 'Look at its disk, or name another place.']);
  return new StackError(`${what} ${place}: ${why}. ${cure}`, { cause: error });
}

/** The same repository, whose faults are all of them StackErrors. */
export function plainly(repository: Repository): Repository {
  const orTold = async <T>(what: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw told(repository, what, error);
    }
  };
  return {
    place: repository.place,
    put: (name, bytes) => orTold('No backup can be stored in', repository.put(name, bytes)),
    get: (name) => orTold('No backup can be read from', repository.get(name)),
    names: (folder) => orTold('No backup can be looked for in', repository.names(folder)),
    remove: (name) => orTold('No backup can be removed from', repository.remove(name)),
    tidy: (before) => orTold('No backup can be removed from', repository.tidy(before)),
  };
}
