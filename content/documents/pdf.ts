/** The text of a PDF, by PDF.js. Runs in a thread of its own: the library may take any time and memory. */
import { getDocument } from 'unpdf/pdfjs';

/** Pages, characters and links read, and pages that are counted as left out: a document may claim any number of pages. */
const most = { pages: 1_000, characters: 1_000_000, links: 10_000, leftOut: 100_000 };

export interface DocumentText {
  readonly title: string | null;
  /** Blocks parted by line breaks. */
  readonly text: string;
  readonly links: readonly string[];
  readonly leftOut: { readonly pages: number; readonly characters: number; readonly links: number };
}

/** Why there is no text. */
export type Unreadable = 'broken' | 'locked';

export async function readPdf(data: Uint8Array): Promise<DocumentText | Unreadable> {
  const loading = getDocument({
    data,
    verbosity: 0,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
  });
  try {
    const pdf = await loading.promise;
    const { info } = await pdf.getMetadata();
    const named: unknown = (info as Record<string, unknown>)['Title'];
    const lines: string[] = [];
    const links: string[] = [];
    let [characters, found] = [0, 0];
    let page = 0;
    while (page < Math.min(pdf.numPages, most.pages) && characters < most.characters) {
      const { text, targets } = await readPage(await pdf.getPage(++page));
      lines.push(text);
      characters += text.length;
      found += targets.length;
      links.push(...targets.slice(0, most.links - links.length));
    }
    const text = lines.join('\n');
    return {
      title: typeof named === 'string' && named.trim() !== '' ? titleOf(named) : null,
      text: text.slice(0, most.characters),
      links,
      leftOut: {
        pages: Math.min(pdf.numPages - page, most.leftOut),
        characters: Math.max(0, text.length - most.characters),
        links: found - links.length,
      },
    };
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') return 'locked';
    return 'broken';
  } finally {
    await loading.destroy();
  }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>;

async function readPage(page: Page): Promise<{ text: string; targets: string[] }> {
  const { items } = await page.getTextContent();
  let text = '';
  let [lastY, lastHeight] = [Number.NaN, 0];
  for (const item of items) {
    if (!('str' in item)) continue;
    const y = Number(item.transform[5]);
    // Lines that stand further apart than those of a paragraph do.
    if (item.str !== '' && Math.abs(y - lastY) > 1.7 * Math.max(item.height, lastHeight)) text += '\n';
    text += item.str;
    if (item.hasEOL) text += ' ';
    if (item.str !== '') [lastY, lastHeight] = [y, item.height];
  }
  const annotations = (await page.getAnnotations()) as readonly { url?: unknown }[];
  page.cleanup();
  return { text, targets: annotations.flatMap(({ url }) => (typeof url === 'string' ? [url] : [])) };
}

/** Some word processors put their own name before that of the file. */
const titleOf = (title: string): string =>
  title.replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, '').trim();
