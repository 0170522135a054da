/**
 * The command line, in this process, which saves half a second of processor time a call; and as a process of its own,
 * where a test is about signals, pipes, or what a program leaves in its process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { runCommandLine } from '../../cli/command-line.ts';

const entry = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  readonly result: Promise<CliResult>;
  /** What came so far. */
  stdout(): string;
  stderr(): string;
}

export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): RunningCli {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
    // A crowded machine is no fault.
    env: { ...process.env, ORBWEAVER_START_SECONDS: '600', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const result = new Promise<CliResult>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
  return { process: child, result, stdout: () => stdout, stderr: () => stderr };
}

/** In a process of its own, to its end. */
export const runCliProcess = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<CliResult> => startCli(args, env, input).result;

// Node pays no heed to SIGPIPE until somebody has listened to it and stopped, as verbs do: from then on it ends the process,
// and with it whatever test writes to a closed connection next.
process.on('SIGPIPE', () => undefined);

/** Its streams and environment are those of the process, so one call waits for the other. */
let previous: Promise<unknown> = Promise.resolve();

/** In this process, to its end. */
export function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<CliResult> {
  const result = previous.then(() => runHere(args, env, input));
  previous = result.catch(() => undefined);
  return result;
}

async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<CliResult> {
  const outside = { stdin: process.stdin, env: { ...process.env } };
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  Object.assign(process.env, env);
  try {
    const code = await runCommandLine(args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, outside.env);
    Object.defineProperty(process, 'stdin', { value: outside.stdin, configurable: true });
    stdout.end();
    stderr.end();
  }
}

function capture(stream: NodeJS.WriteStream): { readonly text: () => string; readonly end: () => void } {
  const written: Buffer[] = [];
  const spy = vi
    .spyOn(stream, 'write')
    .mockImplementation((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
      written.push(Buffer.from(chunk as string));
      const told = (done ?? encoding) as (() => void) | string | undefined;
      if (typeof told === 'function') queueMicrotask(told);
      return true;
    });
  return {
    text: () => Buffer.concat(written).toString(),
    end: () => {
      spy.mockRestore();
    },
  };
}

export function jsonLines(stdout: string): unknown[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
