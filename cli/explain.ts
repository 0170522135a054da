/** `explain`: every decision on a URL. */
import { loadConfig } from '../config/config.ts';
import type { Explanation } from '../contracts/http.ts';
import { explainUrlOf, rejectionOf } from '../storage/explain.ts';
import { rejectionSentence } from '../storage/seeds.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { noSuchCrawl, withDatabase } from './stack.ts';

export async function explain(id: string, url: string, json: boolean): Promise<ExitCode> {
  const rejected = rejectionOf(url);
  if (rejected !== null) {
    throw new CommandError(`No crawl can have ${JSON.stringify(url)}: it ${rejectionSentence(rejected)}.`);
  }
  const config = loadConfig();
  const found = await withDatabase(config, (pool) => explainUrlOf(pool, id, url, config.userAgent));
  if (found === null) throw noSuchCrawl(id);
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : `${explainLines(found).join('\n')}\n`);
  return exitCodes.ok;
}

const marks: Readonly<Record<Explanation['decisions'][number]['effect'], string>> = {
  pass: 'ok',
  stop: 'no',
  wait: 'wait',
  note: '',
};

/** The answer, what it is about, then a line for each decision: what it did, what it is about, why. */
export function explainLines(found: Explanation): string[] {
  const heading = [
    found.summary,
    '',
    `  URL        ${found.url}`,
    `  canonical  ${found.canonical}`,
    `  key        ${found.key}`,
  ];
  const decisions = found.decisions.map(({ effect, step, because }, at) => {
    const label = step === found.decisions[at - 1]?.step ? '' : step;
    return `  ${marks[effect].padEnd(4)}  ${label.padEnd(11)}  ${because}`;
  });
  return [...heading, '', ...decisions].map(printable);
}

/** What servers and pages said is told, but it does not steer the terminal. */
const printable = (line: string): string => line.replace(/[\0-\x1f\x7f-\x9f]/g, '\ufffd');
