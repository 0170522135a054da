/**
 * A service process on a leash: it ends when this process ends, however this process ends.
 *
 * A few lines of shell stand between us and the service and hold a pipe from us. The kernel closes the pipe even after
 * kill -9; then the shell ends the service, by force after its grace. The shell runs in a session of its own, so that
 * Ctrl-C reaches only us and the services are stopped in order. The script is passed as text, since the shell may run
 * as a user that cannot read this folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { StackError, messageOf } from './errors.ts';
import { endProcess, identify } from './processes.ts';
import type { ProcessId } from './processes.ts';

export interface TetheredCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** System user to run as; absent: ours. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The signal that asks the service to end. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT';
  /** Whole seconds that the service has to end when we are gone. */
  readonly orphanGraceSeconds: number;
  /** File descriptor that takes what the service writes. */
  readonly output: number;
}

export interface Tethered {
  readonly id: ProcessId;
  /** Resolves once the service is gone, with its exit code (128 + signal if a signal ended it). */
  readonly exited: Promise<number>;
}

/* $1 signal, $2 grace in seconds, then the command. Stdin is the leash; descriptor 3 takes the service's pid. */
const script = `
exec 4<&0 </dev/null
signal=$1 grace=$2
shift 2
"$@" 3>&- 4<&- &
service=$!
echo "$service" >&3
exec 3>&-
(
  while read -r _ <&4; do :; done
  kill -s "$signal" "$service"
  left=$((grace * 5))
  while [ "$left" -gt 0 ] && kill -0 "$service"; do sleep 0.2; left=$((left - 1)); done
  kill -s KILL "$service"
) >/dev/null 2>&1 &
leash=$!
exec 4<&- 2>/dev/null
wait "$service"
status=$?
kill -s KILL "$leash"
exit "$status"
`;

/**
 * Starts a service on its leash.
 * @throws StackError where the program cannot be started at all
 */
export const spawnTethered = async (command: TetheredCommand): Promise<Tethered> => {
  const { env, cwd, user, output } = command;
  const signal = command.stopSignal.slice('SIG'.length);
  const shell = spawn(
    '/bin/sh',
    ['-c', script, 'tether', signal, String(command.orphanGraceSeconds), command.command, ...command.args],
    { env, cwd, detached: true, stdio: ['pipe', output, output, 'pipe'], ...user },
  );
  const shellExit = new Promise<number>((resolve, reject) => {
    shell.once('error', reject);
    shell.once('exit', (code) => {
      resolve(code ?? 128);
    });
  });
  // A shell that cannot be started is reported below; until then nobody listens for its error.
  shellExit.catch(() => undefined);
  // The leash ends together with the shell, which `exit` reports.
  shell.stdin?.on('error', () => undefined);
  let pid: number;
  try {
    await once(shell, 'spawn');
    pid = Number(await text(shell.stdio[3] as Readable));
  } catch (error) {
    throw new StackError(`${command.command} cannot be started: ${messageOf(error)}`);
  }
  // A service that is gone already still gets its exit code reported, so its identity may be a placeholder.
  const id = identify(pid) ?? { pid, began: 'ended' };
  const exited = shellExit.then(async (code) => {
    // If the shell itself was killed, the service is still there.
    await endProcess(id, 'SIGKILL', 0);
    shell.stdin?.destroy();
    return code;
  });
  return { id, exited };
};
