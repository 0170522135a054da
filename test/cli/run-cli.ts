/** Runs the command line as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  readonly result: Promise<CliResult>;
  /** What came on stderr so far. */
  stderr(): string;
}

export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): RunningCli {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const result = Promise.all([text(child.stdout), ended]).then(([stdout, code]) => ({
    code,
    stdout,
    stderr,
  }));
  return { process: child, result, stderr: () => stderr };
}

export const runCli = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<CliResult> => startCli(args, env, input).result;

export function jsonLines(stdout: string): unknown[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
