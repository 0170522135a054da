/** The verb `export` and those below it. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { exportFormats } from '../../contracts/http/exports.ts';
import { pageFields } from '../../contracts/page-fields.ts';
import { crawlId, fieldList } from '../arguments.ts';
import type { Ended } from '../ending.ts';
import type { StartOptions } from './exports.ts';
import { withPageFilter } from './result-verbs.ts';

const exportId = (text: string): string => {
  if (/^[1-9]\d{0,14}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the number of an export.');
};

const format = (): Option =>
  new Option(
    '--format <format>',
    'JSON lines, tables, the graph of links, web archives, a web archive for players (wacz), a folder of Markdown, or rows for a corpus',
  )
    .choices(exportFormats)
    .default('jsonl');
const fields = (): Option =>
  new Option(
    '--fields <list>',
    `fields to add to jsonl, csv and parquet, comma-separated: ${pageFields.join(', ')}; wacz takes text`,
  ).argParser(fieldList);

export function addExports(program: Command, ended: Ended): void {
  // Options behind the name of a verb below are that verb's.
  const all = withPageFilter(program.command('export').enablePositionalOptions())
    .description(
      'Write all pages of a crawl to standard output or to a file. Formats that are no stream (links, parquet, wacz, markdown, corpus) are made by the stack as by export start, waited for, and downloaded with --out. If the export breaks off, the exit code is not 0.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .addOption(format())
    .addOption(fields())
    .option('--out <file>', 'write to this file, which appears only once it is complete')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver export 3 --out pages.jsonl\n  orbweaver export 3 --format csv | head -1\n  orbweaver export 3 --format warc --out crawl.warc.gz\n  orbweaver export 3 --format wacz --out crawl.wacz',
    )
    .action(async (id: string, options: StartOptions) => {
      const { exportPages, isStreamed } = await import('./export.ts');
      const { format: given } = options;
      ended(
        isStreamed(given)
          ? await exportPages(id, { ...options, format: given })
          : await (await import('./exports.ts')).startExport(id, { ...options, wait: true }),
      );
    });
  const below = (name: string, what: string): Command =>
    all.command(name).description(what).argument('<crawl>', 'id of the crawl', crawlId);
  const ofOne = (name: string, what: string): Command =>
    below(name, what).argument('<export>', 'id of the export, as export list shows it', exportId);
  withPageFilter(
    below(
      'start',
      'Have the stack make a file of the pages that a crawl has by now. The export survives crashes and restarts.',
    ),
  )
    .addOption(format())
    .addOption(fields())
    .addOption(
      new Option('--to <place>', 'where the file stays (default: folder)').choices(['folder', 'bucket']),
    )
    .option('--wait', 'wait until the export has ended')
    .option('--out <file>', 'wait, and download the file, which appears only once it is complete')
    .option('--id', 'print only the id of the export')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver export start 3 --format wacz --out crawl.wacz\n  orbweaver export start 3 --format parquet --fields text --wait\n  orbweaver export start 3 --format warc --to bucket',
    )
    .action(async (crawl: string, options: StartOptions) => {
      ended(await (await import('./exports.ts')).startExport(crawl, options));
    });
  below('list', 'List the exports of a crawl that were started, the latest first.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver export list 3')
    .action(async (crawl: string, options: object) => {
      ended(await (await import('./exports.ts')).listExports(crawl, options));
    });
  ofOne('show', 'Show how far an export is.')
    .option('--wait', 'wait until the export has ended')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver export show 3 7 --wait')
    .action(async (crawl: string, id: string, options: object) => {
      ended(await (await import('./exports.ts')).showExport(crawl, id, options));
    });
  ofOne('get', 'Write the file of a finished export to standard output or to a file.')
    .option('--out <file>', 'write to this file, which appears only once it is complete')
    .addHelpText('after', '\nExample:\n  orbweaver export get 3 7 --out crawl.wacz')
    .action(async (crawl: string, id: string, options: object) => {
      ended(await (await import('./exports.ts')).getExport(crawl, id, options));
    });
  ofOne('cancel', 'Cancel an export. What was written of its file is removed.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver export cancel 3 7')
    .action(async (crawl: string, id: string, options: object) => {
      ended(await (await import('./exports.ts')).cancelExport(crawl, id, options));
    });
  ofOne('remove', 'Remove an export that has ended, with its file.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver export remove 3 7')
    .action(async (crawl: string, id: string, options: object) => {
      ended(await (await import('./exports.ts')).removeExport(crawl, id, options));
    });
}
