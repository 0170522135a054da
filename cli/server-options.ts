/** The options by which every verb that uses an API names it. */
import type { Command } from 'commander';

/** Gives all verbs below the options that name a server. @param but names of verbs that work only on this machine */
export function withServer(program: Command, but: readonly string[]): void {
  for (const command of program.commands) {
    if (but.includes(command.name())) continue;
    withServer(command, []);
    // A verb that has others below it may be one itself.
    if (command.commands.length === 0 || command.registeredArguments.length > 0) addServer(command);
  }
}

function addServer(command: Command): void {
  command
    .optionsGroup('Which API:')
    .option(
      '--server <url>',
      'URL of the API to use (or ORBWEAVER_SERVER); default: the stack that runs on the data folder',
    )
    .option(
      '--key-file <file>',
      'file that holds the API key; - reads the key from standard input (the variable ORBWEAVER_API_KEY may hold the key itself)',
    )
    .option(
      '--key <key>',
      'the API key itself; other users of this machine can see the key while the command runs',
    );
}
