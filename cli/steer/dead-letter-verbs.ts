/** Verbs on dead letters. */
import type { Command } from 'commander';
import { crawlId } from '../arguments.ts';
import type { Ended } from '../ending.ts';

export function addDeadLetters(program: Command, ended: Ended): void {
  program
    .command('dead-letters')
    .description(
      'List the URLs that a crawl gave up, each with the class and message of its error. --json shows all evidence.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--class <class>', 'only dead letters of this class, such as timeout or client-error')
    .option('--host <origin>', 'only dead letters of this host, such as https://example.com')
    .option('--json', 'as JSON, one object a line')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver dead-letters 3\n  orbweaver dead-letters 3 --class forbidden --json',
    )
    .action(async (id: string, options: object) => {
      ended(await (await import('./dead-letters.ts')).deadLetters(id, options));
    });
  program
    .command('redrive')
    .description(
      'Queue dead letters of a crawl again, each with its full number of tries. The stack must be running.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--url <url>', 'only the dead letter of this URL, in any spelling')
    .option('--class <class>', 'only dead letters of this class')
    .option(
      '--host <origin>',
      'only dead letters of this host; if no other option is given, the host is tried again if it is parked',
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  orbweaver redrive 3
  orbweaver redrive 3 --class server-error
  orbweaver redrive 3 --host https://example.com

A URL that the server refused (401, 403) is not requested again within seven days.`,
    )
    .action(async (id: string, options: object) => {
      ended(await (await import('./redrive.ts')).redrive(id, options));
    });
}
