/**
 * `npm run traps`: what honest sites lose and what traps cost, by the simulation; with folders of documentation, whether
 * these are taken for traps. The exit code is 1 if an honest page would be kept back, or a trap costs too much.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createExtractor } from '../../content/extract.ts';
import { usualFloor } from '../../domain/traps/rules.ts';
import { script } from '../support/script.ts';
import { fileAt } from './files.ts';
import { goodPages, judgeAllHonest, judgeTraps } from './judge.ts';
import { simulate } from './simulate.ts';

const extractor = await createExtractor();
const command = script('traps', 'Are real sites taken for traps, and what do traps cost?')
  .argument('[folders...]', 'of documentation, or their first pages: FOLDER/index.html')
  .parse();
const tell = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
let wrong = 0;

function judgeFolder(asked: string): void {
  const [folder, start] = asked.endsWith('.html')
    ? [path.dirname(asked), `/${path.basename(asked)}`]
    : [asked, '/index.html'];
  if (!existsSync(path.join(folder, start))) command.error(`error: there is no ${path.join(folder, start)}`);
  let pages = 0;
  const pageAt = (at: string): Uint8Array | null => {
    const found = fileAt(path.resolve(folder), at);
    if (found !== null) pages++;
    return found;
  };
  const { held, findings } = simulate(extractor, 'http://site.example', start, pageAt, { most: 50_000 });
  wrong += held.length;
  tell(`${folder}: ${String(pages)} pages, ${String(held.length)} kept back`);
  for (const finding of findings)
    if (finding.kind === 'hold') tell(`  ${finding.shape}: ${JSON.stringify(finding.accusation)}`);
}

function judgeMade(): void {
  tell('honest site | pages | read | kept back');
  for (const { name, pages, read, held } of judgeAllHonest(extractor)) {
    tell(`${name} | ${String(pages)} | ${String(read)} | ${String(held)}`);
    wrong += held + Math.abs(pages - read);
  }
  const { byKind, good, goodHeld, before } = judgeTraps(extractor, usualFloor, 20);
  tell('trap | pages read');
  for (const [kind, pages] of byKind) {
    tell(`${kind} | ${String(pages)}`);
    if (pages > 1_100) wrong++;
  }
  wrong += goodPages - good + goodHeld;
  tell(
    `${String(good)} of ${String(goodPages)} good pages, ${String(before)} pages of traps before the last`,
  );
}

if (command.args.length === 0) judgeMade();
for (const folder of command.args) judgeFolder(folder);
process.exitCode = wrong === 0 ? 0 : 1;
