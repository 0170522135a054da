/** `npm run bench -- NAME`: one of the benches, each a script of this folder with a `--help` of its own. Without a name it lists them. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const benches: readonly (readonly [name: string, measures: string])[] = [
  ['peers', 'crawlers over the same seeded web, one after the other'],
  ['chain', 'from an answer to the links in it: sites that are chains of pages'],
  ['slow', 'many slow hosts: sweeps and long visits beside Crawlee and Scrapy'],
  ['steering', 'how soon a crawl of slow hosts obeys'],
  ['scale', 'what a URL costs as a crawl gets larger'],
  ['workers', 'what a page costs with several worker processes'],
  ['memory', 'resident memory of the worker while it crawls'],
  ['priority', 'how soon a crawl has the pages that matter'],
  ['freshness', 'what a budget of visits is worth'],
  ['content', 'quality and cost of what is read from pages'],
  ['render', 'pages that need a browser, beside Crawlee and Playwright'],
  ['unrendered', 'what rendering costs a crawl without pages that need it'],
  ['traces', 'what traces cost a page'],
  ['options', 'what options that say more of pages cost a crawl'],
  ['alike', 'how long it takes to find originals that are alike'],
  ['search', 'full text in Postgres over made-up pages'],
  ['api', 'the HTTP API, and attacks on it'],
];

const [name, ...options] = process.argv.slice(2);
const listed = benches.map(([each, measures]) => `  ${each.padEnd(10)} ${measures}\n`).join('');
if (name === undefined || name === '--help') {
  process.stdout.write(`Usage: npm run bench -- NAME [options]; npm run bench -- NAME --help\n\n${listed}`);
} else if (benches.some(([each]) => each === name)) {
  const file = path.join(import.meta.dirname, `${name}.ts`);
  process.exitCode = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' }).status ?? 1;
} else {
  process.stderr.write(`There is no bench ${name}; there are:\n${listed}`);
  process.exitCode = 2;
}
