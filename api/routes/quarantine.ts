/** The quarantine of a crawl: listed, previewed, released and confirmed in bulk. */
import {
  defaultQuarantineLimit,
  newQuarantine,
  quarantineChoice,
  quarantineCounted,
  quarantineJudged,
  quarantineList,
  quarantinePreview,
  quarantineQuery,
  quarantineTry,
  quarantineView,
  type QuarantineChoice,
  type QuarantineJudged,
  type QuarantineView,
} from '../../contracts/http/quarantine.ts';
import { crawlPath } from '../../contracts/http/shared.ts';
import { accusationText } from '../../domain/traps/rules.ts';
import type { Verdict } from '../../domain/traps/verdict.ts';
import { wholeHost } from '../../domain/traps/shape.ts';
import { previewShapes, shapesOfUrl } from '../../engine/traps/preview.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import { hostIds } from '../../storage/hosts/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  firstSampleSeconds,
  giveVerdict,
  holdShape,
  listQuarantine,
  sweepRelease,
  urlsToShape,
  type QuarantineRow,
} from '../../storage/traps/index.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { operator, reader } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json, made } from './answers.ts';
import { route } from './route.ts';

/** Milliseconds after which a preview stops looking, and for which a release queues URLs before it answers. */
const previewMs = 15_000;
const sweepMs = 10_000;
/** Milliseconds after a release until no process keeps URLs back by an older verdict. */
const holdMs = 2_250;
/** Most shapes that one request releases or confirms. */
const mostJudged = 1_000;

const ofCrawl = { params: crawlPath } as const;
const unknown = fails('There is no such crawl.');

export const quarantineRoutes = [
  route({
    method: 'GET',
    path: '/v1/crawls/{crawlId}/quarantine',
    access: reader('crawls'),
    id: 'listQuarantine',
    summary: 'Shapes of URLs that are in quarantine, with the evidence',
    ...ofCrawl,
    query: quarantineQuery,
    answers: { 200: json('Shapes, in the order in which they were found.', quarantineList), 404: unknown },
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, query }) => {
        const { cursor = '0', limit = defaultQuarantineLimit, verdict, host = null } = query;
        await expectCrawl(pool, crawlId);
        const wanted: readonly Verdict[] = verdict ?? ['held', 'confirmed'];
        const rows = await listQuarantine(pool, {
          crawlId,
          after: cursor,
          verdicts: wanted,
          origins: host === null ? null : [host],
          limit,
          counted: quarantineCounted,
        });
        return { items: rows.map(viewOf), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
      },
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/quarantine',
    access: operator('crawls'),
    id: 'addQuarantine',
    summary:
      'Put a shape of URLs into quarantine; one that would take all queued URLs of its host is refused',
    ...ofCrawl,
    body: newQuarantine,
    answers: {
      201: made('The shape is in quarantine.', quarantineView),
      404: fails('There is no such crawl, or the crawl has not met the host.'),
      409: fails('The shape would keep back every queued URL of the host.'),
      422: fails('No URL that the crawl has met at the host has the shape.'),
    },
    cost: 'heavy',
    handler:
      ({ pool, log }) =>
      async ({ params: { crawlId }, body: { host: origin, shape }, caller, response }) => {
        await expectCrawl(pool, crawlId);
        const host = await hostOf(pool, crawlId, origin);
        const { shapes, queued, complete } = await previewShapes(pool, crawlId, host, [shape], previewMs);
        if (shape === wholeHost || shapes[0]?.everything === true) {
          throw new HttpProblem(
            409,
            `The shape ${shape} has all ${String(queued)} queued URLs of ${origin}: nothing would be left to fetch there. Drop the host's queue instead, or choose a narrower shape.`,
          );
        }
        if (complete && shapes[0]?.urls === 0)
          throw new HttpProblem(
            422,
            `No URL that the crawl has met at ${origin} has the shape ${shape}. The preview of a URL shows its shapes.`,
          );
        const [row] = await holdShape(pool, crawlId, host.id, shape, caller.id, firstSampleSeconds);
        if (row === undefined) return noSuchCrawl(crawlId);
        log.info({ crawlId, host: origin, shape }, 'an operator put a shape into quarantine');
        const [view] = await listQuarantine(pool, {
          crawlId,
          ids: [row.id],
          verdicts: ['held'],
          limit: 1,
          counted: quarantineCounted,
        });
        if (view === undefined)
          throw new HttpProblem(409, `The shape ${shape} has another verdict meanwhile.`);
        response.status(201).location(`/v1/crawls/${crawlId}/quarantine`);
        return viewOf(view);
      },
  }),
  route({
    method: 'POST',
    path: '/v1/crawls/{crawlId}/quarantine/preview',
    access: operator('crawls'),
    id: 'previewQuarantine',
    summary: 'What a shape, or each shape of a URL, would keep back; changes nothing',
    ...ofCrawl,
    body: quarantineTry,
    answers: {
      200: json('The shapes, the narrowest first.', quarantinePreview),
      404: fails('There is no such crawl, or the crawl has not met the host.'),
    },
    cost: 'heavy',
    handler:
      ({ pool }) =>
      async ({ params: { crawlId }, body }) => {
        await expectCrawl(pool, crawlId);
        const wanted = 'url' in body ? shapesOfUrl(body.url) : { host: body.host, shapes: [body.shape] };
        if (wanted === null) throw new HttpProblem(422, 'The URL cannot be crawled.');
        const host = await hostOf(pool, crawlId, wanted.host);
        return previewShapes(pool, crawlId, host, wanted.shapes, previewMs);
      },
  }),
  ...(['release', 'confirm'] as const).map((act) =>
    route({
      method: 'POST',
      path: `/v1/crawls/{crawlId}/quarantine/${act}`,
      access: operator('crawls'),
      id: act === 'release' ? 'releaseQuarantine' : 'confirmQuarantine',
      summary:
        act === 'release'
          ? 'Release shapes from quarantine: no rule holds them any more; their URLs are queued again, pages held as soft 404 are pages of the crawl again'
          : 'Confirm that shapes are traps: none of their URLs is let through any more',
      ...ofCrawl,
      body: quarantineChoice,
      bodyIsOptional: true,
      answers: { 200: json('How many shapes and URLs this concerned.', quarantineJudged), 404: unknown },
      handler:
        ({ pool, log }) =>
        async ({ params: { crawlId }, body: choice, caller }) => {
          await expectCrawl(pool, crawlId);
          const rows = await chosen(pool, crawlId, choice, act);
          const ids = rows.map(({ id }) => id);
          const verdict = act === 'release' ? 'released' : 'confirmed';
          const changed = await giveVerdict(pool, crawlId, ids, verdict, caller.id);
          log.info({ crawlId, shapes: changed.length }, `shapes in quarantine are ${verdict}`);
          if (act === 'confirm' || changed.length === 0)
            return { shapes: changed.length, urls: 0, more: false, left: 0 };
          const released = new Set(changed.map(({ id }) => id));
          const freed = rows.filter(({ id }) => released.has(id));
          return { shapes: changed.length, ...(await queueAgain(pool, crawlId, freed)) };
        },
    }),
  ),
];

/**
 * Workers sweep releases too, so what was kept back at the verdict and no longer is counts as let go, whoever did it.
 * @param released with the URLs that each kept back at the verdict
 */
async function queueAgain(
  pool: Pool,
  crawlId: string,
  released: readonly QuarantineRow[],
): Promise<Omit<QuarantineJudged, 'shapes'>> {
  const keptBack = sumOfUrls(released);
  // A worker whose copy of the verdicts is older would exclude again what is queued before it reads them anew.
  await new Promise((wake) => setTimeout(wake, holdMs));
  const until = performance.now() + sweepMs;
  let urls = 0;
  for (const { id } of released) {
    const swept = await sweepRelease(pool, id, until);
    urls += swept.urls;
    if (!swept.more) continue;
    const ids = released.map((each) => each.id);
    const rows = await listQuarantine(pool, {
      crawlId,
      ids,
      verdicts: ['released'],
      limit: mostJudged,
      counted: quarantineCounted,
    });
    const left = sumOfUrls(rows);
    return { urls: Math.max(urls, keptBack - left), more: true, left };
  }
  return { urls: Math.max(urls, keptBack), more: false, left: 0 };
}

const sumOfUrls = (rows: readonly QuarantineRow[]): number => rows.reduce((all, { urls }) => all + urls, 0);

async function chosen(
  pool: Pool,
  crawlId: string,
  { ids, host, rule }: QuarantineChoice,
  act: 'release' | 'confirm',
): Promise<QuarantineRow[]> {
  const verdicts: readonly Verdict[] =
    ids === undefined
      ? ['held']
      : ['suspected', 'cleared', 'held', act === 'release' ? 'confirmed' : 'released'];
  const rows = await listQuarantine(pool, {
    crawlId,
    ids: ids ?? null,
    verdicts,
    origins: host === undefined ? null : [host],
    limit: mostJudged,
    counted: act === 'release' ? quarantineCounted : 1,
  });
  return rows.filter((row) => rule === undefined || row.rule === rule);
}

async function expectCrawl(pool: Pool, crawlId: string): Promise<void> {
  if ((await findCrawl(pool, crawlId)) === null) noSuchCrawl(crawlId);
}

async function hostOf(
  pool: Pool,
  crawlId: string,
  origin: string,
): Promise<{ readonly id: string; readonly origin: string }> {
  const [host] = await hostIds(pool, [origin]);
  // A tenant must not see that another one crawls the host.
  const met = host === undefined ? [] : await urlsToShape(pool, crawlId, String(host.id), '', 1);
  if (host === undefined || met.length === 0)
    throw new HttpProblem(404, `Crawl ${crawlId} has not met ${origin}.`);
  return { id: String(host.id), origin };
}

const viewOf = (row: QuarantineRow): QuarantineView => ({
  id: row.id,
  host: row.origin,
  shape: row.shape,
  rule: row.rule,
  kind: row.rule === 'soft-404' ? 'soft-404' : 'trap',
  why: accusationText(row),
  evidence: { ...row.evidence },
  verdict: row.verdict,
  urls: row.urls,
  letThrough: row.let_through,
  sampled: row.sampled,
  novel: row.novel,
  since: row.created_at.toISOString(),
  judgedBy: row.judged_by,
  judgedAt: row.judged_at?.toISOString() ?? null,
});
