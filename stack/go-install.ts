/** Builds programs from Go modules, and leaves nothing of the build behind. */
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { programEnvironment } from '../config/environment.ts';
import { StackError } from './errors.ts';
import { logTail } from './logs.ts';
import { endProcess } from './processes.ts';
import { spawnTethered } from './tether.ts';

const tellEveryMs = 5000;

export interface GoInstall {
  /** For people, such as `the Temporal CLI 1.5.1`. */
  readonly what: string;
  /** With their versions, such as `example.com/a/cmd/b@v1.2.3`. */
  readonly packages: readonly string[];
  /** Takes the programs, and all that Go needs while it builds; the caller removes the folder. */
  readonly folder: string;
  readonly log: string;
  /** Sentences for people while they wait. */
  readonly onProgress: (message: string) => void;
  /** Variables besides our own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Has Go keep modules and compiled packages in `folder` instead of the home: of Temporal they are 3 GB that nothing needs
 * afterwards. They go with the folder, so Go must not write-protect them.
 */
export const goCaches = (folder: string): Record<string, string> => ({
  GOMODCACHE: path.join(folder, 'modules'),
  GOCACHE: path.join(folder, 'compiled'),
  GOFLAGS: '-modcacherw',
});

/** @throws StackError with the end of the log if the build fails, and the signal's reason if the signal ended it */
export const goInstall = async ({
  what,
  packages,
  folder,
  log,
  onProgress,
  env = {},
  signal,
}: GoInstall): Promise<void> => {
  const output = openSync(log, 'w', 0o600);
  const began = performance.now();
  const tell = (): void => {
    const seconds = String(Math.round((performance.now() - began) / 1000));
    onProgress(`building ${what} with Go, once: ${seconds} s (takes a few minutes)`);
  };
  tell();
  const ticker = setInterval(tell, tellEveryMs);
  try {
    const go = await spawnTethered({
      command: 'go',
      args: ['install', ...packages],
      env: { ...programEnvironment(), ...goCaches(folder), GOBIN: folder, CGO_ENABLED: '0', ...env },
      cwd: folder,
      stopSignal: 'SIGTERM',
      orphanGraceSeconds: 1,
      output,
    });
    const cancel = (): void => void endProcess(go.id, 'SIGTERM', 1000);
    signal?.addEventListener('abort', cancel);
    // It may have come while Go was being started.
    if (signal?.aborted === true) cancel();
    const code = await go.exited;
    signal?.removeEventListener('abort', cancel);
    signal?.throwIfAborted();
    if (code !== 0) {
      const name = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}`;
      throw new StackError(`${name} could not be built (log ${log}), which ends:\n${logTail(log, 0)}`);
    }
  } finally {
    clearInterval(ticker);
    closeSync(output);
  }
};
