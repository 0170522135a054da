/** Does Markdown show what the page showed? Cases that are hard, beside turndown, and what a page costs. */
import { gfm } from '@joplin/turndown-plugin-gfm';
import TurndownService from 'turndown';
import { toMarkdown } from '../../content/markdown.ts';
import { mdCases } from '../../test/content/markdown/cases.ts';
import { differences, pageUrl } from '../../test/content/markdown/round-trip.ts';
import { processorMs } from '../../test/support/processor-time.ts';

/** Bytes of the page whose cost is measured: all cases, over and over. */
const pageBytes = 160 * 1024;
const rounds = 10;

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
turndown.use(gfm);
turndown.remove(['script', 'style', 'nav', 'footer']);

const converters: Readonly<Record<string, (html: string) => string>> = {
  Orbweaver: (html) => toMarkdown(Buffer.from(html), 'text/html; charset=utf-8', pageUrl)?.text ?? '',
  turndown: (html) => turndown.turndown(html),
};

/** Prints a table, and which cases show something else. */
export function reportMarkdown(): void {
  const cases = Object.values(mdCases);
  let page = '';
  while (page.length < pageBytes) page += cases.join('\n');
  console.log(`Markdown, rendered again: cases of ${String(cases.length)} that show the same; ms for 160 KB`);
  for (const [name, convert] of Object.entries(converters)) {
    const wrong = differences(convert);
    convert(page);
    const ms = processorMs(() => {
      for (let round = 0; round < rounds; round++) convert(page);
    });
    console.log(`${name.padEnd(12)} ${String(cases.length - wrong.length)} ${(ms / rounds).toFixed(1)}`);
    if (wrong.length > 0) console.log(`  other: ${wrong.map((each) => each.name).join('; ')}`);
  }
}
