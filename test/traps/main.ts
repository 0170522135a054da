/**
 * `npm run traps`: are real sites taken for traps? Runs the rules over folders of documentation. Prints what each folder
 * has and what would be kept back; the exit code is 1 if anything would be.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createExtractor } from '../../content/extract.ts';
import { script } from '../support/script.ts';
import { fileAt } from './files.ts';
import { simulate } from './simulate.ts';

const most = 50_000;
const extractor = await createExtractor();
let wrong = 0;
const command = script('traps', 'Are real sites taken for traps?')
  .argument('<folders...>', 'of documentation, or their first pages: FOLDER/index.html')
  .option(
    '--hidden',
    'put each below a folder to which a hidden link leads, with every link hidden from people',
  )
  .parse();
const allHidden = command.opts<{ hidden?: true }>().hidden === true;
for (const asked of command.args) {
  const [folder, start] = asked.endsWith('.html')
    ? [path.dirname(asked), `/${path.basename(asked)}`]
    : [asked, '/index.html'];
  if (!existsSync(path.join(folder, start))) command.error(`error: there is no ${path.join(folder, start)}`);
  let pages = 0;
  const begun = performance.now();
  const pageAt = (at: string): Uint8Array | null => {
    if (allHidden && at === '/') return Buffer.from(`<p hidden><a href="/site${start}">on</a>`);
    const found = fileAt(path.resolve(folder), allHidden ? at.replace('/site/', '/') : at);
    if (found !== null) pages++;
    return found;
  };
  const { held, findings } = simulate(extractor, 'http://site.example', allHidden ? '/' : start, pageAt, {
    ...{ most, allHidden },
  });
  const suspects = new Set(
    findings.flatMap((finding) => (finding.kind === 'suspect' ? [finding.shape] : [])),
  );
  wrong += held.length;
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  process.stdout.write(
    `${folder}: ${String(pages)} pages, ${String(held.length)} kept back, ${String(suspects.size)} shapes suspected meanwhile (${seconds} s)\n`,
  );
  for (const finding of findings)
    if (finding.kind === 'hold')
      process.stdout.write(`  ${finding.shape}: ${JSON.stringify(finding.accusation)}\n`);
}
process.exitCode = wrong === 0 ? 0 : 1;
