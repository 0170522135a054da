/** The command line: `orbweaver VERB …`. A verb's code is loaded only when the verb is called. */
import { CommanderError } from 'commander';
import { endingOf, exitCodes } from './ending.ts';
import { createProgram } from './program.ts';

// A reader that closes the pipe (`| head`) wants no more; `crawl` treats this as an interrupt.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!process.emit('SIGPIPE')) process.exit(exitCodes.ok);
});

let exitCode: number = exitCodes.ok;
try {
  const program = createProgram((code) => {
    exitCode = code;
  });
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already printed the help, the version or the mistake.
    exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.badUse;
  } else {
    const ending = endingOf(error);
    process.stderr.write(`orbweaver: ${ending.message}\n`);
    exitCode = ending.exitCode;
  }
}
process.exitCode = exitCode;
