/** Verbs that change a crawl while it runs. */
import type { Command } from 'commander';
import { crawlId, versionNumber } from '../arguments.ts';
import { addEditSettings } from '../crawl/crawl-settings.ts';
import type { EditOptions } from './edits.ts';
import type { Ended } from '../ending.ts';

const dryRun = [
  '--dry-run',
  'show what the change would do to the URLs of the crawl, and change nothing',
] as const;
const note = ['--note <text>', 'why; shown to whoever reads the versions later'] as const;

const yes = ['--yes', 'make the change also if it ends the crawl'] as const;

export function addEdits(program: Command, ended: Ended): void {
  const edit = program
    .command('edit')
    .description(
      'Change settings of a crawl, also while the crawl runs. Settings that are not named stay as they are.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option(...dryRun)
    .option(...yes)
    .option(...note)
    .optionsGroup('Settings (a new value replaces the old one as a whole; the value none resets a setting):');
  addEditSettings(edit)
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
    .description(
      'List the versions of the settings of a crawl, the latest first, and what each version did to the URLs.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--json', 'as JSON with the settings, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver versions 3')
    .action(async (id: string, options: object) => {
      ended(await (await import('./edits.ts')).versions(id, options));
    });
  program
    .command('restore')
    .description('Give a crawl the settings of an earlier version again. This makes a new version.')
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('<version>', 'number of the version, as orbweaver versions shows it', versionNumber)
    .option(...dryRun)
    .option(...yes)
    .option(...note)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver restore 3 1 --dry-run\n  orbweaver restore 3 1')
    .action(async (id: string, version: string, options: object) => {
      ended(await (await import('./edits.ts')).restore(id, version, options));
    });
}
