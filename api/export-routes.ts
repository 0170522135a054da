/** `GET /v1/crawls/{crawlId}/export`: all pages of a crawl in one answer, as JSON lines or as CSV (F38, G11). */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import { exportQuery } from '../contracts/http/export.ts';
import type { PageField } from '../contracts/http/results.ts';
import { findCrawl } from '../storage/crawls.ts';
import { pageBatches } from '../storage/pages.ts';
import { crawlIdOf, noSuchCrawl } from './crawl-ids.ts';
import { csvHead, csvLine } from './csv.ts';
import type { Dependencies } from './dependencies.ts';
import { methodNotAllowed, parseInput } from './problem.ts';

/** Milliseconds that a reader may take nothing before it is given up. */
const stalledMs = 60_000;

export function exportRoutes({ pool, textOf }: Dependencies): Router {
  const router = Router();
  router
    .route('/crawls/:crawlId/export')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      const { format = 'jsonl', fields = [] } = parseInput(exportQuery, request.query, 400);
      if ((await findCrawl(pool, id)) === null) noSuchCrawl(id);
      const lines = format === 'csv' ? csv(id) : jsonLines(id, fields);
      response.type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson');
      response.set('Content-Disposition', `attachment; filename="crawl-${id}.${format}"`);
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      response.setTimeout(stalledMs, () => response.destroy());
      try {
        await pipeline(Readable.from(lines), response);
      } catch (error) {
        if (!leftEarly(error)) throw error;
      }
    })
    .all(methodNotAllowed('GET'));
  return router;

  async function* jsonLines(id: string, fields: readonly PageField[]): AsyncGenerator<string> {
    for await (const pages of pageBatches(pool, id, fields, textOf)) {
      yield pages.map((page) => `${JSON.stringify(page)}\n`).join('');
    }
  }

  async function* csv(id: string): AsyncGenerator<string> {
    yield csvHead;
    for await (const pages of pageBatches(pool, id, [], textOf)) yield pages.map(csvLine).join('');
  }
}

/** Whoever asked has gone, or took nothing for too long: nobody is left to be told. */
const leftEarly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
