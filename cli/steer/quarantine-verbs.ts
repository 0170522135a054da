/** The verb `quarantine` and those below it. */
import { Option, type Command } from 'commander';
import { trapRules } from '../../domain/traps/rules.ts';
import { crawlId } from '../arguments.ts';
import type { Ended } from '../ending.ts';
import type { QuarantineOptions } from './quarantine.ts';

export function addQuarantineVerbs(program: Command, ended: Ended): void {
  const quarantine = program
    .command('quarantine')
    .description(
      'Shapes of URLs that look like traps: their URLs are kept back, and nothing of them is deleted.',
    );
  const ofCrawl = (name: string, what: string): Command =>
    quarantine.command(name).description(what).argument('<crawl>', 'id of the crawl', crawlId);
  ofCrawl('list', 'List the shapes in quarantine, with the evidence.')
    .option('--verdict <list>', 'verdicts, comma-separated, such as suspected,held (default: held,confirmed)')
    .option('--host <origin>', 'only shapes of this host')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver quarantine list 3')
    .action(async (crawl: string, options: QuarantineOptions) => {
      ended(await (await import('./quarantine.ts')).quarantined(crawl, options));
    });
  const acts = [
    [
      'release',
      'Release shapes: no rule holds them any more. Their URLs are queued again; pages held as soft 404 are pages of the crawl again.',
    ],
    ['confirm', 'Confirm that shapes are traps: none of their URLs is let through any more.'],
  ] as const;
  for (const [act, what] of acts) {
    ofCrawl(act, what)
      .argument('[id...]', 'ids of the shapes, as quarantine list shows them (default: all that are held)')
      .option('--host <origin>', 'only shapes of this host')
      .addOption(new Option('--rule <rule>', 'only shapes that this rule has found').choices([...trapRules]))
      .option('--json', 'as JSON')
      .addHelpText(
        'after',
        `\nExamples:\n  orbweaver quarantine ${act} 3 17\n  orbweaver quarantine ${act} 3 --rule nothing-new`,
      )
      .action(async (crawl: string, ids: string[], options: QuarantineOptions) => {
        ended(await (await import('./quarantine.ts')).judge(act, crawl, ids, options));
      });
  }
  ofCrawl('preview', 'Show the shapes of a URL, and what each would keep back. Nothing is changed.')
    .argument('<url>', 'a URL that looks like part of a trap')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver quarantine preview 3 https://example.com/calendar/2031/7')
    .action(async (crawl: string, url: string, options: object) => {
      ended(await (await import('./quarantine.ts')).previewQuarantine(crawl, url, options));
    });
  ofCrawl('add', 'Put a shape into quarantine. One that has all queued URLs of its host is refused.')
    .argument('<host>', 'origin of the host, such as https://example.com')
    .argument('<shape>', 'the shape, as quarantine preview shows it')
    .option('--json', 'as JSON')
    .addHelpText('after', "\nExample:\n  orbweaver quarantine add 3 https://example.com '/calendar/{n}/{n}'")
    .action(async (crawl: string, host: string, shape: string, options: object) => {
      ended(await (await import('./quarantine.ts')).addQuarantine(crawl, host, shape, options));
    });
}
