/**
 * The pages of a crawl as a folder of Markdown, in a zip: a folder for each host, and a file for each page that has a
 * text of its own. Each begins with what is known of the page, as YAML (each value is JSON, which YAML reads).
 */
import { hash } from 'node:crypto';
import { toMarkdown, type Markdown } from '../../content/markdown.ts';
import type { Repeated } from '../../contracts/extraction.ts';
import type { PageView } from '../../contracts/http/results.ts';
import { repeatedReader } from '../../storage/boilerplate/index.ts';
import type { Draft } from '../../storage/exports/index.ts';
import { hasOwnText } from '../own-text.ts';
import { whole, type ExportForm } from './form.ts';
import { archiveEnd, smallFile } from './zip.ts';

/** The entries of the zip's directory. */
const directory = 'directory';
/** Characters of a path that a name shows; the rest stands in its hash alone. */
const shownPath = 100;
/** Bodies read together. */
const together = 8;

/** `www.a.example/docs/intro-3f2a9c1b22aa.md`: names of other URLs differ, on file systems without case too. */
function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  const folder = `${hostname.replaceAll(/[[\]:]/g, '_')}${port === '' ? '' : `_${port}`}`;
  const steps = pathname
    .slice(0, shownPath)
    .split('/')
    .map((step) => step.replaceAll(/[^\w.~-]+/g, '_').replace(/^\.+/, '_'))
    .filter((step) => step !== '');
  const last = steps.pop() ?? 'index';
  return [folder, ...steps, `${last.replace(/\.\w{1,5}$/, '')}-${hash('sha256', url).slice(0, 12)}.md`].join(
    '/',
  );
}

/** @param leftOut characters of the page that its Markdown has no room for */
function frontMatter({ url, title, description, language, fetchedAt }: PageView, leftOut: number): string {
  const known = Object.entries({
    url,
    title,
    description,
    language,
    fetchedAt,
    leftOut: leftOut === 0 ? null : leftOut,
  });
  const lines = known.flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}\n`],
  );
  return `---\n${lines.join('')}---\n\n`;
}

/** Files that the zip has so far: all that the format remembers. */
const filesOf = (memory: unknown): number => (memory as number | null) ?? 0;

async function end(draft: Draft, files: number): Promise<void> {
  const at = draft.length(whole);
  for await (const chunk of draft.read(directory)) await draft.append(whole, chunk);
  await draft.append(whole, archiveEnd(files, at, draft.length(directory)));
}

/** Markdown of the main text, or of the whole page if no main text was found. */
function markdownOf(...[body, contentType, url, repeated]: MarkdownInput): Markdown | null {
  const main = toMarkdown(body, contentType, url, 'main', repeated);
  return main === null || main.text.trim() !== ''
    ? main
    : toMarkdown(body, contentType, url, 'page', repeated);
}
type MarkdownInput = readonly [body: Uint8Array, contentType: string | null, url: string, repeated: Repeated];

export const markdown: ExportForm = {
  pages: 200,
  needs: [],
  async add({ draft, memory, archive, pool, crawlId }, pages) {
    const repeatedIn = repeatedReader(pool, crawlId);
    let files = filesOf(memory);
    const read = async (page: PageView): Promise<string | null> => {
      const { url, contentHash, contentType } = page;
      if (contentHash === null || !hasOwnText(page)) return null;
      const body = await archive.get(Buffer.from(contentHash, 'hex'));
      const made = body === null ? null : markdownOf(body, contentType, url, await repeatedIn(url));
      return made === null ? null : frontMatter(page, made.leftOut) + made.text;
    };
    for (let at = 0; at < pages.length; at += together) {
      const some = pages.slice(at, at + together);
      const texts = await Promise.all(some.map(read));
      for (const [n, { url }] of some.entries()) {
        const text = texts[n] ?? null;
        if (text === null) continue;
        const { stored, entry } = smallFile(nameOf(url), Buffer.from(text), draft.length(whole));
        await draft.append(whole, stored);
        await draft.append(directory, entry);
        files += 1;
      }
    }
    return files;
  },
  end: ({ draft, memory }) => end(draft, filesOf(memory)),
};
