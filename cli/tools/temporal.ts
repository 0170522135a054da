/** `temporal`: the Temporal CLI of the embedded stack, with its address and namespace set. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { loadConfig } from '../../config/config.ts';
import { programEnvironment } from '../../config/environment.ts';
import { findTemporalCli } from '../../stack/temporal-cli.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { runningStack } from '../stack/running-stack.ts';
import { sayPlainly } from '../output/lines.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'temporal',
    here: true,
    takes: {
      '[args...]': '',
      passed: (command) => command.helpOption(false).allowUnknownOption().passThroughOptions(),
    },
    examples: [],
    run: ({ args }) => temporal(args),
  }),
];

/** @returns the exit code of the program. @throws CommandError if there is no Temporal to talk to */
async function temporal(args: readonly string[]): Promise<number> {
  const config = loadConfig();
  const stack = runningStack(config.dataDir, 'services');
  const address = stack?.temporalAddress ?? config.temporalAddress;
  if (address === null) throw new CommandError('No stack is running: orbweaver up starts one.');
  const cli = await findTemporalCli({
    setting: config.temporalCli,
    cacheDir: config.cacheDir,
    onProgress: sayPlainly,
  });
  // Ctrl-C reaches the program, too; the program decides how it ends.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    const child = spawn(cli, args, {
      stdio: 'inherit',
      env: {
        ...programEnvironment(),
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: stack?.temporalNamespace ?? config.temporalNamespace,
      },
    });
    return await new Promise<number>((ended, failed) => {
      child.once('error', (error) => {
        failed(new CommandError(`The Temporal CLI ${cli} does not run: ${error.message}.`, exitCodes.broken));
      });
      child.once('exit', (code, signal) => {
        ended(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
