/** The verbs `search` and `index`. */
import type { Command } from 'commander';
import { collect, crawlId, wholeNumber } from '../arguments.ts';
import type { Ended } from '../ending.ts';
import type { SearchOptions } from './search.ts';

export function addSearch(program: Command, ended: Ended): void {
  program
    .command('search')
    .description('Search the texts of the pages of crawls that are indexed.')
    .argument(
      '<words...>',
      'words that must be there, "phrases in quotes" (quote them once more for the shell), and -words that must not, after --',
    )
    .option(
      '--crawl <id>',
      'search this crawl only; may be repeated (default: all that are indexed)',
      collect,
    )
    .option('--host <origin>', 'only pages of this host, such as https://example.com')
    .option('--language <code>', 'only pages in this language, such as en')
    .option(
      '--status <status>',
      'only pages with this status, or with a status of this class, such as 200 or 2xx',
    )
    .option('--type <media type>', 'only pages of this media type, such as text/html or text/*')
    .option('--since <instant>', 'only pages answered at this instant or later, such as 2031-01-01T00:00:00Z')
    .option('--until <instant>', 'only pages answered before this instant')
    .option('--limit <n>', 'show at most this many pages, up to 50', wholeNumber(1), 10)
    .option('--json', 'as JSON, one object a line')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver search durable crawler\n  orbweaver search --crawl 3 \'"robots exclusion protocol"\'\n  orbweaver search --language de --json -- Spinne -Netz',
    )
    .action(async (words: string[], options: SearchOptions) => {
      ended(await (await import('./search.ts')).search(words, options));
    });
  program
    .command('index')
    .description(
      'Index the pages of a crawl for the verb search, in the background. The index of a crawl that is still open follows it.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--look', 'only show whether the crawl is indexed, and how far')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver index 3\n  orbweaver index 3 --look')
    .action(async (id: string, options: { look?: boolean }) => {
      ended(await (await import('./search.ts')).index(id, options));
    });
}
