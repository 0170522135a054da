/** Default folders, by the XDG base directory specification (0.8). */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Where the data of a root-owned stack lives when root's home is closed: Postgres runs as a user of its own. */
const systemDataDir = '/var/lib/orbweaver';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A relative XDG path must be ignored (XDG base directory specification, "Environment variables"). */
const xdgFolder = (env: Environment, name: string, home: string, fallback: string): string => {
  const given = env[name];
  return path.join(
    given !== undefined && path.isAbsolute(given) ? given : path.join(home, fallback),
    'orbweaver',
  );
};

const homeOf = (env: Environment): string =>
  env['HOME'] !== undefined && path.isAbsolute(env['HOME']) ? env['HOME'] : homedir();

const closedToOthers = (folder: string): boolean => {
  try {
    return (statSync(folder).mode & 0o001) === 0;
  } catch {
    return false;
  }
};

const ancestors = (folder: string): string[] => {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
};

/**
 * The data folder when ORBWEAVER_DATA is not set: `$XDG_DATA_HOME/orbweaver`, else `~/.local/share/orbweaver`; for
 * root, when a folder on that way is closed to other users, /var/lib/orbweaver.
 */
export const defaultDataDir = (env: Environment, uid: number | undefined = process.getuid?.()): string => {
  const folder = xdgFolder(env, 'XDG_DATA_HOME', homeOf(env), path.join('.local', 'share'));
  return uid === 0 && ancestors(path.dirname(folder)).some(closedToOthers) ? systemDataDir : folder;
};

/** The cache folder when ORBWEAVER_CACHE is not set. */
export const defaultCacheDir = (env: Environment): string =>
  xdgFolder(env, 'XDG_CACHE_HOME', homeOf(env), '.cache');
