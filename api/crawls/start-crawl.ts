/**
 * A new crawl: its seeds are judged, the crawl is stored within the quotas of its tenant, and its workflow is started.
 */
import type { Response } from 'express';
import { defaultCrawlConfig, type CrawlConfig } from '../../contracts/crawl.ts';
import type { CrawlSettings } from '../../contracts/http/crawl-settings.ts';
import type { CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { NewSession } from '../../contracts/http/sessions.ts';
import { admitCrawl } from '../../storage/starting/index.ts';
import { failUnstarted } from '../../storage/starting/index.ts';
import { mostPlaces, sealHeaders, storeParts } from '../../storage/sessions/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { readSessions, sealing, tooManyPlaces } from './crawl-sessions.ts';
import { judgeSeeds } from './judged-seeds.ts';
import { refuseSpent, tellQuotas } from './quotas.ts';

interface WantedCrawl {
  readonly tenantId: number;
  readonly settings: CrawlSettings;
  /** As they were sent. */
  readonly seeds: string | readonly string[];
  readonly label: string | null;
  /** What it logs in with; absent: nothing. */
  readonly sessions?: readonly NewSession[] | undefined;
  /** For a job: the user it is for, a decimal number. */
  readonly userId?: string;
}

/** Stores a crawl within the quotas of its tenant and starts its workflow. @throws HttpProblem */
export async function startCrawl(
  { pool, keys, control, log }: Dependencies,
  response: Response,
  { tenantId, settings, seeds: asked, label, sessions = [], userId }: WantedCrawl,
): Promise<CreatedCrawl> {
  const { seeds, accepted, rejectedCount, rejected } = await judgeSeeds(asked);
  const parts = readSessions(tenantId, sessions);
  if (parts.length > mostPlaces) tooManyPlaces();
  const sealed = (config: CrawlConfig): CrawlConfig => ({
    ...config,
    headers: sealHeaders(keys, tenantId, config.headers),
  });
  const admission = await sealing(async () =>
    admitCrawl(pool, tenantId, sealed(withDefaults(settings)), seeds, label, userId, async (db, id) => {
      if (parts.length > 0) await storeParts(db, keys, Number(id), parts);
    }),
  );
  tellQuotas(response, admission.quotas, admission.used);
  if (admission.id === null) refuseSpent(response, admission.spent);
  const { id } = admission;
  try {
    await control.start(id);
  } catch (error) {
    log.error({ err: error, crawlId: id }, 'the workflow of a new crawl could not be started');
    await failUnstarted(pool, id, 'not-started');
    throw new HttpProblem(
      503,
      `Crawl ${id} was not started, because Temporal does not answer. Try again soon.`,
    );
  }
  return { id, state: 'seeding', accepted, rejectedCount, rejected: [...rejected] };
}

/** JSON does not tell an undefined field from an absent one, but a spread does. */
function withDefaults(settings: CrawlSettings): CrawlConfig {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...defaultCrawlConfig, ...given };
}
