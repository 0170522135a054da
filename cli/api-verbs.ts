/** Verbs that use an API, and the options by which every such verb names it. */
import { Option, type Command } from 'commander';
import type { Role } from '../contracts/tenancy.ts';
import { collect, commaSeparated, crawlId, tenantId, wholeNumber } from './arguments.ts';
import { addSettings } from './crawl-settings.ts';
import type { Control, StartOptions } from './crawls.ts';
import type { ExitCode } from './ending.ts';
import type { KeyOptions } from './keys.ts';

/** As in contracts/tenancy.ts, which is not loaded here since that would slow `--help` down. */
const roles = ['reader', 'operator', 'admin'] as const satisfies readonly Role[];

type Ended = (exitCode: ExitCode) => void;

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

export function addCrawlControl(program: Command, ended: Ended): void {
  const crawls = program.command('crawls').description('List, start, resume and delete crawls.');
  crawls
    .command('list')
    .description('List the crawls, the latest first.')
    .option('--state <states>', 'only crawls in these states, such as running,paused')
    .option('--limit <n>', 'crawls to list at most', wholeNumber(1), 100)
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExamples:\n  orbweaver crawls list\n  orbweaver crawls list --limit 5 --json')
    .action(async (options: { limit: number; state?: string }) => {
      ended(await (await import('./crawls.ts')).listCrawls(options));
    });
  const start = crawls
    .command('start')
    .description('Start a crawl on a running stack, without waiting for its end.');
  addWhatToCrawl(start)
    .option('--label <text>', 'name of the crawl, for people')
    .option('--id', 'write only the id, for scripts')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver crawls start https://example.com/ --max-pages 500\n  orbweaver crawls start --seeds seeds.txt --label "the nightly one" --json',
    )
    .action(async (urls: string[], options: StartOptions) => {
      ended(await (await import('./crawls.ts')).startCrawl(urls, options));
    });
  addDelete(crawls, ended);
  const controls: Readonly<Record<Control, string>> = {
    pause: 'Pause a crawl. Requests in flight are finished, and no URL is lost.',
    cancel: 'Cancel a crawl for good. URLs that are still queued are not fetched.',
    resume: 'Resume a paused crawl, without waiting for its end.',
  };
  for (const control of ['pause', 'cancel', 'resume'] as const) {
    // The verb `resume` goes on with an interrupted crawl of this machine, and shows it.
    const command = control === 'resume' ? crawls.command('resume') : program.command(control);
    const usage = control === 'resume' ? 'crawls resume' : control;
    command
      .description(controls[control])
      .argument('<id>', 'id of the crawl', crawlId)
      .option('--reason <text>', 'why; shown to whoever looks at the crawl later')
      .option('--json', 'as JSON')
      .addHelpText('after', `\nExample:\n  orbweaver ${usage} 3 --reason "their mail of 3 May"`)
      .action(async (id: string, options: object) => {
        ended(await (await import('./crawls.ts')).controlCrawl(id, control, options));
      });
  }
}

function addDelete(crawls: Command, ended: Ended): void {
  crawls
    .command('delete')
    .description(
      'Delete a crawl that is over, together with its pages, events, dead letters, and every body that no other crawl uses.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--force', 'cancel the crawl first if it is not over')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver crawls delete 3\n  orbweaver crawls delete 3 --force')
    .action(async (id: string, options: object) => {
      ended(await (await import('./crawls.ts')).deleteCrawl(id, options));
    });
}

/** Arguments and options that describe a crawl, from its seeds to its addresses. */
export function addWhatToCrawl(command: Command): Command {
  command
    .argument('[url...]', 'http or https URLs to start from')
    .option(
      '--seeds <file>',
      'file with one URL per line; blank lines and lines that begin with # are skipped',
    )
    .option(
      '--config <file>',
      'YAML file with seeds and settings, named as in the API, such as maxPages: 500; options on the command line win over the file',
    )
    .option(
      '--like <id>',
      'copy the settings of this crawl, and its seeds if no others are given; options on the command line win over the copy',
      crawlId,
    )
    .option(
      '--max-bytes <n>',
      'end the crawl once about this many bytes of bodies have come over the wire (default: no limit)',
      wholeNumber(1),
    );
  return addSettings(command);
}

export function addTenancy(program: Command, ended: Ended): void {
  addKeys(program, ended);
  program
    .command('tenant')
    .description('Show your own tenant: its quotas, and how much of each is used.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver tenant')
    .action(async (options: object) => {
      ended(await (await import('./tenants.ts')).showTenant(options));
    });
  const tenants = program
    .command('tenants')
    .description('List, create, change and close tenants, for admins of the instance.');
  tenants
    .command('list')
    .description('List the tenants with their quotas.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver tenants list')
    .action(async (options: object) => {
      ended(await (await import('./tenants.ts')).listTenants(options));
    });
  tenants
    .command('create')
    .description('Create a tenant.')
    .argument('<name>', 'name of the tenant: unique, and not digits only')
    .option('--quota <name=number>', 'a quota, such as crawlsAtOnce=5; may be repeated', collect)
    .option('--id', 'write only the id, for scripts')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  orbweaver tenants create acme --quota crawlsAtOnce=5 --quota urlsTotal=1000000',
    )
    .action(async (name: string, options: object) => {
      ended(await (await import('./tenants.ts')).makeTenant(name, options));
    });
  tenants
    .command('set')
    .description('Change the name or quotas of a tenant. Whatever is not given stays as it is.')
    .argument('<id>', 'id of the tenant', tenantId)
    .option('--name <name>', 'new name of the tenant')
    .option(
      '--quota <name=number>',
      'a quota, such as crawlsAtOnce=5; crawlsAtOnce=none removes the quota; may be repeated',
      collect,
    )
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver tenants set 482915074466183 --quota crawlsAtOnce=none')
    .action(async (id: string, options: object) => {
      ended(await (await import('./tenants.ts')).setTenant(id, options));
    });
  tenants
    .command('close')
    .description(
      'Close a tenant that has no open crawls. From then on its keys are refused; its crawls and pages stay.',
    )
    .argument('<id>', 'id of the tenant', tenantId)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver tenants close 482915074466183')
    .action(async (id: string, options: object) => {
      ended(await (await import('./tenants.ts')).closeTenant(id, options));
    });
}

function addKeys(program: Command, ended: Ended): void {
  const keys = program.command('keys').description('List, create and revoke API keys.');
  keys
    .command('list')
    .description('List the API keys. Only the first characters of each key are shown.')
    .option('--tenant <id>', 'keys of this tenant instead of your own, for admins of the instance', tenantId)
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver keys list')
    .action(async (options: object) => {
      ended(await (await import('./keys.ts')).listKeys(options));
    });
  keys
    .command('create')
    .description('Create an API key. The key is shown only once, or written to a file with --save.')
    .argument('<name>', 'what the key is for')
    .addOption(new Option('--role <role>', 'what the key may do').choices(roles).makeOptionMandatory())
    .option(
      '--scopes <list>',
      'parts of the API that the key opens, comma-separated, such as crawls,hosts (default: all)',
      commaSeparated,
    )
    .option(
      '--expires <instant>',
      'instant from which the key is refused, such as 2031-01-01T00:00:00Z (default: never)',
    )
    .option('--tenant <id>', 'create the key for this tenant, for admins of the instance', tenantId)
    .option(
      '--save <file>',
      'write the key to this new file, which only its owner can read, instead of showing the key',
    )
    .option('--id', 'write only the id, for scripts')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver keys create "nightly job" --role operator --scopes crawls --save nightly.key\n  orbweaver keys create "the first of acme" --role admin --tenant 482915074466183',
    )
    .action(async (name: string, options: KeyOptions) => {
      ended(await (await import('./keys.ts')).makeKey(name, options));
    });
  keys
    .command('revoke')
    .description('Revoke an API key. Every process refuses the key within five seconds.')
    .argument('<id>', 'id of the key, as keys list shows it')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver keys revoke 7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11')
    .action(async (id: string, options: object) => {
      ended(await (await import('./keys.ts')).revokeKey(id, options));
    });
}
