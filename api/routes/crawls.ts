/** Crawls as a resource: create, list, look at, edit, pause, resume, cancel, delete. */
import { z } from 'zod';
import {
  crawlList,
  crawlRemoval,
  crawlStateAnswer,
  crawlView,
  createdCrawl,
  defaultListLimit,
  listQuery,
  newCrawl,
} from '../../contracts/http/crawls.ts';
import { configVersion, crawlEdit, editPreview, editQuery } from '../../contracts/http/edits.ts';
import { changeReason, crawlId as crawlIdSchema, crawlPath } from '../../contracts/http/shared.ts';
import { crawlsBefore, viewCrawl, markRemoved } from '../../storage/crawls/index.ts';
import { changeCrawl } from '../crawls/change-crawl.ts';
import type { CrawlChange } from '../crawls/crawl-control.ts';
import { patchCrawl } from '../crawls/crawl-edits.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { refuseUnowned } from '../crawls/own-tenant.ts';
import { refuseToGrow } from '../crawls/quotas.ts';
import { startCrawl } from '../crawls/start-crawl.ts';
import { operator, reader } from '../way-in/access.ts';
import { badCursor, HttpProblem } from '../way-in/problem.ts';
import { fails, ifMatch, ifNoneMatch, json, made, tagged } from './answers.ts';
import { route, type Cost, type Route } from './route.ts';

const one = '/v1/crawls/{crawlId}';

export const edited = json(
  'The new version, or the present version if nothing changes; with dryRun, what the change would do.',
  z.union([configVersion, editPreview]),
  'ETag',
);
/** A preview walks over the frontier of the crawl. */
export const costOfEdit = ({ dryRun }: z.output<typeof editQuery>): Cost =>
  dryRun === true ? 'heavy' : 'usual';
/** Refusals of a change of a crawl's settings. */
export const editRefusals = {
  400: fails('The request is not valid.'),
  409: fails('The crawl has ended or is ending, or the edit would end it and `mayEnd` is not set.'),
  429: fails('The crawl had ended, and a quota of the tenant does not allow it to go on.'),
};

const changes = (change: CrawlChange, id: string, summary: string): Route =>
  route({
    method: 'POST',
    path: `${one}/${change}`,
    access: operator('crawls'),
    id,
    summary,
    params: crawlPath,
    body: changeReason,
    bodyIsOptional: true,
    answers: {
      200: json('The state of the crawl now.', crawlStateAnswer),
      409: fails('The state of the crawl does not allow this.'),
      503: fails('Temporal or a worker did not answer in time.'),
    },
    ...(change === 'resume' && { countsQuotas: true }),
    handler:
      (parts) =>
      async ({ params: { crawlId }, body: { reason = null }, caller: { tenantId, quotas }, response }) => {
        if (change === 'resume') await refuseToGrow(parts.pool, response, tenantId, quotas);
        return changeCrawl(parts, crawlId, change, reason);
      },
  });

export const crawlRoutes = [
  route({
    method: 'POST',
    path: '/v1/crawls',
    access: operator('crawls'),
    id: 'createCrawl',
    summary: 'Start a crawl',
    body: newCrawl,
    answers: {
      201: made('The crawl was created and started.', createdCrawl),
      422: fails('The body is not valid, or has no seed that can be crawled.'),
      503: fails('Temporal does not answer, so no crawl was started.'),
    },
    countsQuotas: true,
    handler:
      (parts) =>
      async ({ body: { seeds, label = null, sessions, ...settings }, caller: { tenantId }, response }) => {
        refuseUnowned(tenantId, settings);
        const created = await startCrawl(parts, response, { tenantId, settings, seeds, label, sessions });
        response.location(`/v1/crawls/${created.id}`);
        return created;
      },
  }),
  route({
    method: 'GET',
    path: '/v1/crawls',
    access: reader('crawls'),
    id: 'listCrawls',
    summary: 'Crawls, newest first',
    query: listQuery,
    answers: { 200: json('Crawls.', crawlList) },
    handler:
      ({ pool }) =>
      async ({ query: { cursor, limit = defaultListLimit, state }, caller: { tenantId } }) => {
        if (cursor !== undefined && !crawlIdSchema.safeParse(cursor).success) badCursor();
        const items = await crawlsBefore(pool, cursor ?? null, limit, tenantId, state);
        return { items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) };
      },
  }),
  route({
    method: 'GET',
    path: one,
    access: reader('crawls'),
    id: 'getCrawl',
    summary: 'A crawl: its state, settings and counts',
    params: crawlPath,
    header: ifNoneMatch,
    answers: { 200: tagged('The crawl.', crawlView) },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId } }) => {
        const body = (await viewCrawl(pool, crawlId)) ?? noSuchCrawl(crawlId);
        return { version: body.configVersion, body };
      },
  }),
  route({
    method: 'PATCH',
    path: one,
    access: operator('crawls'),
    id: 'editCrawl',
    summary: 'Change the settings of a crawl while it runs, or preview the change',
    params: crawlPath,
    query: editQuery,
    header: ifMatch,
    body: crawlEdit,
    answers: {
      200: edited,
      ...editRefusals,
      422: fails('The body is not valid, or names no setting that may be changed.'),
    },
    countsQuotas: true,
    cost: costOfEdit,
    handler:
      (parts) =>
      ({ params: { crawlId }, query, body, request, response }) =>
        patchCrawl(parts, request, response, { crawlId, asked: body, ...query }),
  }),
  route({
    method: 'DELETE',
    path: one,
    access: operator('crawls'),
    id: 'deleteCrawl',
    summary: 'Delete a crawl that is over, with its data; send this again until the crawl is unknown',
    params: crawlPath,
    answers: {
      202: json('The crawl is being deleted; no other route knows it any more.', crawlRemoval),
      404: fails('There is no such crawl, or it has been deleted.'),
      409: fails('The crawl is not over: cancel it first.'),
    },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId: id } }) => {
        const [crawl] = await markRemoved(pool, id);
        if (crawl === undefined) return noSuchCrawl(id);
        if (!crawl.removed)
          throw new HttpProblem(
            409,
            `Crawl ${id} is ${crawl.state}: only crawls that are over can be deleted.`,
          );
        return { id, urls: crawl.urls };
      },
  }),
  changes('pause', 'pauseCrawl', 'Pause a crawl: no more requests until it is resumed'),
  changes('resume', 'resumeCrawl', 'Resume a paused crawl'),
  changes('cancel', 'cancelCrawl', 'Cancel a crawl; its queued URLs are excluded'),
];
