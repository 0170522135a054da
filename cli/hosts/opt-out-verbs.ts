/** Verbs on the domains that no crawl may send requests to. */
import type { Command } from 'commander';
import type { Ended } from '../ending.ts';

export function addOptOuts(program: Command, ended: Ended): void {
  const optOut = program.command('opt-out').description('Domains that no crawl may send requests to.');
  optOut
    .command('add')
    .description(
      'Opt a domain and its subdomains out of every crawl. Once this command has ended, no further request is sent there.',
    )
    .argument('<domain>', 'a domain or an IP address')
    .option('--reason <text>', 'why; shown to whoever looks at the list later')
    .option('--public-suffix', 'also a domain under which others have theirs, such as com or github.io')
    .option('--dry-run', 'say how many hosts and queued URLs the opt-out would reach, and change nothing')
    .addHelpText('after', '\nExample:\n  orbweaver opt-out add example.com --reason "their mail of 3 May"')
    .action(async (domain: string, options: object) => {
      ended(await (await import('./opt-out.ts')).optOutAdd(domain, options));
    });
  optOut
    .command('remove')
    .description('Remove an opt-out. In open crawls, the URLs that it excluded are queued again.')
    .argument('<domain>', 'the domain, as it was added')
    .addHelpText('after', '\nExample:\n  orbweaver opt-out remove example.com')
    .action(async (domain: string, options: object) => {
      ended(await (await import('./opt-out.ts')).optOutRemove(domain, options));
    });
  optOut
    .command('list')
    .description('Show the domains that have opted out.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver opt-out list')
    .action(async (options: object) => {
      ended(await (await import('./opt-out.ts')).optOutList(options));
    });
}
