/** One command line, from its words to its exit code. A verb's code is loaded only when the verb is called. */
import { CommanderError } from 'commander';
import { endingOf, exitCodes } from './ending.ts';
import { createProgram } from './program.ts';

/** @param words what stands after `orbweaver`. Answers the exit code; writes to stdout and stderr. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok;
  try {
    const program = await createProgram((code) => {
      exitCode = code;
    }, words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // Commander has already printed the help, the version or the mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.badUse;
    const ending = endingOf(error);
    process.stderr.write(`orbweaver: ${ending.message}\n`);
    return ending.exitCode;
  }
  return exitCode;
}
