/** Exports as jobs (G11): asked for, listed, watched, cancelled, downloaded, removed. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  exportFiles,
  exportList,
  exportPath,
  exportsQuery,
  exportView,
  mostOpenExports,
  newExport,
  type ExportView,
} from '../../contracts/http/exports.ts';
import { pageView } from '../../contracts/http/results.ts';
import { crawlPath, rangeHeader } from '../../contracts/http/shared.ts';
import { fileName, objectName } from '../../engine/exports/job.ts';
import { removeFiles } from '../../engine/exports/upkeep.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { addExport, exportRows, type ExportRow } from '../../storage/exports/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { beginJob } from '../crawls/crawl-control.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Parts } from '../dependencies.ts';
import { operator, reader } from '../way-in/access.ts';
import { badCursor, HttpProblem } from '../way-in/problem.ts';
import { byHand, fails, json, made } from './answers.ts';
import { leftEarly } from './export.ts';
import { sendRange } from './ranges.ts';
import { answered, route } from './route.ts';

const dayMs = 86_400_000;
/** Milliseconds after which a reader that takes nothing is given up. */
const stalledMs = 60_000;
/** More than any id. */
const beyondIds = '999999999999999';

const asBytes = { schema: { type: 'string', format: 'binary' } } as const;
/** In each media type that a file can have. */
const contentOf = <Media>(media: Media): Readonly<Record<string, Media>> =>
  Object.fromEntries(Object.values(exportFiles).map(({ type }) => [type, media]));

const unknown = fails('There is no such crawl, or no such export of it.');
const noSuchExport = (crawlId: string, id: string): never => {
  throw new HttpProblem(404, `Crawl ${crawlId} has no export ${id}.`);
};

/** A text that cannot be an export names none. */
const ofOneExport = {
  params: exportPath,
  unknown: ({ crawlId = '', exportId = '' }: Readonly<Record<string, string>>) =>
    noSuchExport(crawlId, exportId),
};

export const exportJobRoutes = [
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/exports',
    access: operator('crawls'),
    id: 'startExport',
    summary:
      'Start an export: a file with the pages that a crawl has by now, made by a job that survives crashes',
    params: crawlPath,
    body: newExport,
    answers: {
      201: made('The export is on record and begins by itself.', exportView),
      404: fails('There is no such crawl.'),
      409: fails('The crawl has too many exports that have not ended, or this instance has no bucket.'),
    },
    handler: (parts) => {
      const { pool, exports } = parts;
      return async ({ params: { crawlId }, body, response }) => {
        const { format, fields = [], to = 'folder', ...filter } = body;
        if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        if (to === 'bucket' && exports.files.bucket === null)
          throw new HttpProblem(409, 'This instance has no bucket: ORBWEAVER_S3_BUCKET is not set.');
        const choice = { fields: [...new Set(fields)], filter };
        const [added] = await addExport(pool, crawlId, { format, choice, target: to }, mostOpenExports);
        if (added === undefined)
          throw new HttpProblem(
            409,
            `Crawl ${crawlId} has ${String(mostOpenExports)} exports that have not ended; cancel one, or wait.`,
          );
        await beginJob(parts, 'export', added.id, crawlId);
        response.set('Location', `/v1/crawls/${crawlId}/exports/${added.id}`);
        return viewAgain(parts, crawlId, added.id);
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/exports',
    access: reader('crawls'),
    id: 'listExports',
    summary: 'Exports of a crawl, the latest first',
    params: crawlPath,
    query: exportsQuery,
    answers: { 200: json('Exports.', exportList), 404: fails('There is no such crawl.') },
    handler:
      (parts) =>
      async ({ params: { crawlId }, query: { cursor = beyondIds, limit = 100 } }) => {
        if (!/^\d{1,15}$/.test(cursor)) badCursor();
        const crawl = (await findCrawl(parts.pool, crawlId)) ?? noSuchCrawl(crawlId);
        const rows = await exportRows.list(parts.pool, crawlId, cursor, limit);
        return {
          items: rows.map((row) => viewOf(parts, crawl.pages, row)),
          next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
        };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/exports/{exportId}',
    access: reader('crawls'),
    id: 'getExport',
    summary: 'How far an export is',
    ...ofOneExport,
    answers: { 200: json('The export.', exportView), 404: unknown },
    handler:
      (parts) =>
      async ({ params: { crawlId, exportId } }) =>
        viewAgain(parts, crawlId, exportId),
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/exports/{exportId}/cancel',
    access: operator('crawls'),
    id: 'cancelExport',
    summary: 'Cancel an export: what was written of its file is removed',
    ...ofOneExport,
    answers: { 200: json('The export.', exportView), 404: unknown, 409: fails('The export has ended.') },
    handler:
      (parts) =>
      async ({ params: { crawlId, exportId } }) => {
        const cancelled = await exportRows.cancel(parts.pool, exportId, crawlId);
        const view = await viewAgain(parts, crawlId, exportId);
        if (cancelled.length === 0)
          throw new HttpProblem(409, `Export ${exportId} is ${view.state} already.`);
        return view;
      },
  }),
  route({
    method: 'DELETE',
    path: '/v1/crawls/{crawlId}/exports/{exportId}',
    access: operator('crawls'),
    id: 'removeExport',
    summary: 'Remove an export that has ended, with its file',
    ...ofOneExport,
    answers: {
      200: json('The export, as it was.', exportView),
      404: unknown,
      409: fails('The export has not ended: cancel it first.'),
    },
    handler:
      (parts) =>
      async ({ params: { crawlId, exportId } }) => {
        const row = await rowOf(parts.pool, crawlId, exportId);
        if (isOpen(row)) throw new HttpProblem(409, `Export ${exportId} has not ended: cancel it first.`);
        const view = await viewAgain(parts, crawlId, exportId);
        await removeFiles(parts.exports.files, row);
        await exportRows.drop(parts.pool, exportId);
        return view;
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/exports/{exportId}/file',
    access: reader('crawls'),
    isDownload: true,
    id: 'downloadExport',
    summary: 'The file of a finished export',
    ...ofOneExport,
    header: rangeHeader,
    answers: {
      200: byHand({
        description: 'The file, in the media type of its format; of `jsonl` a page on each line.',
        content: { ...contentOf(asBytes), 'application/x-ndjson': { schema: pageView } },
      }),
      206: byHand({ description: 'The bytes of the file that Range names.', content: contentOf(asBytes) }),
      404: unknown,
      409: fails('The export has no file yet, or none any more.'),
      416: fails('The file is not so long.'),
    },
    handler:
      ({ pool, exports: { files } }) =>
      async ({ params: { crawlId, exportId }, request, response }) => {
        const row = await rowOf(pool, crawlId, exportId);
        const { state, detail, progress } = row;
        const { target, format } = detail;
        if (state !== 'finished')
          throw new HttpProblem(409, `Export ${exportId} is ${state}: it has no file.`);
        const name = fileName(row);
        if (target === 'folder' && (await files.size(row, name)) !== progress.bytes)
          throw new HttpProblem(409, `The file ${name} is not in the folder of exports of this API.`);
        const { from, to } = sendRange(request, response, progress.bytes);
        response.type(exportFiles[format].type);
        response.set({
          'Content-Disposition': `attachment; filename="${name}"`,
          'X-Content-Type-Options': 'nosniff',
        });
        if (request.method === 'HEAD') {
          response.end();
          return answered;
        }
        response.setTimeout(stalledMs, () => response.destroy());
        const { bucket } = files;
        const pieces =
          target === 'folder' || bucket === null
            ? files.read(row, name, from, to)
            : files.readObject(bucket, objectName(row), from, to);
        try {
          await pipeline(Readable.from(pieces, { highWaterMark: 1 }), response);
        } catch (error) {
          if (!leftEarly(error)) throw error;
        }
        return answered;
      },
  }),
];

const isOpen = ({ state }: Pick<ExportRow, 'state'>): boolean => state === 'waiting' || state === 'running';

const rowOf = async (pool: Pool, crawlId: string, id: string): Promise<ExportRow> =>
  (await exportRows.find(pool, crawlId, id))[0] ?? noSuchExport(crawlId, id);

async function viewAgain(parts: Parts, crawlId: string, id: string): Promise<ExportView> {
  const crawl = (await findCrawl(parts.pool, crawlId)) ?? noSuchCrawl(crawlId);
  return viewOf(parts, crawl.pages, await rowOf(parts.pool, crawlId, id));
}

function viewOf({ exports: { files, days } }: Parts, ofPages: number, row: ExportRow): ExportView {
  const { format, choice, target } = row.detail;
  const { phase, pages, bytes } = row.progress;
  const isFinished = row.state === 'finished';
  const goes = row.ended_at === null ? null : new Date(row.ended_at.getTime() + days * dayMs);
  return {
    id: row.id,
    crawlId: row.crawl_id,
    state: row.state,
    reason: row.error,
    phase,
    pages,
    ofPages,
    bytes,
    to: target,
    format,
    fields: [...choice.fields],
    file: isFinished ? fileName(row) : null,
    object: isFinished && target === 'bucket' ? (files.bucket?.keyOf(objectName(row)) ?? null) : null,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    expiresAt: goes?.toISOString() ?? null,
  };
}
