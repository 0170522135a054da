/** How a command ends: its exit code, and one sentence on stderr if it did not do what was asked. */

export const exitCodes = {
  ok: 0,
  /** Something is broken here; the log says what. */
  broken: 1,
  badUse: 2,
  /** The crawl failed or was cancelled; an audit or a replay found differences. */
  failed: 3,
  /** For too long only hosts that wait were left; the crawl can be resumed. */
  waiting: 4,
  /** Ctrl-C; the crawl can be resumed. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Thrown by verbs; the message is one sentence for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.badUse, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Exit code and sentence for anything that a verb threw. */
export function endingOf(error: unknown): { readonly exitCode: ExitCode; readonly message: string } {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.message };
  if (!(error instanceof Error)) return { exitCode: exitCodes.broken, message: String(error) };
  // By name: loading the settings and the stack only for their error classes would slow `--help` down.
  const badUse = error.name === 'ConfigError' || error.name === 'StackError';
  if (badUse) return { exitCode: exitCodes.badUse, message: error.message };
  return { exitCode: exitCodes.broken, message: error.message === '' ? error.name : error.message };
}
