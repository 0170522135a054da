/** `GET /v1/crawls/{crawlId}/body`: what a server sent, as it was stored. */
import type { z } from 'zod';
import { bodyQuery } from '../../contracts/http/body.ts';
import { crawlPath, rangeHeader } from '../../contracts/http/shared.ts';
import type { MarkdownPart } from '../../content/markdown.ts';
import { storedBody, storedHead, storedLook, storedMarkdown } from '../../engine/stored-answer.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { byHand, fails } from './answers.ts';
import { refuseUncrawlable } from './crawlable.ts';
import { sendRange } from './ranges.ts';
import { answered, route } from './route.ts';

const content = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
  'text/plain': { schema: { type: 'string' } },
  'text/markdown': { schema: { type: 'string' } },
  'image/png': { schema: { type: 'string', format: 'binary' } },
  'application/pdf': { schema: { type: 'string', format: 'binary' } },
} as const;

export const bodyRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/body',
    access: reader('crawls'),
    isDownload: true,
    id: 'readBody',
    summary:
      'The body that a URL was answered with, byte by byte, the head of that answer, the page as Markdown, or what it looks like',
    params: crawlPath,
    query: bodyQuery,
    header: rangeHeader,
    answers: {
      200: byHand({
        description:
          'The body without its Content-Encoding, never as a page to show: it comes from a stranger. With `part=head`: a status line and fields, as WARC has them; fields about the encoding begin with `x-archive-orig-`. With `part=markdown`: the page without scripts, navigation, asides and footers, its links made absolute; with `part=main-markdown`, its main text alone. If it is too long, the field Orbweaver-Left-Out says how many characters are missing. With `part=screenshot` or `part=pdf`: what a browser has made of the page, where the crawl asks for that.',
        content,
      }),
      206: byHand({ description: 'The bytes that Range names.', content }),
      416: fails('It is not so long.'),
      422: fails(
        'The text is not a URL that can be crawled, or the body has no text that could be Markdown.',
      ),
    },
    cost: 'heavy',
    handler:
      ({ pool, archive }) =>
      async ({ params: { crawlId }, query: { url, part = 'body' }, request, response }) => {
        refuseUncrawlable(url);
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        const found = await readers[part](pool, archive, crawlId, url);
        if (found === null) throw new HttpProblem(404, `Crawl ${crawlId} has no stored ${part} of this URL.`);
        if (found === 'not-text') throw new HttpProblem(422, 'The stored body of this URL is not text.');
        const { from, to } = sendRange(request, response, found.bytes.length);
        response.type(found.type);
        if (found.leftOut > 0) response.set('Orbweaver-Left-Out', String(found.leftOut));
        // No browser may take it for a page of ours.
        response.set({ 'Content-Disposition': 'attachment', 'X-Content-Type-Options': 'nosniff' });
        response.end(found.bytes.subarray(from, to));
        return answered;
      },
  }),
];

interface Found {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Characters of the page that are missing. */
  readonly leftOut: number;
}
type Part = NonNullable<z.infer<typeof bodyQuery>['part']>;
type Reader = (...place: Parameters<typeof storedBody>) => Promise<Found | 'not-text' | null>;

const readers: Readonly<Record<Part, Reader>> = {
  body: async (...place) => {
    const bytes = await storedBody(...place);
    return bytes === null ? null : { type: 'application/octet-stream', bytes, leftOut: 0 };
  },
  head: async (...place) => {
    const head = await storedHead(...place);
    if (head === null) return null;
    return { type: 'text/plain; charset=latin1', bytes: Buffer.from(`${head}\r\n`, 'latin1'), leftOut: 0 };
  },
  markdown: readerOf('page'),
  'main-markdown': readerOf('main'),
  screenshot: lookOf('screenshot', 'image/png'),
  pdf: lookOf('pdf', 'application/pdf'),
};

function lookOf(look: 'screenshot' | 'pdf', type: string): Reader {
  return async (...place) => {
    const bytes = await storedLook(...place, look);
    return bytes === null ? null : { type, bytes, leftOut: 0 };
  };
}

function readerOf(part: MarkdownPart): Reader {
  return async (...place) => {
    const found = await storedMarkdown(...place, part);
    if (found === null || found === 'not-text') return found;
    return { type: 'text/markdown; charset=utf-8', bytes: Buffer.from(found.text), leftOut: found.leftOut };
  };
}
