/**
 * The cell that the browser runs in: a user of its own, and namespaces of its own. The one of networks has no interface,
 * not even a loopback that is up, so that nothing a page does can reach anybody. The one of processes ends with its first
 * process, so that nothing a page has started outlives the browser.
 *
 * Where the system allows no namespaces, the browser is told of a proxy that does not exist and that no name can be
 * looked up. This holds as far as the browser is obeyed by its own parts; the log says that it is so.
 */
import { spawnSync } from 'node:child_process';

export interface Cell {
  /** In words, for the log. */
  readonly about: string;
  /** What the command of the browser is preceded by. */
  readonly command: readonly string[];
  /** Whom the files of the browser must belong to; null: us. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/**
 * The user `nobody`, by its number everywhere: it owns no files. Rejected: the user that Postgres runs as, who owns the
 * data.
 */
const nobody = { uid: 65_534, gid: 65_534 };

/** Before the namespaces: whoever stands there dies with us, and `--kill-child` takes the browser along. */
const leash = ['setpriv', '--pdeathsig', 'KILL'];
const namespaces = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];

const asNobody = [
  'setpriv',
  '--reuid',
  String(nobody.uid),
  '--regid',
  String(nobody.gid),
  '--clear-groups',
  // A change of user takes the signal away that unshare has asked for.
  '--pdeathsig',
  'KILL',
];

const works = (command: readonly string[]): boolean => {
  const [program = '', ...args] = command;
  return spawnSync(program, [...args, 'true'], { cwd: '/', stdio: 'ignore', timeout: 5_000 }).status === 0;
};

/** The best cell that this system allows. */
export function findCell(isRoot: boolean): Cell {
  // Root needs no namespace of users: one less that the kernel, or a container, may refuse.
  const shut = isRoot
    ? [...leash, 'unshare', ...namespaces, ...asNobody]
    : [...leash, 'unshare', '--user', '--map-current-user', ...namespaces];
  const user = isRoot ? nobody : null;
  return works(shut)
    ? {
        about: 'in a network namespace without interfaces',
        command: shut,
        user,
      }
    : openCell(isRoot);
}

/** Where there are no namespaces. */
export function openCell(isRoot: boolean): Cell {
  return {
    about: 'behind a proxy that does not exist, since this system allows it no network namespace',
    command: isRoot ? [...leash, ...asNobody] : [],
    user: isRoot ? nobody : null,
  };
}
