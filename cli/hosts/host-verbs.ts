/** Verbs on hosts: their list and settings, and what can be done to them. */
import { Option, type Command } from 'commander';
import type { HostAction } from '../../contracts/hosts.ts';
import { hostStateNames, type HostState } from '../../domain/host-state.ts';
import type { ApiOptions } from '../api/target.ts';
import type { Ended } from '../ending.ts';
import type { HostActionOptions } from './host-actions.ts';

const actions: Readonly<
  Record<HostAction, { readonly about: string; readonly examples: readonly string[] }>
> = {
  retry: {
    about:
      'Try hosts again now, and forget that they failed, are in backoff or are parked. Their delay still holds.',
    examples: ['host retry https://example.com', 'host retry --state parked --match "https://*.example.com"'],
  },
  pause: {
    about:
      'Pause hosts: no request is sent to them until they are resumed. A request in flight is finished first.',
    examples: ['host pause https://example.com --reason "their mail of 3 May"'],
  },
  resume: {
    about: 'Resume paused hosts. A parked host is tried again.',
    examples: ['host resume https://example.com', 'host resume --state paused'],
  },
  drop: {
    about: 'Exclude all URLs that are queued at hosts, for good and in all crawls.',
    examples: ['host drop https://example.com', 'host drop --state parked --dry-run'],
  },
};

function addHostActions(host: Command, ended: Ended): void {
  host
    .command('show')
    .description('Show a host: its state and why, the URLs that wait there, and its settings.')
    .argument('<origin>', 'such as https://example.com or http://127.0.0.1:8080')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver host show https://example.com')
    .action(async (origin: string, options: object) => {
      ended(await (await import('./host-actions.ts')).showHost(origin, options));
    });
  host
    .command('quality')
    .description('Show the quality of a host and what the last look found, or pin it.')
    .argument('<origin>', 'such as https://example.com')
    .argument('[value]', 'pin the quality: a number from 0 to 1; default: leave it to the daily looks again')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver host quality https://example.com\n  orbweaver host quality https://example.com 1',
    )
    .action(async (origin: string, value: string | undefined, options: object) => {
      ended(await (await import('./host-quality.ts')).hostQuality(origin, value, options));
    });
  host
    .command('reread-robots')
    .description(
      'Read the robots.txt of a host again before the next request to it, even if the stored copy is still fresh.',
    )
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
      .addOption(new Option('--state <state>', 'all hosts in this state').choices([...hostStateNames]))
      .option(
        '--match <pattern>',
        'all hosts whose origin matches this pattern, such as "https://*.example.com"',
      )
      .option('--dry-run', 'with --state or --match: only show which hosts would be changed');
    if (action === 'pause' || action === 'drop')
      command.option('--reason <text>', 'why; shown to whoever looks at the host later');
    command
      .option('--json', 'as JSON, one object a line')
      .addHelpText('after', `\nExamples:\n${examples.map((example) => `  orbweaver ${example}`).join('\n')}`)
      .action(async (origins: string[], options: HostActionOptions) => {
        ended(await (await import('./host-actions.ts')).actOnHosts(action, origins, options));
      });
  }
}

export function addHosts(program: Command, ended: Ended): void {
  program
    .command('hosts')
    .description('List the hosts that crawls have met, with their states and settings.')
    .addOption(new Option('--state <state>', 'only hosts in this state').choices([...hostStateNames]))
    .option('--json', 'as JSON, one object a line')
    .option(
      '--review',
      'only hosts of poor quality or left for later, the worst first, with what speaks against each',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver hosts\n  orbweaver hosts --state parked\n  orbweaver hosts --review',
    )
    .action(async (options: ApiOptions & { state?: HostState; review?: boolean }) => {
      if (options.review === true) ended(await (await import('./host-quality.ts')).reviewHosts(options));
      else ended(await (await import('./hosts.ts')).hosts(options.state ?? null, options));
    });
  const host = program
    .command('host')
    .description('Show, retry, pause, resume and drop hosts, and change their settings.');
  addHostActions(host, ended);
  host
    .command('set')
    .description(
      'Change how requests are sent to a host. A setting takes effect at once; the value default resets it.',
    )
    .argument('<origin>', 'such as https://example.com or http://127.0.0.1:8080')
    .option(
      '--delay <seconds>',
      'seconds between two requests, for a host you own; 0 and fractions are allowed',
    )
    .option('--concurrency <n>', 'requests at a time, 1 to 16, for a host you own')
    .option(
      '--windows <json>',
      'hours of the week in which requests may be sent: JSON, or a file that holds JSON',
    )
    .option('--quota <n>', 'requests per day at most, of all crawls together')
    .option('--factor <x>', 'wait at least this many times as long as the last answer took')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  orbweaver host set https://example.com --quota 5000 --factor 3
  orbweaver host set http://127.0.0.1:8080 --delay 0 --concurrency 4
  orbweaver host set https://example.com --windows nights.json
  orbweaver host set https://example.com --windows default

nights.json may hold: {"timeZone": "Europe/Berlin", "open": [{"days": ["mon", "tue"], "from": "22:00", "to": "06:00"}]}`,
    )
    .action(async (origin: string, options: object) => {
      ended(await (await import('./hosts.ts')).hostSet(origin, options));
    });
}
