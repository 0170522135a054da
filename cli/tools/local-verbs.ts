/** Verbs on the stack of this machine: crawls that bring the stack along, the stack itself, and its Temporal. */
import { Option, type Command } from 'commander';
import { crawlId, secondsOrNever, wholeNumber } from '../arguments.ts';
import { helpGroups } from '../crawl/crawl-settings.ts';
import { addWhatToCrawl } from '../steer/crawl-verbs.ts';
import type { CrawlVerbOptions } from '../crawl/crawl.ts';
import type { Ended } from '../ending.ts';
import type { ReplayOptions } from './replay.ts';

const outOption = [
  '--out <file>',
  'write the pages to this file at the end, one JSON object per line; with - the pages go to standard output as they come, and all messages to standard error',
] as const;
const jsonOption = [
  '--json',
  'show no progress; the last line is one JSON object, also when the crawl failed or was interrupted',
] as const;

const giveUpOption = [
  '--give-up-after <seconds>',
  'end with exit code 4 when no page has come for this many seconds and only hosts that must wait are left; orbweaver resume goes on later; never: wait for all hosts (default: 600)',
] as const;

export function addCrawl(program: Command, ended: Ended): void {
  const crawl = program
    .command('crawl')
    .description(
      'Crawl from the given URLs. The embedded stack is started if none is running, and stopped at the end.',
    );
  addWhatToCrawl(crawl)
    .optionsGroup(helpGroups.output)
    .option(...outOption)
    .option(...jsonOption)
    .optionsGroup(helpGroups.limits)
    .option(...giveUpOption, secondsOrNever)
    .optionsGroup(helpGroups.pace)
    .option(
      '--concurrency <n>',
      'requests at a time to each host of the seeds, 1 to 16, for hosts you own; the setting stays with those hosts (default: the setting of the host, else 1)',
      wholeNumber(1),
    )
    .optionsGroup(helpGroups.instance)
    .option('--keep', 'leave the stack running at the end')
    .addHelpText(
      'after',
      `
Examples:
  orbweaver crawl https://example.com/
  orbweaver crawl https://example.com/docs/ --scope prefix --max-depth 3 --out docs.jsonl
  orbweaver crawl --seeds seeds.txt --exclude "*.pdf" --exclude "re:[?&]page=[0-9]{3,}" --max-seconds 600 --json
  orbweaver crawl https://example.com/ --out - | jq .title
  orbweaver crawl http://127.0.0.1:8080/ --allow-private 127.0.0.0/8 --delay 0

Ctrl-C interrupts the crawl; orbweaver resume goes on with it.`,
    )
    .action(async (urls: string[], options: CrawlVerbOptions) => {
      ended(await (await import('../crawl/crawl.ts')).crawl(urls, options));
    });
}

export function addResume(program: Command, ended: Ended): void {
  program
    .command('resume')
    .description('Go on with an interrupted crawl: the given one, or else the latest.')
    .argument('[id]', 'id of the crawl', crawlId)
    .option(...outOption)
    .option(...jsonOption)
    .option(...giveUpOption, secondsOrNever)
    .option('--keep', 'leave the stack running at the end')
    .addHelpText('after', '\nExamples:\n  orbweaver resume\n  orbweaver resume 3 --out pages.jsonl')
    .action(async (id: string | undefined, options: object) => {
      ended(await (await import('../crawl/resume.ts')).resume(id ?? null, options));
    });
}

export function addUp(program: Command, ended: Ended): void {
  program
    .command('up')
    .description(
      'Keep the stack running: Postgres, Temporal with its Web, workers and API. Ctrl-C stops the stack; a second Ctrl-C stops it at once.',
    )
    .addOption(new Option('--kept').hideHelp())
    .addHelpText('after', '\nExamples:\n  orbweaver up\n  ORBWEAVER_API_PORT=8080 orbweaver up')
    .action(async (options: { kept?: boolean }) => {
      ended(await (await import('./up.ts')).up(options.kept === true));
    });
}

export function addReplay(program: Command, ended: Ended): void {
  program
    .command('replay')
    .description(
      'Replay workflow histories against the code in this folder. The exit code is 3 if the code would take other steps than a history.',
    )
    .argument('[file...]', 'replay these saved histories; no stack is needed')
    .option(
      '--workflow-id <id>',
      'only this workflow, such as host/https://example.com (default: all open workflows)',
    )
    .option('--limit <n>', 'histories to replay at most', wholeNumber(1), 200)
    .option('--save <id>', 'save the history of this workflow to the file, and replay nothing')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver replay\n  orbweaver replay --workflow-id crawl/3\n  orbweaver replay --save crawl/3 crawl-3.json\n  orbweaver replay crawl-3.json',
    )
    .action(async (files: string[], options: ReplayOptions) => {
      ended(await (await import('./replay.ts')).replay(files, options));
    });
}

export function addTemporal(program: Command, ended: Ended): void {
  program
    .command('temporal')
    .description(
      'Run the Temporal CLI against the running stack. All further arguments go to the Temporal CLI.',
    )
    .argument('[args...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: string[]) => {
      ended(await (await import('./temporal.ts')).temporal(args));
    });
}
