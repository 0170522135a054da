/**
 * Data folders of releases, packed in `test/releases/<version>.tar.zst`: `data/`, as a stack of that release has left it
 * with a crawl in its middle, and `statements.json`, the SQL of that release by name.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { postgresUser } from '../../stack/system-user.ts';

const folder = import.meta.dirname;
const ending = '.tar.zst';
/** A window of 128 MiB: the four databases of a cluster have the same catalogues. */
const windowLog = 27;
/** The most that a release may take in the repository. */
const mostBytes = 2 * 1024 ** 2;

const fileOf = (version: string): string => path.join(folder, `${version}${ending}`);

/** The earliest first. */
export const releases = readdirSync(folder)
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

const tar = (...args: readonly string[]): Buffer => {
  const { status, stdout, stderr } = spawnSync('tar', args, { maxBuffer: 1024 ** 3 });
  if (status !== 0) throw new Error(`tar ${args.join(' ')}: ${stderr.toString()}`);
  return stdout;
};

/** Packs a folder with `data/` and `statements.json`. Answers the bytes that it takes. */
export function pack(version: string, from: string): number {
  const packed = zstdCompressSync(tar('-c', '--sort=name', '-C', from, 'data', 'statements.json'), {
    params: {
      [constants.ZSTD_c_compressionLevel]: 19,
      [constants.ZSTD_c_windowLog]: windowLog,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  });
  if (packed.length > mostBytes) throw new Error(`${version} would take ${String(packed.length)} bytes`);
  writeFileSync(fileOf(version), packed);
  return packed.length;
}

/** Unpacks a release into a folder that is there. Answers its data folder. */
export function unpack(version: string, into: string): string {
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  const unpacked = path.join(into, 'release.tar');
  writeFileSync(unpacked, zstdDecompressSync(readFileSync(fileOf(version)), { params }));
  tar('-x', '-f', unpacked, '-C', into);
  const data = path.join(into, 'data');
  const user = postgresUser();
  // On another machine it has another number.
  if (user !== null)
    spawnSync('chown', ['-R', `${String(user.uid)}:${String(user.gid)}`, path.join(data, 'postgres')]);
  return data;
}

/** The SQL of a release, by the name of each statement. */
export function statementsOf(version: string): Readonly<Record<string, string>> {
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  const archive = zstdDecompressSync(readFileSync(fileOf(version)), { params });
  const { stdout } = spawnSync('tar', ['-x', '-O', '-f', '-', 'statements.json'], {
    input: archive,
    maxBuffer: 1024 ** 3,
  });
  return JSON.parse(stdout.toString()) as Readonly<Record<string, string>>;
}
