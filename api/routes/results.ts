/** What came of a crawl: pages, ledger, audit, explain. */
import { Router } from 'express';
import { explainQuery } from '../../contracts/http/explain.ts';
import { defaultPageLimit, pagesQuery, type AuditView } from '../../contracts/http/results.ts';
import { isBalanced } from '../../domain/ledger.ts';
import { auditCrawl } from '../../storage/audit.ts';
import { findCrawl } from '../../storage/crawls.ts';
import { explainUrlOf, rejectionOf } from '../../engine/explain/explain.ts';
import { readPages } from '../../storage/pages.ts';
import { rejectionSentence } from '../../storage/seeds.ts';
import { crawlIdOf, noSuchCrawl } from '../crawls/crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { madeInLine } from './in-line.ts';
import { badCursor, HttpProblem, methodNotAllowed, parseInput } from '../way-in/problem.ts';

export function resultRoutes({ pool, settings, textOf }: Dependencies): Router {
  // Each looks at every URL of a crawl, and holds a connection meanwhile.
  const audits = madeInLine<AuditView | null>(20);
  const router = Router();
  router
    .route('/crawls/:crawlId/pages')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      const {
        cursor = null,
        limit = defaultPageLimit,
        fields = [],
        ...filter
      } = parseInput(pagesQuery, request.query, 400);
      const answer = await readPages(pool, id, { cursor, limit, fields, filter }, textOf);
      if (answer === 'unknown-crawl') noSuchCrawl(id);
      if (answer === 'bad-cursor') badCursor();
      response.json(answer);
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/crawls/:crawlId/ledger')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      const { ledger, pages, pending, fetches, bytes } = (await findCrawl(pool, id)) ?? noSuchCrawl(id);
      response.json({ ledger, pages, pending, fetches, bytes, balanced: isBalanced(ledger) });
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/crawls/:crawlId/audit')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      response.json((await audits(response, id, () => auditCrawl(pool, id))) ?? noSuchCrawl(id));
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/crawls/:crawlId/explain')
    .get(async (request, response) => {
      const id = crawlIdOf(request);
      const { url } = parseInput(explainQuery, request.query, 400);
      const rejected = rejectionOf(url);
      if (rejected !== null) {
        const detail = `No crawl can have this URL: it ${rejectionSentence(rejected)}.`;
        throw new HttpProblem(422, detail, { errors: [{ path: 'url', message: rejected }] });
      }
      response.json((await explainUrlOf(pool, id, url, settings.userAgent)) ?? noSuchCrawl(id));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
