/** A public ranking of domains, by which crawls may trust hosts that they have not met. */
import type { Request } from 'express';
import { z } from 'zod';
import {
  defaultRanked,
  importedRanks,
  maxRankBytes,
  maxRankLineBytes,
  maxRankLines,
  rankImportQuery,
  rankLineTypes,
  ranksQuery,
  ranksView,
  refusedLinesShown,
  removedRanks,
  type ImportedRanks,
} from '../../contracts/http/ranks.ts';
import { readRankLine } from '../../domain/priority/rank-line.ts';
import { domainsAbove } from '../../domain/priority/trust.ts';
import {
  countRanks,
  dropRanks,
  importRanks,
  OvertakenImport,
  ranksOf,
  type Ranked,
} from '../../storage/ranks/index.ts';
import { instance } from '../way-in/access.ts';
import { chunksOf, drain, splitLines } from '../way-in/body-lines.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

const ofOperators = { access: instance('operator', 'crawls') } as const;
const bounds = { bytes: maxRankBytes, lines: maxRankLines, lineBytes: maxRankLineBytes };
/** Characters shown of a line that is refused. */
const shownOfLine = 200;

export const rankRoutes = [
  route({
    method: 'POST',
    path: '/v1/ranks',
    ...ofOperators,
    id: 'importRanks',
    summary: 'Import a public ranking of domains, in place of the one before',
    query: rankImportQuery,
    bodies: Object.fromEntries(rankLineTypes.map((type) => [type, z.string()])),
    answers: {
      200: json('The ranking is stored. Workers use it within ten minutes.', importedRanks),
      400: fails('The body was cut off. Lines that came are stored beside the ranking before.'),
      409: fails('Another import, or the removal of the ranking, began meanwhile, and holds.'),
      413: fails('The body is too large.'),
      415: fails('The body has another content type, or a Content-Encoding.'),
      422: fails('No line of the body is a line of a ranking. The ranking before is unchanged.'),
    },
    handler:
      ({ pool, log }) =>
      async ({ query: { most = defaultRanked }, request }) => {
        if (request.is([...rankLineTypes]) === false)
          throw new HttpProblem(
            415,
            `The body must be sent with Content-Type: ${rankLineTypes.join(' or ')}.`,
          );
        if (request.headers['content-encoding'] !== undefined)
          throw new HttpProblem(415, 'Lines of a ranking must be sent without Content-Encoding.');
        const told: Told = { beyond: 0, refusedCount: 0, refused: [], taken: 0 };
        try {
          const domains = await importRanks(pool, rankedLines(request, most, told));
          const { taken, ...counted } = told;
          if (taken === 0)
            throw new HttpProblem(
              422,
              'No line of the body is a line of a ranking, such as "1,example.com". The ranking before is unchanged.',
            );
          log.info({ domains, refused: counted.refusedCount }, 'a ranking of domains was imported');
          return { domains, ...counted };
        } catch (error) {
          const wasCut = request.destroyed && !request.complete;
          await drain(request);
          if (error instanceof OvertakenImport)
            throw new HttpProblem(
              409,
              'Another import, or the removal of the ranking, began while this import was under way, and holds. Import the ranking again if this one is to hold.',
            );
          if (!(error instanceof HttpProblem) && wasCut)
            throw new HttpProblem(
              400,
              'The request ended before its body was whole. Import the ranking again.',
            );
          throw error;
        }
      },
  }),
  route({
    method: 'GET',
    path: '/v1/ranks',
    ...ofOperators,
    id: 'getRanks',
    summary: 'How many domains are ranked, and the place of one of them',
    query: ranksQuery,
    answers: { 200: json('The ranking.', ranksView) },
    handler:
      ({ pool }) =>
      async ({ query: { domain } }) => {
        const [counted] = await countRanks(pool);
        const names = domain === undefined ? [] : domainsAbove(domain);
        const rows = await ranksOf(pool, names);
        const [ranked = null] = names.flatMap((name) => rows.filter((row) => row.domain === name));
        return { domains: counted?.domains ?? 0, ranked };
      },
  }),
  route({
    method: 'DELETE',
    path: '/v1/ranks',
    ...ofOperators,
    id: 'removeRanks',
    summary: 'Remove the ranking of domains',
    answers: { 200: json('The ranking is removed.', removedRanks) },
    handler:
      ({ pool }) =>
      async () => ({ removed: await dropRanks(pool) }),
  }),
];

interface Told extends Omit<ImportedRanks, 'domains'> {
  beyond: number;
  refusedCount: number;
  taken: number;
}

/** @param told gets what was left out, as it is met */
async function* rankedLines(request: Request, most: number, told: Told): AsyncGenerator<Ranked> {
  let line = 0;
  for await (const bytes of splitLines(chunksOf(request), bounds)) {
    line += 1;
    const text = bytes?.toString('utf8') ?? `a line of more than ${String(maxRankLineBytes)} bytes`;
    const read = bytes === null ? null : readRankLine(text);
    if (read === 'skip') continue;
    if (read === null) {
      if (++told.refusedCount <= refusedLinesShown)
        told.refused.push({ line, text: text.slice(0, shownOfLine) });
    } else if (read.place > most) told.beyond++;
    else {
      told.taken++;
      yield read;
    }
  }
}
