/** Verbs that list, start, pause, cancel, resume and delete crawls, and the options that describe a crawl. */
import type { Command } from 'commander';
import { crawlId, wholeNumber } from '../arguments.ts';
import { addSettings, helpGroups } from '../crawl/crawl-settings.ts';
import type { Control, StartOptions } from './crawls.ts';
import type { Ended } from '../ending.ts';

export function addCrawlControl(program: Command, ended: Ended): void {
  const crawls = program
    .command('crawls')
    .description('List, start, pause, resume, cancel and delete crawls.');
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
    .optionsGroup(helpGroups.output)
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
  // The verb `resume` goes on with an interrupted crawl of this machine, and shows it.
  const places = (['pause', 'cancel', 'resume'] as const).flatMap((control) => [
    ...(control === 'resume' ? [] : [{ control, usage: control, command: program.command(control) }]),
    { control, usage: `crawls ${control}`, command: crawls.command(control) },
  ]);
  for (const { control, usage, command } of places) {
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
    .optionsGroup(helpGroups.what)
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
    .optionsGroup(helpGroups.limits)
    .option(
      '--max-bytes <n>',
      'end the crawl once about this many bytes of bodies have come over the wire (default: no limit)',
      wholeNumber(1),
    );
  return addSettings(command);
}
