/** Edits of a crawl (G6): change its settings, or preview the change, and start the job that applies it. */
import { retrySession, sealAgain } from '../../storage/sessions/index.ts';
import { beginJob } from './crawl-control.ts';
import { renewSession, sealing } from './crawl-sessions.ts';
import type { Request, Response } from 'express';
import { previewGoal, refusalOf } from '../../engine/recrawl/freshness.ts';
import { previewEdit } from '../../engine/edits/preview.ts';
import { closedCrawlStates, wholeConfig, type CrawlConfig } from '../../contracts/crawl.ts';
import type { ConfigVersion, CrawlEdit, EditPreview } from '../../contracts/http/edits.ts';
import { endlessProblem } from '../../contracts/http/keep-fresh.ts';
import { endedAtLimit, endingInWords, type CrawlStands } from '../../domain/crawl-life.ts';
import { withHiddenHeaders } from '../../domain/request-headers.ts';
import { findConfig, lifeAfter, storeEdit, type Edit, type ConfigRow } from '../../storage/edits/index.ts';
import { viewCrawl } from '../../storage/crawls/index.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { callerOf } from '../way-in/caller.ts';
import { noSuchCrawl } from './crawl-ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { refuseUnowned } from './own-tenant.ts';
import { etagOf, ifMatchOf, refuseStale } from '../routes/preconditions.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { refuseToReopen } from './quotas.ts';

/** Milliseconds after which a preview stops looking. */
const previewMs = 20_000;

type Edited = ConfigVersion | EditPreview;

/** Changes the fields that the request names; the others stay. */
export async function patchCrawl(
  parts: Dependencies,
  request: Request,
  response: Response,
  { crawlId, asked, dryRun }: { crawlId: string; asked: CrawlEdit; dryRun?: boolean | undefined },
): Promise<Edited> {
  const { note = null, mayEnd = false, ...given } = asked;
  const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (Object.keys(changes).length === 0)
    throw new HttpProblem(422, 'The request names no setting to change.');
  const { tenantId } = callerOf(request);
  refuseUnowned(tenantId, given);
  const change = (config: CrawlConfig): CrawlConfig => {
    const headers = given.headers && sealAgain(parts.keys, tenantId, config.headers, given.headers);
    const changed: CrawlConfig = { ...config, ...changes, ...(headers !== undefined && { headers }) };
    const problem = endlessProblem(changed);
    if (problem !== null) throw new HttpProblem(422, `keepFresh: ${problem}.`);
    return changed;
  };
  const edit = { change, note, mayEnd, restores: null };
  return sealing(() => answerEdit(parts, request, response, { crawlId, edit, dryRun }));
}

interface AskedEdit {
  readonly crawlId: string;
  readonly edit: Omit<Edit, 'seen' | 'author'>;
  /** True: only preview the edit, and change nothing. */
  readonly dryRun?: boolean | undefined;
}

export async function answerEdit(
  dependencies: Dependencies,
  request: Request,
  response: Response,
  { crawlId, edit, dryRun = false }: AskedEdit,
): Promise<Edited> {
  if (!dryRun) return editCrawl(dependencies, request, response, crawlId, edit);
  const { pool } = dependencies;
  const view = (await viewCrawl(pool, crawlId)) ?? noSuchCrawl(crawlId);
  const config = wholeConfig(view.config);
  const wanted = edit.change(config);
  if ((await lifeAfter(pool, crawlId, config, wanted)).life === 'over') return refuseOver(crawlId, view);
  noteForAudit(response, 'a preview: nothing was changed');
  return previewEdit(pool, { id: crawlId, config }, wanted, previewMs);
}

/** @throws HttpProblem */
export async function editCrawl(
  parts: Dependencies,
  request: Request,
  response: Response,
  crawlId: string,
  edit: Omit<Edit, 'seen' | 'author'>,
): Promise<ConfigVersion> {
  const { pool, control, log } = parts;
  const { id: author, tenantId, quotas } = callerOf(request);
  const view = (await viewCrawl(pool, crawlId)) ?? noSuchCrawl(crawlId);
  // The changed settings may make a finished crawl run again.
  if (closedCrawlStates.includes(view.state)) await refuseToReopen(pool, response, tenantId, quotas);
  await refuseUnreachable(pool, crawlId, edit.change(wholeConfig(view.config)), wholeConfig(view.config));
  const seen = ifMatchOf(request)?.versions ?? null;
  const outcome = await storeEdit(pool, crawlId, { ...edit, author, seen });
  switch (outcome.kind) {
    case 'unknown':
      return noSuchCrawl(crawlId);
    case 'over':
      return refuseOver(crawlId, outcome);
    case 'ends':
      throw new HttpProblem(
        409,
        `The edit would end crawl ${crawlId} at once (${endingInWords(outcome.by)}), and exclude what is queued. To have this done, say so: by --yes at the command line, by "mayEnd": true over the API.`,
      );
    case 'outdated': {
      const body = await viewCrawl(pool, crawlId);
      return refuseStale(response, body === null ? null : { version: body.configVersion, body });
    }
    case 'same':
    case 'stored': {
      const { version } = outcome;
      if (outcome.kind === 'stored') {
        noteForAudit(response, `version ${String(version)} of the settings of crawl ${crawlId}`);
        await beginJob({ control, log }, 'edit', crawlId);
        // Its headers may be another session.
        if (outcome.loginChanged)
          await renewSession(parts, response, callerOf(request), crawlId, (tell) =>
            retrySession(pool, Number(crawlId), tell),
          );
      }
      const [row, now] = await Promise.all([findConfig(pool, crawlId, version), viewCrawl(pool, crawlId)]);
      if (row === null || now === null) throw new Error(`version ${String(version)} does not exist`);
      response.set('ETag', etagOf(now.configVersion, now));
      return versionView(crawlId, row);
    }
  }
}

/** A goal that is new must be one that can be met, as far as anybody can tell. @throws HttpProblem */
async function refuseUnreachable(
  pool: Dependencies['pool'],
  crawlId: string,
  { keepFresh: goal }: CrawlConfig,
  { keepFresh: before }: CrawlConfig,
): Promise<void> {
  if (goal === null || goal.share === null || JSON.stringify(goal) === JSON.stringify(before)) return;
  const refusal = refusalOf(goal, await previewGoal(pool, crawlId, goal));
  if (refusal !== null) throw new HttpProblem(422, `keepFresh: ${refusal}.`);
}

function refuseOver(crawlId: string, { state, cause, reason }: CrawlStands): never {
  const why = reason === null ? '' : ` (${reason})`;
  if (endedAtLimit({ state, cause }))
    throw new HttpProblem(
      409,
      `Crawl ${crawlId} is ${state}${why}: it takes an edit that lifts this limit, and then goes on. By these settings it would stay at its limit.`,
    );
  throw new HttpProblem(409, `Crawl ${crawlId} is ${state}${why}: its settings cannot be changed any more.`);
}

export const versionView = (crawlId: string, row: ConfigRow): ConfigVersion => ({
  crawlId,
  version: row.version,
  createdAt: row.created_at.toISOString(),
  author: row.author,
  note: row.note,
  restores: row.restores,
  config: withHiddenHeaders(wholeConfig(row.config)) as ConfigVersion['config'],
  effect: {
    state: row.state,
    judged: row.judged,
    excluded: row.excluded,
    readmitted: row.readmitted,
    pagesReread: row.reread,
    admitted: row.admitted,
    endedAt: row.ended_at?.toISOString() ?? null,
  },
});
