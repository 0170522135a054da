/** Verbs on shards of hosts. */
import type { Command } from 'commander';
import type { ExitCode } from './ending.ts';

export function addShards(program: Command, ended: (exitCode: ExitCode) => void): void {
  const shards = program
    .command('shards')
    .description('Shards of hosts: how the scheduler of each shares its places.');
  shards
    .command('list')
    .description('List the shards, with the places that their schedulers have given.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver shards list')
    .action(async (options: object) => {
      ended(await (await import('./shards.ts')).listShards(options));
    });
}
