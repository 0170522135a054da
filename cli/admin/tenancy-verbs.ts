/** Verbs on tenants and their API keys. */
import { Option, type Command } from 'commander';
import type { Role } from '../../contracts/tenancy.ts';
import { collect, commaSeparated, tenantId } from '../arguments.ts';
import type { Ended } from '../ending.ts';
import type { KeyOptions } from './keys.ts';

/** As in contracts/tenancy.ts, which is not loaded here since that would slow `--help` down. */
const roles = ['reader', 'operator', 'admin'] as const satisfies readonly Role[];

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
