/**
 * Which edits of a page count as a change for the visits of a standing crawl: the table of docs/frontier.md. Texts are
 * made of words by Zipf's law, each edited once.
 */
import { differsByAHair, signOfText } from '../../domain/recrawl/page-sign.ts';
import { seeded, Words } from './alike-set.ts';

/** A main text, a line of its own with a number and a date, and what surrounds both. */
interface Made {
  readonly main: readonly string[];
  readonly line: readonly string[];
  readonly around: readonly string[];
}

type Edit = (page: Made, words: Words, at: number) => Made;

/** Puts words in the place of others. @param at from 0 to 1 */
const put = (text: readonly string[], at: number, over: number, fresh: readonly string[]): string[] =>
  text.toSpliced(Math.floor(at * Math.max(1, text.length - over)), over, ...fresh);

const inMain =
  (over: number, fresh: number): Edit =>
  (page, words, at) => ({ ...page, main: put(page.main, at, over, words.some(fresh)) });

/** In the order of the table: what nobody would call a change, then what is one. */
const edits: Readonly<Record<string, Edit>> = {
  'an advertisement around it': (page, words) => ({
    ...page,
    around: put(page.around, 0.5, 30, words.some(30)),
  }),
  'a counter': (page, words) => ({ ...page, line: put(page.line, 0, 1, [words.number()]) }),
  'a date of three words': (page, words) => ({ ...page, line: put(page.line, 0.5, 3, words.some(3)) }),
  'a word': inMain(1, 1),
  'a sentence of 15 words': inMain(15, 15),
  'a paragraph of 60 words more': inMain(0, 60),
  'a tenth of the words': (page, words) => {
    const main = [...page.main];
    for (let word = 0; word < main.length; word += 10) main[word] = words.one();
    return { ...page, main };
  },
};

const shown = ({ main, line, around }: Made): { readonly text: string; readonly main: string } => {
  const own = [...main, ...line].join(' ');
  return { text: `${own} ${around.join(' ')}`, main: own };
};

/** Share of pages with so many words that count as changed after an edit. @param bits that may differ */
export function shareChanged(edit: string, mainWords: number, bits: number, seed = 1, pages = 200): number {
  const random = seeded(seed);
  const words = new Words(random);
  let changed = 0;
  for (let page = 0; page < pages; page++) {
    const made = { main: words.some(mainWords), line: words.some(8), around: words.some(100) };
    const after = edits[edit]?.(made, words, random()) ?? made;
    const [one, other] = [signOfText(shown(made)), signOfText(shown(after))];
    if (one === null || other === null || !differsByAHair(one, other, bits)) changed++;
  }
  return changed / pages;
}

/** Milliseconds for the text of a page. */
function measureCost(mainWords: number): number {
  const words = new Words(seeded(1));
  const text = shown({ main: words.some(mainWords), line: words.some(8), around: words.some(100) });
  const repeat = (times: number): number => {
    const from = performance.now();
    for (let time = 0; time < times; time++) signOfText(text);
    return (performance.now() - from) / times;
  };
  repeat(500);
  return Math.min(...Array.from({ length: 5 }, () => repeat(300)));
}

export function reportSmallEdits(): void {
  const lengths = [60, 200, 600, 2_000];
  const bounds = [0, 2, 3, 4];
  console.log(
    'Share of edited pages that count as changed, by the words of the main text and the bits that may differ\n',
  );
  const columns = lengths.flatMap((words) => bounds.map((bits) => `${String(words)}: ${String(bits)}`));
  console.log(`| edit | ${columns.join(' | ')} |`);
  for (const edit of Object.keys(edits)) {
    const shares = lengths.flatMap((words) =>
      bounds.map((bits) => shareChanged(edit, words, bits).toFixed(2)),
    );
    console.log(`| ${edit} | ${shares.join(' | ')} |`);
  }
  for (const words of [600, 4_000])
    console.log(`The SimHash of a main text of ${String(words)} words: ${measureCost(words).toFixed(3)} ms`);
}
