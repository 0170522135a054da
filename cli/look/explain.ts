/** `explain`: every decision on a URL. */
import { explanation, type Explanation } from '../../contracts/http/explain.ts';
import { rejectionSentence } from '../../domain/seeds.ts';
import { canonicalize } from '../../domain/url.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { printable } from '../output/table.ts';

export async function explain(id: string, url: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const read = canonicalize(url.trim());
  if (!read.ok)
    throw new CommandError(
      `No crawl can have ${JSON.stringify(url)}: it ${rejectionSentence(read.rejected)}.`,
    );
  const found = await withApi(options, (api) => api.get(`/v1/crawls/${id}/explain`, explanation, { url }));
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : `${explainLines(found).join('\n')}\n`);
  return exitCodes.ok;
}

const marks: Readonly<Record<Explanation['decisions'][number]['effect'], string>> = {
  pass: 'ok',
  stop: 'no',
  wait: 'wait',
  note: '',
};

/** The answer and its URL, then one line for each decision: its verdict, its subject, its reason. */
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
