/** Verbs that change a crawl while it runs. */
import { Option, type Command } from 'commander';
import { collect, crawlId, versionNumber } from './arguments.ts';
import type { EditOptions } from './edits.ts';
import type { ExitCode } from './ending.ts';

type Ended = (exitCode: ExitCode) => void;

const dryRun = ['--dry-run', 'tell what it would do to the URLs of the crawl, and change nothing'] as const;
const note = ['--note <text>', 'why, for whoever reads the versions later'] as const;

export function addEdits(program: Command, ended: Ended): void {
  program
    .command('edit')
    .description('Change the settings of a crawl, also while it runs; what is not named stays.')
    .argument('<id>', 'id of the crawl', crawlId)
    .option(...dryRun)
    .option(...note)
    .optionsGroup('Settings (each replaced as a whole; none takes one back):')
    .addOption(
      new Option('--scope <scope>', 'which links to follow').choices(['host', 'domain', 'prefix', 'any']),
    )
    .option('--include <pattern>', 'follow only URLs that match; may be repeated', collect)
    .option('--exclude <pattern>', 'leave out URLs that match; may be repeated', collect)
    .option('--include-domain <domain>', 'only these domains; may be repeated', collect)
    .option('--exclude-domain <domain>', 'not these domains; may be repeated', collect)
    .option(
      '--content-type <type>',
      'take only bodies of these types, such as text/html; may be repeated',
      collect,
    )
    .option('--max-url-length <n>', 'characters of a URL at most')
    .option('--max-pages <n>', 'pages to fetch at most')
    .option('--max-depth <n>', 'links to follow from a seed at most')
    .option('--max-seconds <n>', 'seconds to crawl at most')
    .option('--finish <json>', 'what ends the crawl: JSON, or a file that holds it')
    .option('--max-pages-per-host <n>', 'URLs of a host at most')
    .option('--max-links-per-page <n>', 'links of a page at most')
    .option(
      '--delay <seconds>',
      'seconds between its requests to a host, never less than robots.txt asks for',
    )
    .option('--delay-factor <x>', 'the delay is at least so many times what the last answer took')
    .option('--weight <n>', 'turns at a host that other crawls want as well, 1 to 100')
    .option('--retention <days>', 'days after its end on which the crawl is deleted')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  orbweaver edit 3 --exclude "*/archive/*" --dry-run
  orbweaver edit 3 --exclude "*/archive/*" --delay 2 --note "the archive is of no use"
  orbweaver edit 3 --max-pages none`,
    )
    .action(async (id: string, options: EditOptions) => {
      ended(await (await import('./edits.ts')).edit(id, options));
    });
  program
    .command('versions')
    .description('List the versions of the settings of a crawl, the latest first, and what each has done.')
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--json', 'as JSON with the settings, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver versions 3')
    .action(async (id: string, options: object) => {
      ended(await (await import('./edits.ts')).versions(id, options));
    });
  program
    .command('restore')
    .description('Give a crawl the settings of an earlier version again; that is a version of its own.')
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('<version>', 'as versions shows it', versionNumber)
    .option(...dryRun)
    .option(...note)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver restore 3 1 --dry-run\n  orbweaver restore 3 1')
    .action(async (id: string, version: string, options: object) => {
      ended(await (await import('./edits.ts')).restore(id, version, options));
    });
}
