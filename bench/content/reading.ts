/**
 * How well pages are read, beside others on the same pages in the same run, as the tables of docs/content.md.
 */
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createExtractor } from '../../content/extract.ts';
import { reportEncodings } from './encodings.ts';
import { reportLanguages } from './languages.ts';
import { compareLinks } from './links.ts';
import { builtPages, compareTexts, documentationPages, lostWhole, newsPages } from './main-texts.ts';
import { type Matches, printTable, qualityOf, share } from './measures.ts';
import { installPeers } from './peers.ts';
import { builtHosts, byFolder, leaveOut } from './repeated.ts';
import { reportSeen } from './seen.ts';
import { reportStructured } from './structured.ts';
import { templatedPages } from './templated.ts';
import { compareDates, compareFacts, type FactsRow, type Told } from './told.ts';

/**
 * Links: least precision and recall. Main text: least F1, how far below Readability it may be, the share of pages that may
 * be lost whole, and how much recall may be lost with repeated blocks.
 */
const goals = {
  links: 0.999,
  mainText: 0.93,
  belowReadability: 0.02,
  lost: 0.02,
  lostRecall: 0.005,
  dates: 0.94,
} as const;

/**
 * Answers whether all goals are met.
 * @param folders that hold HTML files for the comparison of links
 * @param tellsEach F1 of each page (ours, Readability, trafilatura, all text) goes to standard error
 */
export async function reportReading(folders: readonly string[], tellsEach: boolean): Promise<boolean> {
  let missed = 0;
  const goal = (reached: boolean, what: string): void => {
    if (reached) return;
    missed++;
    process.stdout.write(`\nmissed: ${what}\n`);
  };

  const peers = installPeers();
  const extractor = await createExtractor();
  reportSeen(extractor);
  reportStructured(extractor, peers);

  const files = [...new Set(folders.flatMap(htmlFiles))];
  const links = compareLinks(extractor, peers, files);
  const { both, foundOnly, knownOnly } = links.matches;
  const [precision, recall] = [both / Math.max(1, both + foundOnly), both / Math.max(1, both + knownOnly)];
  printTable('Links beside parse5', ['pages', 'links', 'precision', 'recall', 'pages that differ'], [
    [String(links.pages), String(both + knownOnly), share(precision), share(recall), String(links.odd.length)],
  ]); // prettier-ignore
  for (const file of links.odd.slice(0, 10)) process.stdout.write(`  ${file}\n`);
  goal(Math.min(precision, recall) >= goals.links, `links: ${share(precision)} and ${share(recall)}`);

  const sets = {
    'news pages': newsPages(peers),
    documentation: documentationPages(peers),
    'built layouts': builtPages(peers),
  };
  const templated = templatedPages(peers.declarations);
  const rows: string[][] = [];
  for (const [name, pages] of Object.entries({ ...sets, ...templated })) {
    if (pages.length === 0) continue;
    const { ours, readability, trafilatura, all } = compareTexts(extractor, peers, pages);
    const own = qualityOf(ours);
    const theirs = qualityOf(readability);
    const f1 = ({ f1: value }: typeof own): string => value.toFixed(3);
    rows.push([
      name,
      String(pages.length),
      own.precision.toFixed(3),
      own.recall.toFixed(3),
      f1(own),
      f1(theirs),
      trafilatura === null ? '' : f1(qualityOf(trafilatura)),
      f1(qualityOf(all)),
      [ours, readability, trafilatura ?? []].map((each) => String(lostWhole(each))).join(' / '),
    ]);
    goal(lostWhole(ours) <= pages.length * goals.lost, `main text of ${name}: pages lost whole`);
    goal(own.f1 >= goals.mainText, `main text of ${name}: ${f1(own)}`);
    goal(own.f1 >= theirs.f1 - goals.belowReadability, `main text of ${name}: Readability has ${f1(theirs)}`);
    if (tellsEach) {
      ours.forEach((page, at) => {
        const one = [page, readability[at], trafilatura?.[at], all[at]].map((each) =>
          qualityOf(each === undefined ? [] : [each]).f1.toFixed(2),
        );
        process.stderr.write(`${one.join(' ')} ${pages[at]?.name ?? ''}\n`);
      });
    }
  }
  printTable(
    'Main text',
    [
      'pages',
      'number',
      'precision',
      'recall',
      'F1',
      'Readability',
      'trafilatura',
      'all text',
      'lost whole: ours, theirs',
    ],
    rows,
  );

  const shown = (texts: readonly Matches[]): string => {
    const { precision, recall, f1 } = qualityOf(texts);
    return [precision, recall, f1].map((value) => value.toFixed(3)).join(' / ');
  };
  const hosts = { documentation: byFolder(sets.documentation), 'built hosts': builtHosts(peers) };
  printTable(
    'Repeated blocks left out: precision / recall / F1',
    ['pages', 'number', 'blocks', 'main text', 'without repeated', 'all text', 'without repeated'],
    Object.entries(hosts).map(([name, pages]) => {
      const effect = leaveOut(extractor, pages);
      const lost = qualityOf(effect.before.main).recall - qualityOf(effect.after.main).recall;
      goal(
        lost <= goals.lostRecall,
        `repeated blocks of ${name}: main text lost ${lost.toFixed(4)} of its recall`,
      );
      return [
        ...[name, String(effect.pages), String(effect.blocks)],
        ...[effect.before.main, effect.after.main, effect.before.all, effect.after.all].map(shown),
      ];
    }),
  );

  const told = (name: string, { right, wrong, silent }: Told): string[] => [
    ...[
      name,
      String(right + wrong.length + silent.length),
      String(right),
      String(wrong.length),
      String(silent.length),
    ],
  ];
  const dates = compareDates(extractor, peers);
  printTable('Dates', ['what', 'cases', 'right', 'wrong', 'not told'], [
    ...(dates === null ? [] : [told('day of publication, news pages', dates)]),
  ]); // prettier-ignore
  for (const line of [...(dates?.wrong ?? []), ...(dates?.silent ?? [])]) process.stdout.write(`  ${line}\n`);

  const facts = compareFacts(extractor, peers);
  const factsRow = (name: string, row: FactsRow): string[] => [
    ...[name, String(row.right), String(row.wrong), String(row.silent), row.f1.toFixed(3)],
    ...[
      `${String(row.exactAuthors)} of ${String(row.withAuthors)}`,
      `${String(row.falseAuthors)} of ${String(row.withoutAuthors)}`,
    ],
  ];
  printTable(
    'Dates and authors of pages in many ways',
    ['who', 'days right', 'wrong', 'not told', 'F1', 'authors exact', 'authors where there are none'],
    [
      factsRow('ours', facts.ours),
      ...(facts.theirs === null ? [] : [factsRow('htmldate, trafilatura', facts.theirs)]),
    ],
  );
  for (const line of facts.odd) process.stdout.write(`  ${line}\n`);
  goal(facts.ours.f1 >= goals.dates, `dates: F1 ${facts.ours.f1.toFixed(3)}`);

  reportLanguages(extractor, peers);
  reportEncodings(peers);
  return missed === 0;
}

/** Each file once, though links lead to it from several places. */
function htmlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.html?(?:\.gz)?$/.test(entry.name))
    .map((entry) => realpathSync(join(entry.parentPath, entry.name)))
    .sort();
}
