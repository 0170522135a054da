/** Verbs on the results of a crawl and on its seeds; all of them use an API. */
import { Option, type Command } from 'commander';
import { crawlId, wholeNumber } from '../arguments.ts';
import type { BodyOptions } from './body.ts';
import type { DiffOptions } from './changes.ts';
import type { Ended } from '../ending.ts';
import type { EventOptions } from '../look/events.ts';
import type { SitemapOptions } from '../look/sitemaps.ts';

/** Options of the verbs that write pages; page-filter.ts reads them. */
export const withPageFilter = (verb: Command): Command =>
  verb
    .option('--host <origin>', 'only pages of this host, such as https://example.com')
    .option(
      '--status <status>',
      'only pages with this status, or with a status of this class, such as 404 or 4xx',
    )
    .option('--type <media type>', 'only pages of this media type, such as text/html or image/*')
    .option(
      '--since <instant>',
      'only pages answered at this instant or later, such as 2031-01-01T00:00:00Z',
    );

export function addResults(program: Command, ended: Ended): void {
  program
    .command('report')
    .description(
      'Show the results of a crawl: totals, states, statuses, errors, hosts, and the slowest and largest answers.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--html <file>', 'write the report to this file, as one HTML page that needs no other file')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver report 3\n  orbweaver report 3 --html report.html')
    .action(async (id: string, options: { html?: string }) => {
      ended(await (await import('../look/report.ts')).report(id, options));
    });
  program
    .command('freshness')
    .description(
      'Show how fresh a crawl is that keeps its pages fresh, hour by hour; or what a goal can reach, before it is set with edit.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--preview <json>', 'say what this goal can reach, written as for --keep-fresh; change nothing')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver freshness 3\n  orbweaver freshness 3 --preview \'{"requestsPerDay": 2000, "share": 90}\'',
    )
    .action(async (id: string, options: { preview?: string }) => {
      ended(await (await import('../look/freshness.ts')).freshness(id, options));
    });
  program
    .command('near-duplicates')
    .description('List pages with nearly the same text, by the page that stands for them.')
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver near-duplicates 3 --json')
    .action(async (id: string, options: object) => {
      ended(await (await import('./near-duplicates.ts')).nearDuplicates(id, options));
    });
  program
    .command('boilerplate')
    .description('Show the text that a crawl leaves out of the pages of a host, since many of them have it.')
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('<host>', 'origin of the host')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver boilerplate 3 https://docs.example.com')
    .action(async (id: string, host: string, options: object) => {
      ended(await (await import('./boilerplate.ts')).boilerplate(id, host, options));
    });
  program
    .command('body')
    .description(
      'Write the body that a URL was answered with, byte by byte as it was stored, to standard output or to a file; or the page as Markdown.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('<url>', 'URL in any spelling')
    .option('--head', 'write the head of the answer instead: status and fields')
    .option('--markdown', 'write the page as Markdown instead, its links made absolute')
    .option('--main', 'with --markdown: the main text alone, without what surrounds it')
    .option('--out <file>', 'write to this file, which appears only once it is complete')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver body 3 https://example.com/ --out page.html\n  orbweaver body 3 https://example.com/ --head\n  orbweaver body 3 https://example.com/ --markdown',
    )
    .action(async (id: string, url: string, options: BodyOptions) => {
      ended(await (await import('./body.ts')).body(id, url, options));
    });
  program
    .command('events')
    .description('List the events of a crawl, or follow them until the crawl is over.')
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--after <n>', 'only events after the one with this number', wholeNumber(0), 0)
    .addOption(
      new Option(
        '--kinds <kinds>',
        'only events of these kinds, such as crawl.paused,page.changed',
      ).conflicts('follow'),
    )
    .option(
      '--follow',
      'wait for more events until the crawl is over, and connect again if a connection is lost',
    )
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExamples:\n  orbweaver events 3\n  orbweaver events 3 --after 7 --follow --json')
    .action(async (id: string, options: EventOptions) => {
      ended(await (await import('../look/events.ts')).events(id, options));
    });
  program
    .command('changes')
    .description(
      'List the pages of a crawl that changed since they were fetched before, in the order in which they were fetched; or the versions of one page, the latest first.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('[url]', 'URL of a page, in any spelling')
    .option('--json', 'as JSON, one object a line')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver changes 3\n  orbweaver changes 3 https://example.com/prices',
    )
    .action(async (id: string, url: string | undefined, options: object) => {
      ended(await (await import('./changes.ts')).changes(id, url, options));
    });
  program
    .command('diff')
    .description(
      'Show what changed between two versions of a page: its metadata, and the words of its main text.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('<url>', 'URL of the page, in any spelling')
    .option(
      '--from <version>',
      'the earlier version, as changes names it (default: the one before the later)',
    )
    .option('--to <version>', 'the later version (default: the latest)')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver diff 3 https://example.com/prices\n  orbweaver diff 3 https://example.com/prices --from 2-1 --to 3-1',
    )
    .action(async (id: string, url: string, options: DiffOptions) => {
      ended(await (await import('./changes.ts')).diff(id, url, options));
    });
  program
    .command('sitemaps')
    .description('List the sitemaps of a crawl: what each names, and what is wrong with it, by line.')
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--state <states>', 'only sitemaps in these states, such as faulty,failed')
    .option('--json', 'as JSON, one object a line, with up to twenty faults of each')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver sitemaps 3\n  orbweaver sitemaps 3 --state faulty,failed --json',
    )
    .action(async (id: string, options: SitemapOptions) => {
      ended(await (await import('../look/sitemaps.ts')).listSitemaps(id, options));
    });
  const seeds = program.command('seeds').description('Add seeds to a crawl, or list its seeds.');
  seeds
    .command('add')
    .description('Add seeds to a crawl. A crawl that had run out of work goes on.')
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('[url...]', 'http or https URLs')
    .option(
      '--seeds <file>',
      'file of any length with one URL per line, or with JSON lines if its name ends in .ndjson or .jsonl; - reads standard input',
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver seeds add 3 https://example.com/news/\n  orbweaver seeds add 3 --seeds seeds.txt',
    )
    .action(async (id: string, urls: string[], options: object) => {
      ended(await (await import('../steer/seeds.ts')).addSeeds(id, urls, options));
    });
  seeds
    .command('list')
    .description('List the seeds of a crawl, each rejected one with the reason.')
    .argument('<id>', 'id of the crawl', crawlId)
    .addOption(new Option('--state <state>', 'only these').choices(['good', 'rejected']))
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver seeds list 3 --state rejected')
    .action(async (id: string, options: object) => {
      ended(await (await import('../steer/seeds.ts')).listSeeds(id, options));
    });
}
