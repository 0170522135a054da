/** The system user Postgres runs as when we are root: Postgres refuses to run as root itself. */
import { spawnSync } from 'node:child_process';
import { StackError } from './errors.ts';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

const name = 'postgres';

const idOf = (kind: '-u' | '-g'): number | null => {
  const { status, stdout } = spawnSync('id', [kind, name], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : null;
};

const find = (): SystemUser | null => {
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  return uid === null || gid === null ? null : { uid, gid };
};

/**
 * Null if we are not root. Makes the user if it does not exist.
 * @throws StackError if the user cannot be made
 */
export const postgresUser = (): SystemUser | null => {
  if (process.getuid?.() !== 0) return null;
  const existing = find();
  if (existing !== null) return existing;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name]);
  const made = find();
  if (made !== null) return made;
  throw new StackError(
    `Postgres cannot run as root, and the system user "${name}" could not be created: create that user, or start as another user.`,
  );
};

/** Whether a user may run a program or enter a folder; `user` null means ourselves. */
export const mayUse = (user: SystemUser | null, path: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { cwd: '/', ...user }).status === 0;
