/** The command line: `orbweaver VERB …`. */
import { runCommandLine } from './command-line.ts';
import { exitCodes } from './ending.ts';

// A reader that closes the pipe (`| head`) wants no more; `crawl` treats this as an interrupt.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!process.emit('SIGPIPE')) process.exit(exitCodes.ok);
});
process.exitCode = await runCommandLine(process.argv.slice(2));
