/** Verbs on caps. */
import type { Command } from 'commander';
import { capRate, wholeNumber } from '../arguments.ts';
import type { CapOptions } from './caps.ts';
import type { Ended } from '../ending.ts';

export function addCaps(program: Command, ended: Ended): void {
  const cap = program
    .command('cap')
    .description('How much all hosts of a domain, or at an IP address, are sent together, by all workers.');
  cap
    .command('set')
    .description(
      'Set the cap of a domain or an IP address. It takes effect within two seconds, and goes before the process settings.',
    )
    .argument('<name>', 'a registered domain, or an IP address (IPv6: its /64)')
    .option('--rate <n>', 'requests per second: a whole number, or a fraction below 1', capRate)
    .option('--in-flight <n>', 'requests in flight (default: as many as the rate)', wholeNumber(1))
    .option('--off', 'no cap')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver cap set example.com --rate 5 --in-flight 2\n  orbweaver cap set 192.0.2.7 --rate 200\n  orbweaver cap set 192.0.2.7 --off',
    )
    .action(async (name: string, options: CapOptions) => {
      ended(await (await import('./caps.ts')).capSet(name, options));
    });
  cap
    .command('clear')
    .description('Take back the cap of a domain or an IP address; the process settings hold again.')
    .argument('<name>', 'the domain or address')
    .addHelpText('after', '\nExample:\n  orbweaver cap clear example.com')
    .action(async (name: string, options: object) => {
      ended(await (await import('./caps.ts')).capClear(name, options));
    });
  cap
    .command('list')
    .description('Show the domains and addresses for which a cap was set.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver cap list')
    .action(async (options: object) => {
      ended(await (await import('./caps.ts')).capList(options));
    });
}
