/** All verbs in the order of `--help`, by what they are about; each family stands in a file of its own (`*-verbs.ts`). */
import { Command } from 'commander';
import { version } from '../config/package.ts';
import { addAuditLog, addWebhooks } from './admin/admin-verbs.ts';
import { addCaps } from './hosts/cap-verbs.ts';
import { addCrawlControl } from './steer/crawl-verbs.ts';
import { addDeadLetters } from './steer/dead-letter-verbs.ts';
import { addEdits } from './steer/edit-verbs.ts';
import type { Ended } from './ending.ts';
import { addExports } from './content/export-verbs.ts';
import { addHosts } from './hosts/host-verbs.ts';
import { addCrawl, addReplay, addResume, addTemporal, addUp } from './tools/local-verbs.ts';
import { addLooking } from './look/looking-verbs.ts';
import { addOptOuts } from './hosts/opt-out-verbs.ts';
import { addQuarantineVerbs } from './steer/quarantine-verbs.ts';
import { addRanks } from './hosts/rank-verbs.ts';
import { addResults } from './content/result-verbs.ts';
import { addExtract } from './content/rule-verbs.ts';
import { addSearch } from './content/search-verbs.ts';
import { withServer } from './server-options.ts';
import { addShards } from './hosts/shard-verbs.ts';
import { addTenancy } from './admin/tenancy-verbs.ts';
import { addCompletion, addTools } from './tools/tool-verbs.ts';
import { addReextractions } from './content/reextract-verbs.ts';

export function createProgram(ended: Ended): Command {
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
  addExtract(program, ended);
  addSearch(program, ended);
  addExports(program, ended);
  addReextractions(program, ended);
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
