/**
 * What a backup consists of, and which parts of a repository belong to a backup. A repository is a folder or a prefix
 * of a bucket:
 *
 *   backups/<id>.json           a backup. Written last: without it there is none
 *   removed/<when>_<id>.json    one that was removed. Its parts stay for `graceDays`
 *   parts/<id>/<number>         bytes that the backup <id> was the first to store; later backups name them as well
 *
 * Nothing is ever written twice under one name, so a backup that is under way, or was killed, changes nothing of those
 * that are there; and several may write and remove at once, since parts outlive their last backup by longer than a
 * backup may take.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** Bytes of a part before it is compressed. */
export const partBytes = 16 * 1024 ** 2;
/** Days for which parts are kept that no backup names (any more). A backup that takes as long is not named. */
export const graceDays = 7;

const count = z.int().nonnegative();

const part = z.object({
  name: z.string().regex(/^parts\/[\w-]+\/\d+$/),
  /** Of the bytes before they were compressed, in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: count.max(partBytes),
  stored: count,
});
export type Part = z.infer<typeof part>;

/** Some bytes of a part: its place in `parts`, where they begin, how many they are. */
const piece = z.tuple([count, count, count]);
export type Piece = z.infer<typeof piece>;

/**
 * A path below the folder that is restored: it cannot lead out of it. Any name besides: people and their editors leave
 * files such as `pg_hba.conf~` in the folder of Postgres.
 */
const below = z.string().refine((path) => {
  const [top = '', ...names] = path.split('/');
  return (
    ['postgres', 'temporal', 'blobs'].includes(top) &&
    names.length > 0 &&
    names.every((name) => !['', '.', '..'].includes(name) && !name.includes('\0'))
  );
}, 'not a path below the data folder');

const file = z.object({ path: below, pieces: z.array(piece) });
export type BackedFile = z.infer<typeof file>;

export const manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  /** Of the program that made it. */
  version: z.string(),
  instance: z.string(),
  /** The state that a restore leads back to is that of this moment. */
  moment: z.iso.datetime(),
  seconds: z.number(),
  hasTemporal: z.boolean(),
  /** `elsewhere`: in the bucket of the archive, which is not copied. `missing`: the file was not there, or too short. */
  segments: z.object({ copied: count, elsewhere: count, missing: z.array(z.string()) }),
  /** Tells whether a key fits, the one that sealed; null: the instance had none in its data folder. */
  keyPrint: z.string().nullable(),
  /** Of all its keys (backup/keys.ts). Absent: it could have but one. */
  keyPrints: z.array(z.string()).optional(),
  /** For people: the settings of the process that made it, without secrets. */
  settings: z.record(z.string(), z.unknown()),
  folders: z.array(below),
  parts: z.array(part),
  files: z.array(file),
});
export type Manifest = z.infer<typeof manifest>;

export const bytesOf = ({ parts }: Pick<Manifest, 'parts'>): number =>
  parts.reduce((sum, { stored }) => sum + stored, 0);

/** Bytes that this backup was the first to store. */
export const addedBy = ({ id, parts }: Pick<Manifest, 'id' | 'parts'>): number =>
  bytesOf({ parts: parts.filter(({ name }) => name.startsWith(`parts/${id}/`)) });

/** Sorts by time. @param at now */
export const newId = (at: Date): string =>
  `${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;

/** When an id was made, in epoch milliseconds; null: it is none. */
export function timeOf(id: string): number | null {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6}$/.exec(id);
  if (found === null) return null;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = found;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

export const nameOf = (id: string): string => `backups/${id}.json`;
export const idOf = (name: string): string | null => {
  const id = /^backups\/(.*)\.json$/.exec(name)?.[1] ?? '';
  return timeOf(id) === null ? null : id;
};
/** @param at the moment of the removal */
export const removedName = (id: string, at: Date): string => `removed/${newId(at)}_${id}.json`;

/**
 * The objects that nobody needs any more: manifests that were removed long ago, and parts that are old and that no
 * manifest names. What this program does not know stays.
 * @param all names of all objects below `removed/` and `parts/`
 * @param named parts of all manifests, of those in `removed/` too that stay
 */
export function garbage(all: readonly string[], named: ReadonlySet<string>, now: number): string[] {
  const isOld = (id: string | undefined): boolean => {
    const at = timeOf(id ?? '');
    return at !== null && at < now - graceDays * 86_400_000;
  };
  return all.filter((name) => {
    const [folder, id] = name.split('/');
    if (folder === 'removed') return isOld(id?.split('_')[0]);
    return folder === 'parts' && !named.has(name) && isOld(id);
  });
}
