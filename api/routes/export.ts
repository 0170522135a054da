/** `GET /v1/crawls/{crawlId}/export`: all pages of a crawl in one answer, as JSON lines, CSV or WARC (F38, G11). */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { exportQuery } from '../../contracts/http/export.ts';
import { exportFiles } from '../../contracts/http/exports.ts';
import { pageView, type PageView } from '../../contracts/http/results.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { archivedKinds } from '../../domain/url-kind.ts';
import { archiveOf } from '../../engine/archive-export.ts';
import { csvHead, csvLine } from '../../engine/exports/csv.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { pageBatches } from '../../storage/pages/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { turnsOf } from '../way-in/turns.ts';
import { byHand, fails } from './answers.ts';
import { answered, route } from './route.ts';

/** Exports at a time for one tenant, and in this process. */
const mostOfTenant = 10;
const mostOfAll = 50;
const compressions = { warc: 'gzip', 'warc-zstd': 'zstd' } as const;
/** Characters of one piece, about. */
const pieceLength = 64 * 1024;
/** Milliseconds after which a reader that takes nothing is given up. */
const stalledMs = 60_000;

export const exportRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/export',
    access: reader('crawls'),
    isDownload: true,
    id: 'exportCrawl',
    summary: 'All pages that a crawl has so far, in one answer',
    params: crawlPath,
    query: exportQuery,
    answers: {
      200: byHand({
        description: 'One page per line, oldest first; as WARC, the records of one page after another.',
        content: {
          'application/x-ndjson': { schema: pageView },
          'text/csv': { schema: { type: 'string' } },
          'application/warc': { schema: { type: 'string', format: 'binary' } },
        },
      }),
      429: fails('Too many exports are running now; Retry-After says when to try again.'),
    },
    handler: ({ pool, textOf, archive, settings: { version } }) => {
      /** The tenant of each export that is under way. */
      const open: number[] = [];
      return async ({ params: { crawlId: id }, query, caller: { tenantId }, request, response }) => {
        const { format = 'jsonl', fields = [], ...filter } = query;
        if ((await findCrawl(pool, id)) === null) noSuchCrawl(id);
        const isArchive = format === 'warc' || format === 'warc-zstd';
        const kinds = isArchive ? archivedKinds : undefined;
        const batches = untilLeft(response, pageBatches(pool, id, fields, textOf, filter, kinds));
        const { type, ending } = exportFiles[format];
        const pieces: AsyncIterable<string | Buffer> = isArchive
          ? archiveOf(
              pool,
              archive,
              { crawlId: id, filter },
              batches,
              compressions[format],
              `Orbweaver/${version}`,
            )
          : inPieces(format === 'csv' ? csv(batches, fields) : jsonLines(batches));
        response.type(type);
        response.set('Content-Disposition', `attachment; filename="crawl-${id}.${ending}"`);
        if (request.method === 'HEAD') {
          response.end();
          return answered;
        }
        const ofTenant = open.filter((each) => each === tenantId).length;
        if (ofTenant >= mostOfTenant || open.length >= mostOfAll) {
          response.removeHeader('Content-Disposition');
          response.set('Retry-After', '30');
          throw new HttpProblem(429, 'Too many exports are running now.', { kind: 'rate-limited' });
        }
        response.setTimeout(stalledMs, () => response.destroy());
        open.push(tenantId);
        try {
          const turns = turnsOf(request);
          turns?.leavePlace();
          const inTurns = turns?.inTurns(pieces) ?? pieces;
          await pipeline(Readable.from(inTurns, { highWaterMark: 1 }), response);
        } catch (error) {
          if (!leftEarly(error)) throw error;
        } finally {
          open.splice(open.indexOf(tenantId), 1);
        }
        return answered;
      };
    },
  }),
];

type Batches = AsyncIterable<readonly PageView[]>;

/**
 * While a filter matches no page, nothing is written. Then no failed write shows that the reader has gone, and a reader
 * that waits would look like a reader that takes nothing.
 */
async function* untilLeft(response: Response, batches: Batches): AsyncGenerator<readonly PageView[]> {
  for await (const pages of batches) {
    if (response.destroyed) return;
    if (!response.writableNeedDrain) response.socket?.setTimeout(stalledMs);
    yield pages;
  }
}

async function* jsonLines(batches: Batches): AsyncGenerator<string> {
  for await (const pages of batches) {
    for (const page of pages) yield `${JSON.stringify(page)}\n`;
  }
}

async function* csv(batches: Batches, fields: readonly PageField[]): AsyncGenerator<string> {
  yield csvHead(fields);
  for await (const pages of batches) yield* pages.map((page) => csvLine(page, fields));
}

/** A chunk for each line would cost more than the line itself. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** The client has gone, or took nothing for too long: nobody is left to read an error. */
export const leftEarly = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ERR_STREAM_UNABLE_TO_PIPE');
