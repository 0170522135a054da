/** Verbs on the results of a crawl and on its seeds; all of them use an API. */
import { Option, type Command } from 'commander';
import { crawlId, fieldList, wholeNumber } from './arguments.ts';
import type { ExitCode } from './ending.ts';
import type { EventOptions } from './events.ts';
import type { ExportOptions } from './export.ts';

type Ended = (exitCode: ExitCode) => void;

/** Options of the verbs that write pages; page-filter.ts reads them. */
export const withPageFilter = (verb: Command): Command =>
  verb
    .option('--host <origin>', 'only pages of this host, such as https://example.com')
    .option('--status <status>', 'only those answered with this status, or one of its class: 404, 4xx')
    .option('--type <media type>', 'only those of this media type: text/html, image/*')
    .option('--since <instant>', 'only those answered then or later: 2031-01-01T00:00:00Z');

export function addResults(program: Command, ended: Ended): void {
  program
    .command('report')
    .description(
      'Show what came of a crawl: totals, states, statuses, errors, hosts, what was slow or large.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--html <file>', 'write it to this file as a page that works by itself')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver report 3\n  orbweaver report 3 --html report.html')
    .action(async (id: string, options: { html?: string }) => {
      ended(await (await import('./report.ts')).report(id, options));
    });
  withPageFilter(program.command('export'))
    .description(
      'Write all pages of a crawl to standard output or a file. If the export breaks off, the exit code is not 0.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .addOption(
      new Option('--format <format>', 'JSON lines, or a table with a line of heads')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .addOption(
      new Option('--fields <list>', 'what to add to JSON lines, comma-separated: links, text').argParser(
        fieldList,
      ),
    )
    .option('--out <file>', 'write to this file, which is there only once it is whole')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver export 3 --out pages.jsonl\n  orbweaver export 3 --format csv | head -1',
    )
    .action(async (id: string, options: ExportOptions) => {
      ended(await (await import('./export.ts')).exportPages(id, options));
    });
  program
    .command('events')
    .description('List what happened to a crawl, or follow it until the crawl is over.')
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--after <n>', 'only events behind this one', wholeNumber(0), 0)
    .option('--follow', 'wait for more, over lost connections too, until the crawl is over')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExamples:\n  orbweaver events 3\n  orbweaver events 3 --after 7 --follow --json')
    .action(async (id: string, options: EventOptions) => {
      ended(await (await import('./events.ts')).events(id, options));
    });
  const seeds = program.command('seeds').description('Add seeds to a crawl, or list its seeds.');
  seeds
    .command('add')
    .description('Give a crawl more seeds. A crawl that had run out of work goes on.')
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('[url...]', 'http or https URLs')
    .option(
      '--seeds <file>',
      'file of any length with a URL a line, or with JSON lines where its name ends in .ndjson or .jsonl; - reads standard input',
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver seeds add 3 https://example.com/news/\n  orbweaver seeds add 3 --seeds seeds.txt',
    )
    .action(async (id: string, urls: string[], options: object) => {
      ended(await (await import('./seeds.ts')).addSeeds(id, urls, options));
    });
  seeds
    .command('list')
    .description('List the seeds a crawl was given, with what is wrong with those that were rejected.')
    .argument('<id>', 'id of the crawl', crawlId)
    .addOption(new Option('--state <state>', 'only these').choices(['good', 'rejected']))
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver seeds list 3 --state rejected')
    .action(async (id: string, options: object) => {
      ended(await (await import('./seeds.ts')).listSeeds(id, options));
    });
}
