/** Verbs, their options and their help. */
import { Argument, Command, Option } from 'commander';
import { version } from '../config/package.ts';
import { hostStandings, type HostStanding } from '../domain/host-standing.ts';
import { pageFields, type PageField } from '../contracts/page-fields.ts';
import type { ApiOptions } from './api-target.ts';
import { addAuditLog, addWebhooks } from './admin-verbs.ts';
import { addQuarantineVerbs } from './quarantine-verbs.ts';
import { addCrawlControl, addTenancy, addWhatToCrawl, withServer } from './api-verbs.ts';
import { crawlId, fieldList, secondsOrNever, wholeNumber } from './arguments.ts';
import { addCaps } from './cap-verbs.ts';
import { addHostActions } from './host-verbs.ts';
import type { CrawlVerbOptions } from './crawl.ts';
import { addEdits } from './edit-verbs.ts';
import { completionScript, shells, type Shell } from './completion.ts';
import { exitCodes } from './ending.ts';
import type { PageFilterOptions } from './page-filter.ts';
import type { ReplayOptions } from './replay.ts';
import { addShards } from './shard-verbs.ts';
import { addSearch } from './search-verbs.ts';
import { addExports } from './export-verbs.ts';
import { addResults, withPageFilter } from './result-verbs.ts';

/** @param ended gets the exit code of the verb that ran */
export function createProgram(ended: (exitCode: number) => void): Command {
  const program = new Command('orbweaver')
    .description('A durable, polite web crawler orchestrated by Temporal.')
    .version(version)
    // Options after a verb belong to the verb: `temporal --version`.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      `
Examples:
  orbweaver crawl https://example.com/               crawl a site with a stack of its own
  orbweaver crawl --seeds seeds.txt --max-pages 500 --out pages.jsonl
  orbweaver resume                                   go on with the latest interrupted crawl
  orbweaver up                                       keep the stack, its API and Temporal Web running
  orbweaver explain 1 https://example.com/private    why a URL was fetched, skipped or waits
  orbweaver crawls start https://example.com/ --server https://crawler.example --key-file key

Exit codes: 0 done, 2 wrong use, 3 refused, the crawl failed, or a check found differences,
4 gave up on hosts that must wait (resumable), 130 interrupted (resumable).
Settings are read from ORBWEAVER_… variables; docs/settings.md lists them.`,
    );
  program.commandsGroup('On this machine:');
  addCrawl(program, ended);
  addResume(program, ended);
  addUp(program, ended);
  addReplay(program, ended);
  addTemporal(program, ended);
  addTools(program, ended);
  addCompletion(program, ended);
  program.commandsGroup('Crawls, here or at a --server:');
  addCrawlControl(program, ended);
  addLooking(program, ended);
  addEdits(program, ended);
  addResults(program, ended);
  addSearch(program, ended);
  addExports(program, ended);
  addDeadLetters(program, ended);
  program.commandsGroup('The instance, here or at a --server:');
  addHosts(program, ended);
  addCaps(program, ended);
  addOptOuts(program, ended);
  addRanks(program, ended);
  addShards(program, ended);
  addTenancy(program, ended);
  addQuarantineVerbs(program, ended);
  addWebhooks(program, ended);
  addAuditLog(program, ended);
  withServer(program, ['crawl', 'resume', 'up', 'replay', 'temporal', 'robots', 'url', 'completion']);
  return program;
}

type Ended = Parameters<typeof createProgram>[0];

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

function addCrawl(program: Command, ended: Ended): void {
  const crawl = program
    .command('crawl')
    .description(
      'Crawl from the given URLs. The embedded stack is started if none is running, and stopped at the end.',
    );
  addWhatToCrawl(crawl)
    .option(...outOption)
    .option(...jsonOption)
    .option(...giveUpOption, secondsOrNever)
    .option(
      '--concurrency <n>',
      'requests at a time to each host of the seeds, 1 to 16, for hosts you own; the setting stays with those hosts (default: the setting of the host, else 1)',
      wholeNumber(1),
    )
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
      ended(await (await import('./crawl.ts')).crawl(urls, options));
    });
}

function addResume(program: Command, ended: Ended): void {
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
      ended(await (await import('./resume.ts')).resume(id ?? null, options));
    });
}

function addUp(program: Command, ended: Ended): void {
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

function addLooking(program: Command, ended: Ended): void {
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
      ended(await (await import('./pages.ts')).pages(id, options.fields ?? [], options));
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

function addDeadLetters(program: Command, ended: Ended): void {
  program
    .command('dead-letters')
    .description(
      'List the URLs that a crawl gave up, each with the class and message of its error. --json shows all evidence.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--class <class>', 'only dead letters of this class, such as timeout or client-error')
    .option('--host <origin>', 'only dead letters of this host, such as https://example.com')
    .option('--json', 'as JSON, one object a line')
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver dead-letters 3\n  orbweaver dead-letters 3 --class forbidden --json',
    )
    .action(async (id: string, options: object) => {
      ended(await (await import('./dead-letters.ts')).deadLetters(id, options));
    });
  program
    .command('redrive')
    .description(
      'Queue dead letters of a crawl again, each with its full number of tries. The stack must be running.',
    )
    .argument('<id>', 'id of the crawl', crawlId)
    .option('--url <url>', 'only the dead letter of this URL, in any spelling')
    .option('--class <class>', 'only dead letters of this class')
    .option(
      '--host <origin>',
      'only dead letters of this host; if no other option is given, the host is tried again if it is parked',
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  orbweaver redrive 3
  orbweaver redrive 3 --class server-error
  orbweaver redrive 3 --host https://example.com

A URL that the server refused (401, 403) is not requested again within seven days.`,
    )
    .action(async (id: string, options: object) => {
      ended(await (await import('./redrive.ts')).redrive(id, options));
    });
}

function addHosts(program: Command, ended: Ended): void {
  program
    .command('hosts')
    .description('List the hosts that crawls have met, with their states and settings.')
    .addOption(new Option('--state <state>', 'only hosts in this state').choices([...hostStandings]))
    .option('--json', 'as JSON, one object a line')
    .option(
      '--review',
      'only hosts of poor quality or left for later, the worst first, with what speaks against each',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  orbweaver hosts\n  orbweaver hosts --state parked\n  orbweaver hosts --review',
    )
    .action(async (options: ApiOptions & { state?: HostStanding; review?: boolean }) => {
      if (options.review === true) ended(await (await import('./host-quality.ts')).reviewHosts(options));
      else ended(await (await import('./hosts.ts')).hosts(options.state ?? null, options));
    });
  const host = program
    .command('host')
    .description('Show, retry, pause, resume and drop hosts, and change their settings.');
  addHostActions(host, ended);
  host
    .command('set')
    .description(
      'Change how requests are sent to a host. A setting takes effect at once; the value default resets it.',
    )
    .argument('<origin>', 'such as https://example.com or http://127.0.0.1:8080')
    .option(
      '--delay <seconds>',
      'seconds between two requests, for a host you own; 0 and fractions are allowed',
    )
    .option('--concurrency <n>', 'requests at a time, 1 to 16, for a host you own')
    .option(
      '--windows <json>',
      'hours of the week in which requests may be sent: JSON, or a file that holds JSON',
    )
    .option('--quota <n>', 'requests per day at most, of all crawls together')
    .option('--factor <x>', 'wait at least this many times as long as the last answer took')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  orbweaver host set https://example.com --quota 5000 --factor 3
  orbweaver host set http://127.0.0.1:8080 --delay 0 --concurrency 4
  orbweaver host set https://example.com --windows nights.json
  orbweaver host set https://example.com --windows default

nights.json may hold: {"timeZone": "Europe/Berlin", "open": [{"days": ["mon", "tue"], "from": "22:00", "to": "06:00"}]}`,
    )
    .action(async (origin: string, options: object) => {
      ended(await (await import('./hosts.ts')).hostSet(origin, options));
    });
}

function addOptOuts(program: Command, ended: Ended): void {
  const optOut = program.command('opt-out').description('Domains that no crawl may send requests to.');
  optOut
    .command('add')
    .description(
      'Opt a domain and its subdomains out of every crawl. Once this command has ended, no further request is sent there.',
    )
    .argument('<domain>', 'a domain or an IP address')
    .option('--reason <text>', 'why; shown to whoever looks at the list later')
    .addHelpText('after', '\nExample:\n  orbweaver opt-out add example.com --reason "their mail of 3 May"')
    .action(async (domain: string, options: ApiOptions & { reason?: string }) => {
      ended(await (await import('./opt-out.ts')).optOutAdd(domain, options.reason ?? null, options));
    });
  optOut
    .command('remove')
    .description('Remove an opt-out. In open crawls, the URLs that it excluded are queued again.')
    .argument('<domain>', 'the domain, as it was added')
    .addHelpText('after', '\nExample:\n  orbweaver opt-out remove example.com')
    .action(async (domain: string, options: object) => {
      ended(await (await import('./opt-out.ts')).optOutRemove(domain, options));
    });
  optOut
    .command('list')
    .description('Show the domains that have opted out.')
    .option('--json', 'as JSON, one object a line')
    .addHelpText('after', '\nExample:\n  orbweaver opt-out list')
    .action(async (options: object) => {
      ended(await (await import('./opt-out.ts')).optOutList(options));
    });
}

function addRanks(program: Command, ended: Ended): void {
  const ranks = program
    .command('ranks')
    .description('A public ranking of domains, by which crawls trust hosts that they have not met.');
  ranks
    .command('import')
    .description(
      'Import a ranking in place of the one before: lines of "rank,domain", as Tranco has them, or the ranks of hosts or domains of Common Crawl.',
    )
    .argument('<file>', 'file with the ranking, - for standard input; a name that ends with .gz is unpacked')
    .option(
      '--most <n>',
      'leave out domains with a worse place than this (default: 1,000,000)',
      wholeNumber(1),
    )
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver ranks import top-1m.csv --most 100000')
    .action(async (file: string, options: object) => {
      ended(await (await import('./ranks.ts')).importRanking(file, options));
    });
  ranks
    .command('show')
    .description('Show how many domains are ranked, and the place of one of them.')
    .argument('[domain]', 'domain to look up')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  orbweaver ranks show example.com')
    .action(async (domain: string | undefined, options: object) => {
      ended(await (await import('./ranks.ts')).showRanks(domain, options));
    });
  ranks
    .command('remove')
    .description('Remove the ranking.')
    .addHelpText('after', '\nExample:\n  orbweaver ranks remove')
    .action(async (options: object) => {
      ended(await (await import('./ranks.ts')).removeRanking(options));
    });
}

function addReplay(program: Command, ended: Ended): void {
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

function addTemporal(program: Command, ended: Ended): void {
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

function addCompletion(program: Command, ended: Ended): void {
  program
    .command('completion')
    .description('Print a script that completes verbs and options in a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  source <(orbweaver completion bash)                 in ~/.bashrc
  source <(orbweaver completion zsh)                  in ~/.zshrc, behind compinit
  orbweaver completion fish > ~/.config/fish/completions/orbweaver.fish`,
    )
    .action((shell: Shell) => {
      process.stdout.write(completionScript(program, shell));
      ended(exitCodes.ok);
    });
}

function addTools(program: Command, ended: Ended): void {
  program
    .command('robots')
    .description('Tools for robots.txt.')
    .command('check')
    .description('Check URLs against a robots.txt file. URLs are read from standard input if none is given.')
    .requiredOption('--agent <name>', 'product token or full user agent of the crawler')
    .requiredOption('--robots <file>', 'the robots.txt file')
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
    .description('Print the canonical form of URLs. URLs are read from standard input if none is given.')
    .argument('[url...]')
    .addHelpText(
      'after',
      '\nExample:\n  orbweaver url normalize "HTTP://Example.com:80/a/../b?utm_source=x#y"',
    )
    .action(async (urls: string[]) => {
      ended(await (await import('./url-normalize.ts')).urlNormalize(urls));
    });
}
