/** Verbs that look at a crawl: its status, its pages, the audit of its ledger, and why something is as it is. */
import { Option, type Command } from 'commander';
import { pageFields, type PageField } from '../../contracts/page-fields.ts';
import type { ApiOptions } from '../api/target.ts';
import { crawlId, fieldList } from '../arguments.ts';
import type { Ended } from '../ending.ts';
import type { PageFilterOptions } from '../content/page-filter.ts';
import { withPageFilter } from '../content/result-verbs.ts';

export function addLooking(program: Command, ended: Ended): void {
  program
    .command('status')
    .description('Show a crawl. Without an id, show the stack and the latest crawls.')
    .argument('[id]', 'id of the crawl', crawlId)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver status\n  orbweaver status 3 --json')
    .action(async (id: string | undefined, options: object) => {
      ended(await (await import('./status.ts')).status(id ?? null, options));
    });
  withPageFilter(program.command('pages'))
    .description('Write the pages of a crawl to standard output, one JSON object per line.')
    .argument('<id>', 'id of the crawl', crawlId)
    .addOption(
      new Option('--fields <list>', `fields to add, comma-separated: ${pageFields.join(', ')}`).argParser(
        fieldList,
      ),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver pages 3 > pages.jsonl\n  orbweaver pages 3 --fields links,text | head -1\n  orbweaver pages 3 --host https://example.com --status 4xx',
    )
    .action(async (id: string, options: ApiOptions & PageFilterOptions & { fields?: PageField[] }) => {
      ended(await (await import('../content/pages.ts')).pages(id, options.fields ?? [], options));
    });
  program
    .command('audit')
    .description(
      'Recount every URL of a crawl and compare the counts with its ledger. The exit code is 3 if they differ.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver audit 3')
    .action(async (id: string, options: object) => {
      ended(await (await import('./audit.ts')).audit(id, options));
    });
  program
    .command('explain')
    .description(
      'Explain a URL: every decision about it, why it was fetched, was skipped or waits, or what would become of it. Without a URL, explain the crawl: where its time goes, which hosts hold it up, when it will be over.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('[url]', 'any spelling of the URL; absent: the crawl as a whole')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver explain 3\n  orbweaver explain 3 https://example.com/private/',
    )
    .action(async (id: string, url: string | undefined, options: object) => {
      if (url === undefined) ended(await (await import('./explain-crawl.ts')).explainCrawl(id, options));
      else ended(await (await import('./explain.ts')).explain(id, url, options));
    });
}
