/** Verbs on the public ranking of domains. */
import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { Ended } from '../ending.ts';

export function addRanks(program: Command, ended: Ended): void {
  const ranks = program
    .command('ranks')
    .description('A public ranking of domains, by which crawls trust hosts that they have not met.');
  ranks
    .command('import')
    .description(
      'Import a ranking in place of the one before: lines of "rank,domain", as Tranco has them, or the ranks of hosts or domains of Common Crawl.',
    )
    .argument('<file>', 'file with the ranking, - for standard input; a name that ends with .gz is unpacked')
    .option(
      '--most <n>',
      'leave out domains with a worse place than this (default: 1,000,000)',
      wholeNumber(1),
    )
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver ranks import top-1m.csv --most 100000')
    .action(async (file: string, options: object) => {
      ended(await (await import('./ranks.ts')).importRanking(file, options));
    });
  ranks
    .command('show')
    .description('Show how many domains are ranked, and the place of one of them.')
    .argument('[domain]', 'domain to look up')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver ranks show example.com')
    .action(async (domain: string | undefined, options: object) => {
      ended(await (await import('./ranks.ts')).showRanks(domain, options));
    });
  ranks
    .command('remove')
    .description('Remove the ranking.')
    .addHelpText('after', '\nExample:\n  orbweaver ranks remove')
    .action(async (options: object) => {
      ended(await (await import('./ranks.ts')).removeRanking(options));
    });
}
