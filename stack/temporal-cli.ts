/**
 * The `temporal` program that runs the embedded Temporal server. It is looked for where the setting says, on PATH and
 * in our cache. A machine without the program gets it once: downloaded from Temporal, or, if the download cannot be
 * reached and Go is there, built from the Go module.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { programEnvironment } from '../config/environment.ts';
import { StackError, messageOf } from './errors.ts';
import { goInstall } from './go-install.ts';
import { takeLock } from './lock.ts';
import type { Lock } from './lock.ts';

/** The newest release that `go install` can build. */
const version = '1.5.1';

/** Where Temporal's SDKs fetch the program from, too. */
const downloads = 'https://temporal.download';

/** Milliseconds that a machine waits for the download to answer before it builds the program instead. */
const answerMs = 6000;

export interface TemporalCliOptions {
  /** ORBWEAVER_TEMPORAL_CLI; null: look for it. */
  readonly setting: string | null;
  readonly cacheDir: string;
  /** Sentences for people while they wait. */
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal;
  /** Another server of downloads, for tests. */
  readonly downloads?: string;
  /** PATH to look on; absent: ours. */
  readonly searchPath?: string;
}

const runs = (program: string, searchPath?: string): boolean => {
  const env = programEnvironment();
  const { status, stdout } = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    env: searchPath === undefined ? env : { ...env, PATH: searchPath },
  });
  return status === 0 && stdout.includes('temporal version');
};

const downloadInfo = z.object({ archiveUrl: z.url(), fileToExtract: z.string() });

/** Fetches the release for this system into `folder`; the path of the program. */
const download = async (base: string, folder: string, signal?: AbortSignal): Promise<string> => {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const address = new URL(`/cli/v${version}`, base);
  address.search = new URLSearchParams({ arch, platform: process.platform, format: 'tar.gz' }).toString();
  const signals = signal === undefined ? [] : [signal];
  const answer = await fetch(address, {
    signal: AbortSignal.any([AbortSignal.timeout(answerMs), ...signals]),
  });
  if (!answer.ok) throw new Error(`${address.host} answered ${String(answer.status)}`);
  const { archiveUrl, fileToExtract } = downloadInfo.parse(await answer.json());
  const archive = await fetch(archiveUrl, {
    signal: AbortSignal.any([AbortSignal.timeout(600_000), ...signals]),
  });
  if (!archive.ok || archive.body === null)
    throw new Error(`${archiveUrl} answered ${String(archive.status)}`);
  const tar = spawn('tar', ['-xzf', '-', '-C', folder, fileToExtract], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(tar, 'close');
  await pipeline(Readable.fromWeb(archive.body), tar.stdin);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the archive from ${archiveUrl} could not be unpacked`);
  return path.join(folder, fileToExtract);
};

/** Builds the program with Go into `folder`; takes three to seven minutes on two cores. */
const build = async (folder: string, options: TemporalCliOptions): Promise<string> => {
  await goInstall({
    what: `the Temporal CLI ${version}`,
    log: path.join(options.cacheDir, 'temporal-build.log'),
    packages: [`github.com/temporalio/cli/cmd/temporal@v${version}`],
    folder,
    onProgress: options.onProgress,
    env: pathOf(options),
    signal: options.signal,
  });
  return path.join(folder, 'temporal');
};

const pathOf = ({ searchPath }: TemporalCliOptions): Record<string, string> =>
  searchPath === undefined ? {} : { PATH: searchPath };

const hasGo = (options: TemporalCliOptions): boolean =>
  spawnSync('go', ['version'], { env: { ...programEnvironment(), ...pathOf(options) } }).status === 0;

/** Another start may be getting the program: waits for that start. */
const waitForLock = async (file: string, options: TemporalCliOptions): Promise<Lock> => {
  for (let told = false; ; told = true) {
    const taken = takeLock(file);
    if ('lock' in taken) return taken.lock;
    if (!told) {
      options.onProgress(
        `waiting for process ${String(taken.heldBy.pid)}, which is installing the Temporal CLI`,
      );
    }
    await delay(500, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
};

/** Gets the program into a folder of its own first, so that the cache never holds half a program. */
const obtain = async (target: string, options: TemporalCliOptions): Promise<void> => {
  const draft = mkdtempSync(path.join(options.cacheDir, 'temporal-draft-'));
  try {
    let program: string;
    options.onProgress(`downloading the Temporal CLI ${version}, once`);
    try {
      program = await download(options.downloads ?? downloads, draft, options.signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!hasGo(options)) {
        throw new StackError(
          `The Temporal CLI is not installed, could not be downloaded (${messageOf(error)}), and there is no Go to ` +
            'build it with: install it (https://docs.temporal.io/cli) or Go, or name a Temporal CLI with ORBWEAVER_TEMPORAL_CLI.',
        );
      }
      program = await build(draft, options);
    }
    if (!runs(program)) throw new StackError(`The Temporal CLI that was fetched for ${target} does not run.`);
    renameSync(program, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};

const cachedIn = (cacheDir: string): string => path.join(cacheDir, `temporal-${version}`);

/**
 * The program as it is found without a download; null: there is none yet.
 * @throws StackError if the named program does not run
 */
export const presentTemporalCli = ({
  temporalCli,
  cacheDir,
  searchPath,
}: {
  readonly temporalCli: string | null;
  readonly cacheDir: string;
  readonly searchPath?: string;
}): string | null => {
  if (temporalCli !== null) {
    if (runs(temporalCli)) return temporalCli;
    throw new StackError(
      `ORBWEAVER_TEMPORAL_CLI names ${temporalCli}, which is not a Temporal CLI that runs here.`,
    );
  }
  if (runs('temporal', searchPath)) return 'temporal';
  const cached = cachedIn(cacheDir);
  return existsSync(cached) ? cached : null;
};

/**
 * The program to run: a path, or a bare name on PATH.
 * @throws StackError if the named program does not run, or no program can be had
 */
export const findTemporalCli = async (options: TemporalCliOptions): Promise<string> => {
  const { cacheDir } = options;
  const present = presentTemporalCli({ ...options, temporalCli: options.setting });
  if (present !== null) return present;
  const cached = cachedIn(cacheDir);
  try {
    mkdirSync(cacheDir, { recursive: true });
  } catch (error) {
    throw new StackError(
      `The cache folder ${cacheDir} cannot be created (${messageOf(error)}): name another folder with ORBWEAVER_CACHE.`,
    );
  }
  const lock = await waitForLock(`${cached}.lock`, options);
  try {
    if (!existsSync(cached)) await obtain(cached, options);
    return cached;
  } finally {
    lock.release();
  }
};
