/** Versions of a crawl's settings: listed, looked at, restored. */
import { Router, type Request } from 'express';
import {
  configRestore,
  defaultVersionLimit,
  versionPath,
  versionsQuery,
} from '../../contracts/http/edits.ts';
import { wholeConfig } from '../../contracts/crawl.ts';
import { findConfig, readConfigs } from '../../storage/crawl-edits.ts';
import { findCrawl } from '../../storage/crawls.ts';
import type { ConfigRow } from '../../storage/statements/list-configs.ts';
import { answerEdit, versionView } from '../crawls/crawl-edits.ts';
import { crawlIdOf, noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';

/** More than any crawl has. */
const latest = 2_147_483_647;
/** Of settings in one answer; those of one version may be that large. */
const pageBytes = 8 * 1024 * 1024;

export function editRoutes(dependencies: Dependencies): Router {
  const { pool } = dependencies;
  const router = Router();

  const rowOf = async (request: Request, crawlId: string): Promise<ConfigRow> => {
    const { version } = request.params;
    const known = versionPath.safeParse({ crawlId, version }).success;
    const row = known ? await findConfig(pool, crawlId, Number(version)) : null;
    if (row !== null) return row;
    if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
    throw new HttpProblem(404, `Crawl ${crawlId} has no version ${String(version)} of its settings.`);
  };

  router
    .route('/crawls/:crawlId/versions')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      const { cursor, limit = defaultVersionLimit } = parseInput(versionsQuery, request.query, 400);
      const from = cursor === undefined ? latest : Number(cursor);
      const { rows, next } = await readConfigs(pool, id, from, limit, pageBytes);
      if (rows.length === 0 && (await findCrawl(pool, id)) === null) noSuchCrawl(id);
      response.json({
        items: rows.map((row) => versionView(id, row)),
        next: next === null ? null : String(next),
      });
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/crawls/:crawlId/versions/:version')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      response.json(versionView(id, await rowOf(request, id)));
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/crawls/:crawlId/versions/:version/restore')
    .post(async (request, response) => {
      const id = crawlIdOf(request);
      const { note = null } = parseInput(configRestore, request.body ?? {}, 422);
      const { version, config } = await rowOf(request, id);
      const change = () => wholeConfig(config);
      await answerEdit(dependencies, request, response, id, { change, note, restores: version });
    })
    .all(methodNotAllowed('POST'));
  return router;
}
