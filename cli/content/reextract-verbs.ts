/** The verb `reextract` and those below it. */
import { InvalidArgumentError, type Command } from 'commander';
import { crawlId } from '../arguments.ts';
import type { Ended } from '../ending.ts';
import type { CompareOptions, StartOptions } from './reextract.ts';

const reextractionId = (text: string): string => {
  if (/^[1-9]\d{0,14}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the number of a re-extraction.');
};
const sampleCount = (text: string): number => {
  if (/^([1-9]|1\d|20)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 20.');
};

export function addReextractions(program: Command, ended: Ended): void {
  const all = program
    .command('reextract')
    .description(
      'Read the stored bodies of a crawl again, without any fetch, and compare, use or undo the result.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver reextract start 3 --wait\n  orbweaver reextract compare 3 7\n  orbweaver reextract switch 3 7\n  orbweaver reextract undo 3 7',
    );
  const below = (name: string, what: string): Command =>
    all.command(name).description(what).argument('<crawl>', 'id of the crawl', crawlId);
  const ofOne = (name: string, what: string): Command =>
    below(name, what).argument(
      '<reextraction>',
      'id of the re-extraction, as reextract list shows it',
      reextractionId,
    );
  below(
    'start',
    'Have the stack read the stored bodies again. Pages say what they said until reextract switch. The job survives crashes and restarts.',
  )
    .option('--wait', 'wait until all bodies were read')
    .option('--id', 'print only the id of the re-extraction')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver reextract start 3 --wait')
    .action(async (crawl: string, options: StartOptions) => {
      ended(await (await import('./reextract.ts')).startReextraction(crawl, options));
    });
  below('list', 'List the re-extractions of a crawl, the latest first.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver reextract list 3')
    .action(async (crawl: string, options: object) => {
      ended(await (await import('./reextract.ts')).listReextractions(crawl, options));
    });
  ofOne('show', 'Show how far a re-extraction is.')
    .option('--wait', 'wait until it has nothing left to do')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver reextract show 3 7 --wait')
    .action(async (crawl: string, id: string, options: object) => {
      ended(await (await import('./reextract.ts')).showReextraction(crawl, id, options));
    });
  ofOne(
    'compare',
    'Show what a re-extraction has found that the pages do not say: counts by field, and samples.',
  )
    .option('--field <name>', 'samples of this field alone, such as title or meta.headings')
    .option('--samples <number>', 'samples of each field, at most 20 (default: 3)', sampleCount)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver reextract compare 3 7 --field title --samples 20')
    .action(async (crawl: string, id: string, options: CompareOptions) => {
      ended(await (await import('./reextract.ts')).compareReextraction(crawl, id, options));
    });
  const changes = [
    ['switch', 'Have everybody read this extraction, of all pages of the crawl at one moment.'],
    ['undo', 'Have everybody read again what they read before the switch, at one moment.'],
    ['keep', 'Make the extraction in use the pages’ own. The earlier one goes, and cannot come back.'],
    ['cancel', 'Cancel a re-extraction. What it has found is removed.'],
    ['remove', 'Remove a re-extraction that is not in use, with all that it has found.'],
  ] as const;
  for (const [name, what] of changes)
    ofOne(name, what)
      .option('--json', 'as JSON')
      .addHelpText('after', `\nExample:\n  orbweaver reextract ${name} 3 7`)
      .action(async (crawl: string, id: string, options: object) => {
        ended(await (await import('./reextract.ts')).changeReextraction(crawl, id, name, options));
      });
}
