/** Verbs on shards of hosts. */
import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { Ended } from '../ending.ts';

export function addShards(program: Command, ended: Ended): void {
  const shards = program
    .command('shards')
    .description('Shards of hosts: how the scheduler of each shares its places, and how to split one.');
  shards
    .command('list')
    .description('List the shards, with the places that their schedulers have given.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver shards list')
    .action(async (options: object) => {
      ended(await (await import('./shards.ts')).listShards(options));
    });
  shards
    .command('split')
    .description(
      'Split a shard while crawls go on: about half of its hosts are given to a new shard with a scheduler of its own. This cannot be undone.',
    )
    .argument('<shard>', 'number of the shard, as shards list shows it', wholeNumber(0))
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver shards split 0')
    .action(async (shard: number, options: object) => {
      ended(await (await import('./shards.ts')).splitShard(shard, options));
    });
}
