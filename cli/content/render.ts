/** `render`: one page as a browser renders it, by a crawl of its own. */
import { explanation } from '../../contracts/http/explain.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { keptOutcomes, renderOutcomes } from '../../domain/rendering/outcome.ts';
import type { RenderingTold } from '../../domain/explain/facts.ts';
import { crawlableUrl } from '../arguments.ts';
import { withOnePage, type StoredPage } from '../crawl/one-page.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { sayPlainly } from '../output/lines.ts';
import { standardOutput, streamTo } from '../output/out-file.ts';
import { printable, writeOne } from '../output/table.ts';
import { does } from '../verb.ts';

/** Seconds after which the page is given up. */
const maxSeconds = 900;

export const verbs = [
  does({
    words: 'render',
    takes: {
      '<url>': { about: 'URL of the page', read: crawlableUrl },
      '--html <file>':
        'write the HTML that the browser made to this file; - for standard output, with the report on stderr',
      '--markdown <file>': 'write the page as Markdown to this file',
      '--screenshot <file>': 'write a picture (PNG) of the whole page to this file, without its images',
      '--window': 'with --screenshot: a picture of what a window of 1,280 × 800 shows',
      '--pdf <file>': 'write the page as PDF to this file, without its images',
      '--allow-private <cidr>': {
        about: 'blocks of private addresses that may be reached, such as 127.0.0.0/8; may be repeated',
        many: true,
      },
      '--json': 'as JSON',
    },
    examples: [
      'https://example.com/',
      'https://example.com/ --html page.html --screenshot page.png --pdf page.pdf',
      'http://127.0.0.1:8080/ --allow-private 127.0.0.0/8 --json',
    ],
    run: async ({ url, html, markdown, screenshot, window, pdf, json, ...options }) => {
      if (window && screenshot === undefined) throw new CommandError('--window is for --screenshot.');
      const files = [
        { out: html, part: 'body', type: 'application/octet-stream' },
        { out: markdown, part: 'markdown', type: 'text/markdown' },
        { out: screenshot, part: 'screenshot', type: 'image/png' },
        { out: pdf, part: 'pdf', type: 'application/pdf' },
      ].flatMap(({ out, ...file }) => (out === undefined ? [] : [{ out, ...file }]));
      if (files.filter(isStreamed).length > 1)
        throw new CommandError('Only one of the files can go to standard output (-).');
      const settings = {
        render: 'always',
        maxSeconds,
        pdf: pdf !== undefined,
        screenshot: screenshot === undefined ? 'none' : window ? 'window' : 'page',
      };
      await withOnePage({ url, label: 'render', settings, options }, async (page) =>
        writeRendered(page, await foundOf(page), files, json),
      );
    },
  }),
];

/** A part of the page, and where it is written. */
interface PartFile {
  readonly out: string;
  readonly part: string;
  /** Its media type. */
  readonly type: string;
}

const isStreamed = ({ out }: Pick<PartFile, 'out'>): boolean => out === standardOutput;

/** The report and the files. Where standard output is one of these, the report goes to stderr. */
export async function writeRendered(
  { api, crawlId, url }: StoredPage,
  found: Rendered,
  files: readonly PartFile[],
  json: boolean,
): Promise<void> {
  const to = files.some(isStreamed) ? process.stderr : process.stdout;
  writeOne(found, json, () => renderedLines(found), to);
  const isKept = found.outcome !== null && keptOutcomes.has(found.outcome);
  if (isKept && files.some(({ part }) => part === 'body'))
    sayPlainly('The browser made nothing of the page: the HTML is as the server sent it.');
  for (const { out, part, type } of files)
    await streamTo(out, async (write) =>
      write((await api.take(`/v1/crawls/${crawlId}/body`, type, { query: { url, part } })).chunks),
    );
}

interface Rendered extends RenderingTold {
  readonly crawlId: string;
  readonly url: string;
  /** What was read of the rendered page. */
  readonly after: { readonly words: number; readonly links: number };
}

/** @throws CommandError if the page was not rendered */
async function foundOf({ api, crawlId, url }: StoredPage): Promise<Rendered> {
  const { record } = await api.get(`/v1/crawls/${crawlId}/explain`, explanation, { url });
  if (record === null || record.rendering === null)
    throw new CommandError(
      `The page was fetched by crawl ${crawlId}, and not rendered: it is no HTML (${record?.contentType ?? 'no content type'}), or no browser is there, as ./orbweaver status says.`,
      exitCodes.failed,
    );
  const { words = 0, links = 0 } = record.page ?? {};
  return { crawlId, url, ...record.rendering, after: { words, links } };
}

const width = 11;
const mostFiles = 30;

function renderedLines(found: Rendered): string[] {
  const { crawlId, url, outcome, rounds, words, links, after, resources, navigation } = found;
  const line = (name: string, text: string): string => `  ${name.padEnd(width)}${printable(text)}`;
  const given = resources.filter((each) => each.outcome === 'given');
  const others = resources.filter((each) => each.outcome !== 'given');
  const files = [...others, ...given].slice(0, mostFiles);
  const left = resources.length - files.length;
  const refused = Object.entries(found.refused).map(([what, times]) => `${what} ${grouped(times)}`);
  const gained = (now: number, before: number | null): string =>
    before === null ? grouped(now) : `${grouped(now)}, and ${grouped(before)} as the server sent it`;
  return [
    `${url} (crawl ${crawlId})`,
    line('ended', outcome === null ? 'it goes on' : renderOutcomes[outcome]),
    line('rounds', grouped(rounds)),
    line('words', gained(after.words, words)),
    line('links', gained(after.links, links)),
    line('files', `${grouped(given.length)} of ${grouped(resources.length)} given`),
    ...files.map((each) => line('', `${each.type} ${each.url}: ${each.outcome}`)),
    ...(left > 0 ? [line('', `and ${grouped(left)} more`)] : []),
    ...(refused.length === 0 ? [] : [line('refused', refused.join(', '))]),
    ...found.console.map((each, at) => line(at === 0 ? 'console' : '', each)),
    ...(navigation === null ? [] : [line('goes to', `${navigation}, which is not followed`)]),
    ...Object.entries({ screenshot: found.screenshot, pdf: found.pdf }).flatMap(([name, look]) =>
      look === null
        ? []
        : [line(name, `${counted(look.bytes, 'byte')}${look.isKept ? '' : ', too many to be kept'}`)],
    ),
  ];
}
