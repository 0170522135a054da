/** Verbs for the admins of a tenant: webhooks, and the audit log. */
import { Option, type Command } from 'commander';
import { commaSeparated, crawlId, wholeNumber } from '../arguments.ts';
import type { AuditOptions } from './audit-log.ts';
import type { Ended } from '../ending.ts';

export function addWebhooks(program: Command, ended: Ended): void {
  const webhooks = program.command('webhooks').description('Webhooks: URLs that receive events.');
  webhooks
    .command('list')
    .description('List the webhooks, with their latest deliveries and failures.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver webhooks list')
    .action(async (options: object) => {
      ended(await (await import('./webhooks.ts')).listWebhooks(options));
    });
  webhooks
    .command('add')
    .description(
      'Send events to a URL from now on. The key that signs them is shown only once, or written to a file with --save.',
    )
    .argument('<url>', 'http or https URL at a public address')
    .option(
      '--kinds <list>',
      'kinds of events, comma-separated, such as crawl.finished (default: all)',
      commaSeparated,
    )
    .option('--crawl <id>', 'only events of this crawl', crawlId)
    .option(
      '--save <file>',
      'write the key to this new file, which only its owner can read, instead of showing the key',
    )
    .option('--id', 'write only the id, for scripts')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  orbweaver webhooks add https://example.com/hook --kinds crawl.finished,crawl.failed --save hook.key',
    )
    .action(async (url: string, options: object) => {
      ended(await (await import('./webhooks.ts')).addWebhook(url, options));
    });
  const oneOf = (name: string, what: string): Command =>
    webhooks
      .command(name)
      .description(what)
      .argument('<id>', 'id of the webhook, as webhooks list shows it')
      .option('--json', 'as JSON');
  oneOf('remove', 'Remove a webhook. Events that were not delivered yet are never delivered.')
    .addHelpText('after', '\nExample:\n  orbweaver webhooks remove 7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11')
    .action(async (id: string, options: object) => {
      ended(await (await import('./webhooks.ts')).removeWebhook(id, options));
    });
  oneOf('enable', 'Switch a webhook on again. Delivery goes on after the last event that was delivered.')
    .addHelpText('after', '\nExample:\n  orbweaver webhooks enable 7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11')
    .action(async (id: string, options: object) => {
      ended(await (await import('./webhooks.ts')).enableWebhook(id, options));
    });
  oneOf('test', 'Send a test message to a webhook.')
    .addHelpText('after', '\nExample:\n  orbweaver webhooks test 7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11')
    .action(async (id: string, options: object) => {
      ended(await (await import('./webhooks.ts')).testWebhook(id, options));
    });
  oneOf(
    'deliveries',
    'Show the latest delivery attempts of a webhook, and the deliveries that were given up.',
  )
    .option('--limit <n>', 'attempts, and deliveries given up, to show at most', wholeNumber(1), 20)
    .addHelpText('after', '\nExample:\n  orbweaver webhooks deliveries 7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11')
    .action(async (id: string, options: { limit: number }) => {
      ended(await (await import('./webhooks.ts')).showDeliveries(id, options));
    });
  oneOf('replay', 'Send events to a webhook again.')
    .option('--crawl <id>', 'only events of this crawl', crawlId)
    .option('--after <n>', 'only events of the crawl after the one with this number; 0: all')
    .option('--since <instant>', 'only events from this instant on, such as 2031-01-01T00:00:00Z')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver webhooks replay 7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11 --crawl 3 --after 0\n  orbweaver webhooks replay 7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11 --since 2031-01-01T00:00:00Z',
    )
    .action(async (id: string, options: object) => {
      ended(await (await import('./webhooks.ts')).replayWebhook(id, options));
    });
}

export function addAuditLog(program: Command, ended: Ended): void {
  program
    .command('audit-log')
    .description('List the changes that were asked for, and by whom, the latest first.')
    .option('--actor <actor>', 'only changes that this actor asked for, such as "key 7d0f3a52-…"')
    .addOption(
      new Option('--method <method>', 'only requests with this method').choices([
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
      ]),
    )
    .option('--target <path>', 'only paths that begin with this text, such as /v1/crawls/3')
    .option('--since <instant>', 'only from this instant on, such as 2031-01-01T00:00:00Z')
    .option('--until <instant>', 'only before this instant')
    .option('--limit <n>', 'entries to list at most', wholeNumber(1), 100)
    .option('--json', 'as JSON, one object a line')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver audit-log --limit 20\n  orbweaver audit-log --target /v1/crawls/3 --json',
    )
    .action(async (options: AuditOptions) => {
      ended(await (await import('./audit-log.ts')).auditLog(options));
    });
}
