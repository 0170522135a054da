/** Versions of a crawl's settings: listed, looked at, restored. */
import { wholeConfig } from '../../contracts/crawl.ts';
import {
  configRestore,
  configVersion,
  defaultVersionLimit,
  editQuery,
  versionList,
  versionPath,
  versionsQuery,
} from '../../contracts/http/edits.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { findConfig, readConfigs, type ConfigRow } from '../../storage/edits/index.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { answerEdit, versionView } from '../crawls/crawl-edits.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { operator, reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, ifMatch, json } from './answers.ts';
import { costOfEdit, edited, editRefusals } from './crawls.ts';
import { route } from './route.ts';

/** A version number above that of any crawl. */
const latest = 2_147_483_647;
/** Bytes of settings in one answer; a single version may be as large. */
const pageBytes = 8 * 1024 * 1024;

/** A text that cannot be a version names none. */
const ofOneVersion = {
  params: versionPath,
  unknown: ({ crawlId = '', version = '' }: Readonly<Record<string, string>>) =>
    noSuchVersion(crawlId, version),
};
const unknownVersion = fails('There is no such crawl, or no such version of its settings.');

export const versionRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/versions',
    access: reader('crawls'),
    id: 'listConfigVersions',
    summary: "Versions of a crawl's settings, newest first",
    params: crawlPath,
    query: versionsQuery,
    answers: { 200: json('The versions.', versionList) },
    // Settings may be of megabytes.
    cost: 'heavy',
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query: { cursor, limit = defaultVersionLimit } }) => {
        const from = cursor === undefined ? latest : Number(cursor);
        const { rows, next } = await readConfigs(pool, crawlId, from, limit, pageBytes);
        if (rows.length === 0 && (await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
        return {
          items: rows.map((row) => versionView(crawlId, row)),
          next: next === null ? null : String(next),
        };
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/versions/{version}',
    access: reader('crawls'),
    id: 'getConfigVersion',
    summary: 'A version of the settings, and how far it has been applied',
    ...ofOneVersion,
    answers: { 200: json('The version.', configVersion), 404: unknownVersion },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId, version } }) =>
        versionView(crawlId, await rowOf(pool, crawlId, version)),
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/versions/{version}/restore',
    access: operator('crawls'),
    id: 'restoreConfigVersion',
    summary: 'Restore the settings of an earlier version, as a new version; or preview the change',
    ...ofOneVersion,
    query: editQuery,
    header: ifMatch,
    body: configRestore,
    bodyIsOptional: true,
    answers: { 200: edited, ...editRefusals, 404: unknownVersion },
    countsQuotas: true,
    cost: costOfEdit,
    handler:
      (parts) =>
      async ({
        params: { crawlId, version: asked },
        query,
        body: { note = null, mayEnd = false },
        request,
        response,
      }) => {
        const { version, config } = await rowOf(parts.pool, crawlId, asked);
        const edit = { change: () => wholeConfig(config), note, mayEnd, restores: version };
        return answerEdit(parts, request, response, { crawlId, edit, ...query });
      },
  }),
];

async function rowOf(pool: Pool, crawlId: string, version: string): Promise<ConfigRow> {
  const row = await findConfig(pool, crawlId, Number(version));
  if (row !== null) return row;
  if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
  return noSuchVersion(crawlId, version);
}

function noSuchVersion(crawlId: string, version: string): never {
  throw new HttpProblem(404, `Crawl ${crawlId} has no version ${version} of its settings.`);
}
