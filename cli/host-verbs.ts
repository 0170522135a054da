/** Verbs on hosts, besides their list and settings. */
import { Option, type Command } from 'commander';
import type { HostAction } from '../contracts/hosts.ts';
import { hostStandings } from '../domain/host-standing.ts';
import type { ExitCode } from './ending.ts';
import type { HostActionOptions } from './host-actions.ts';

const actions: Readonly<
  Record<HostAction, { readonly about: string; readonly examples: readonly string[] }>
> = {
  retry: {
    about: 'Forget parking, backoff and failures of hosts and try them now; their delay still holds.',
    examples: ['host retry https://example.com', 'host retry --state parked --match "https://*.example.com"'],
  },
  pause: {
    about: 'Send no request to hosts until they are resumed; one in flight is finished first.',
    examples: ['host pause https://example.com --reason "their mail of 3 May"'],
  },
  resume: {
    about: 'End the pause of hosts; one that is parked is tried again.',
    examples: ['host resume https://example.com', 'host resume --state paused'],
  },
  drop: {
    about: 'Exclude what is queued at hosts, for good, in all crawls.',
    examples: ['host drop https://example.com', 'host drop --state parked --dry-run'],
  },
};

export function addHostActions(host: Command, ended: (exitCode: ExitCode) => void): void {
  host
    .command('show')
    .description('Show a host: where it stands and why, what waits there, what is set for it.')
    .argument('<origin>', 'such as https://example.com or http://127.0.0.1:8080')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver host show https://example.com')
    .action(async (origin: string, options: object) => {
      ended(await (await import('./host-actions.ts')).showHost(origin, options));
    });
  host
    .command('reread-robots')
    .description('Have robots.txt read again before the next request to the host, whatever copy is kept.')
    .argument('<origin>', 'such as https://example.com or http://127.0.0.1:8080')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver host reread-robots https://example.com')
    .action(async (origin: string, options: object) => {
      ended(await (await import('./host-actions.ts')).rereadRobots(origin, options));
    });
  for (const [name, { about, examples }] of Object.entries(actions)) {
    const action = name as HostAction;
    const command = host
      .command(action)
      .description(about)
      .argument('[origin...]', 'such as https://example.com or http://127.0.0.1:8080')
      .addOption(new Option('--state <state>', 'all hosts in this state').choices([...hostStandings]))
      .option('--match <pattern>', 'all hosts whose origin matches, such as "https://*.example.com"')
      .option('--dry-run', 'with --state or --match: only say which hosts it would be');
    if (action === 'pause' || action === 'drop')
      command.option('--reason <text>', 'for whoever looks at the host later');
    command
      .option('--json', 'as JSON, one object a line')
      .addHelpText('after', `\nExamples:\n${examples.map((example) => `  orbweaver ${example}`).join('\n')}`)
      .action(async (origins: string[], options: HostActionOptions) => {
        ended(await (await import('./host-actions.ts')).actOnHosts(action, origins, options));
      });
  }
}
