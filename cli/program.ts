/** Verbs, their options and their help. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { version } from '../config/package.ts';
import type { ExitCode } from './ending.ts';

/** @param ended told the exit code of the verb that ran */
export function createProgram(ended: (exitCode: ExitCode) => void): Command {
  const program = new Command('orbweaver')
    .description('A durable, polite web crawler orchestrated by Temporal.')
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      `
Examples:
  orbweaver crawl https://example.com/               crawl a site on a stack of its own
  orbweaver crawl --seeds seeds.txt --max-pages 500 --out pages.jsonl
  orbweaver resume                                   go on with the latest interrupted crawl
  orbweaver up                                       keep the stack, its API and Temporal Web running
  orbweaver explain 1 https://example.com/private    why a URL was fetched, skipped or waits

Exit codes: 0 done, 2 bad use, 3 the crawl failed or a check found differences, 130 interrupted (resumable).
Settings are read from ORBWEAVER_… variables; README.md lists them.`,
    );
  addCrawl(program, ended);
  addResume(program, ended);
  addUp(program, ended);
  addLooking(program, ended);
  addReplay(program, ended);
  addTools(program, ended);
  return program;
}

type Ended = Parameters<typeof createProgram>[0];

function addCrawl(program: Command, ended: Ended): void {
  program
    .command('crawl')
    .description(
      'Crawl from the URLs given; starts the embedded stack where none runs, and stops it at the end.',
    )
    .argument('[url...]', 'http or https URLs to start from')
    .option('--seeds <file>', 'file with a URL a line; blank lines and lines that begin with # are skipped')
    .option('--max-pages <n>', 'pages to fetch at most', wholeNumber(1))
    .option('--max-depth <n>', 'links to follow from a seed at most; 0: the seeds only', wholeNumber(0))
    .option('--max-seconds <n>', 'seconds to crawl at most', seconds(0, false))
    .addOption(
      new Option(
        '--scope <scope>',
        'which links to follow: on the hosts of the seeds, their domains, below their folders, any',
      ).choices(['host', 'domain', 'prefix', 'any']),
    )
    .option(
      '--include <pattern>',
      'follow only URLs that match, such as "https://*/docs/*"; may be repeated',
      collect,
    )
    .option('--exclude <pattern>', 'leave out URLs that match; may be repeated', collect)
    .option(
      '--delay <seconds>',
      'seconds between requests to a host, for hosts you own; 0 and fractions are allowed',
      seconds(0, true),
    )
    .option('--user-agent <text>', 'user agent to send')
    .option(
      '--allow-private <cidr>',
      'private address blocks that may be reached, such as 127.0.0.0/8,10.0.0.0/8',
      collect,
    )
    .addOption(new Option('--out <file>', 'write the pages to this file at the end, one JSON object a line'))
    .option('--json', 'no progress; the last line of standard output is one JSON object')
    .option('--keep', 'leave the stack up')
    .addHelpText(
      'after',
      `
Examples:
  orbweaver crawl https://example.com/
  orbweaver crawl https://example.com/docs/ --scope prefix --max-depth 3 --out docs.jsonl
  orbweaver crawl --seeds seeds.txt --exclude "*.pdf" --max-seconds 600 --json
  orbweaver crawl http://127.0.0.1:8080/ --allow-private 127.0.0.0/8 --delay 0

Ctrl-C interrupts the crawl; orbweaver resume goes on with it.`,
    )
    .action(async (urls: string[], options: object) => {
      ended(await (await import('./crawl.ts')).crawl(urls, options));
    });
}

function addResume(program: Command, ended: Ended): void {
  program
    .command('resume')
    .description('Go on with an interrupted crawl: the one given, or the latest.')
    .argument('[id]', 'id of the crawl', crawlId)
    .option('--out <file>', 'write the pages to this file at the end, one JSON object a line')
    .option('--json', 'no progress; the last line of standard output is one JSON object')
    .option('--keep', 'leave the stack up')
    .addHelpText('after', '\nExamples:\n  orbweaver resume\n  orbweaver resume 3 --out pages.jsonl')
    .action(async (id: string | undefined, options: object) => {
      ended(await (await import('./resume.ts')).resume(id ?? null, options));
    });
}

function addUp(program: Command, ended: Ended): void {
  program
    .command('up')
    .description(
      'Keep the stack running: Postgres, Temporal with its Web, workers and API. Ctrl-C stops it, twice at once.',
    )
    .addOption(new Option('--kept').hideHelp())
    .addHelpText('after', '\nExamples:\n  orbweaver up\n  ORBWEAVER_API_PORT=8080 orbweaver up')
    .action(async (options: { kept?: boolean }) => {
      ended(await (await import('./up.ts')).up(options.kept === true));
    });
}

function addLooking(program: Command, ended: Ended): void {
  program
    .command('status')
    .description('Show a crawl; without an id, the stack and the latest crawls.')
    .argument('[id]', 'id of the crawl', crawlId)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  orbweaver status\n  orbweaver status 3 --json')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      ended(await (await import('./status.ts')).status(id ?? null, options.json === true));
    });
  program
    .command('pages')
    .description('Write the pages of a crawl to standard output, one JSON object a line.')
    .argument('<id>', 'id of the crawl', crawlId)
    .addOption(
      new Option('--fields <list>', 'what to add, comma-separated: links, text').argParser(fieldList),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver pages 3 > pages.jsonl\n  orbweaver pages 3 --fields links,text | head -1',
    )
    .action(async (id: string, options: { fields?: ('links' | 'text')[] }) => {
      ended(await (await import('./pages.ts')).pages(id, options.fields ?? []));
    });
  program
    .command('audit')
    .description('Recount every URL of a crawl and compare with its ledger; exit code 3 where they differ.')
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver audit 3')
    .action(async (id: string, options: { json?: boolean }) => {
      ended(await (await import('./audit.ts')).audit(id, options.json === true));
    });
  program
    .command('explain')
    .description('Say why a URL was fetched, skipped or waits.')
    .argument('<id>', 'id of the crawl', crawlId)
    .argument('<url>', 'any spelling of the URL')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver explain 3 https://example.com/private/')
    .action(async (id: string, url: string, options: { json?: boolean }) => {
      ended(await (await import('./explain.ts')).explain(id, url, options.json === true));
    });
}

function addReplay(program: Command, ended: Ended): void {
  program
    .command('replay')
    .description(
      'Replay workflow histories against the code here; exit code 3 where one would go another way.',
    )
    .option(
      '--workflow-id <id>',
      'only this workflow, such as host/https://example.com; default: all that are open',
    )
    .option('--limit <n>', 'histories at most', wholeNumber(1), 200)
    .addHelpText('after', '\nExamples:\n  orbweaver replay\n  orbweaver replay --workflow-id crawl/3')
    .action(async (options: { workflowId?: string; limit: number }) => {
      ended(await (await import('./replay.ts')).replay(options.workflowId ?? null, options.limit));
    });
}

function addTools(program: Command, ended: Ended): void {
  program
    .command('robots')
    .description('Tools for robots.txt.')
    .command('check')
    .description('Judge URLs by a robots.txt file; URLs are read from standard input where none is given.')
    .requiredOption('--agent <name>', 'product token or whole user agent')
    .requiredOption('--robots <file>', 'the robots.txt')
    .argument('[url...]')
    .addHelpText(
      'after',
      '\nExample:\n  orbweaver robots check --agent orbweaver --robots robots.txt https://example.com/private',
    )
    .action(async (urls: string[], options: { agent: string; robots: string }) => {
      ended(await (await import('./robots-check.ts')).robotsCheck(urls, options));
    });
  program
    .command('url')
    .description('Tools for URLs.')
    .command('normalize')
    .description('Write the canonical form of URLs; they are read from standard input where none is given.')
    .argument('[url...]')
    .addHelpText(
      'after',
      '\nExample:\n  orbweaver url normalize "HTTP://Example.com:80/a/../b?utm_source=x#y"',
    )
    .action(async (urls: string[]) => {
      ended(await (await import('./url-normalize.ts')).urlNormalize(urls));
    });
}

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${String(least)} on.`);
  };
}

function seconds(least: number, itself: boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^(\d+\.?\d*|\.\d+)$/.test(text) && (itself ? value >= least : value > least)) return value;
    throw new InvalidArgumentError(
      `It must be a number of seconds ${itself ? 'from' : 'above'} ${String(least)}.`,
    );
  };
}

function crawlId(text: string): string {
  if (/^[1-9]\d{0,14}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the number of a crawl.');
}

function fieldList(text: string): ('links' | 'text')[] {
  return text.split(',').map((name) => {
    if (name === 'links' || name === 'text') return name;
    throw new InvalidArgumentError('There are links and text.');
  });
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
