/**
 * Known pages get other dates when an edit changes which pages are kept fresh, which are news, or the bounds of their
 * classes. Otherwise a page that was left out would never come back, and one with a ceiling of 90 days would feel the
 * edit after 90 days. A walk in batches: it goes on where a run was cut off, and begins anew if the settings change
 * meanwhile.
 */
import type { KeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import { nextVisit, type VisitRules } from '../../domain/recrawl/next-visit.ts';
import { pageClasses } from '../../domain/recrawl/page-class.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import {
  beginDating,
  datePages,
  knownPages,
  type DatedPage,
  type KnownPage,
  type StandingCrawl,
} from '../../storage/recrawl/index.ts';
import { anyOf, freqOf, partOf, rulesOf } from './visits.ts';

/** The settings that date pages, to be compared. */
const datedBy = ({ only, news, intervals }: KeepFresh): string => JSON.stringify({ only, news, intervals });

/** Dates the next pages, and answers how many it looked at; 0: all are dated. The caller must hold the standing crawl. */
export async function dateSome(
  db: Queryable,
  crawlId: string,
  standing: StandingCrawl,
  keepFresh: KeepFresh,
  limit: number,
): Promise<number> {
  const settings = datedBy(keepFresh);
  const isNew = standing.dated_by !== settings;
  if (isNew) await beginDating(db, crawlId, settings);
  const after = isNew ? Buffer.alloc(0) : standing.dated_key;
  if (after === null) return 0;
  const pages = await knownPages(db, crawlId, after, isNew ? 0 : standing.dated_host, limit);
  const last = pages.length < limit ? undefined : pages.at(-1);
  const rows = datesOf(pages, keepFresh, rulesOf(standing, keepFresh));
  const place = last === undefined ? null : Buffer.from(last.key, 'hex');
  await datePages(db, crawlId, JSON.stringify(rows), place, last?.host_id ?? 0);
  return pages.length;
}

/** Pages that are queued get their date from their visit. */
function datesOf(pages: readonly KnownPage[], keepFresh: KeepFresh, rules: VisitRules): readonly DatedPage[] {
  const [isPart, isNews] = [partOf(keepFresh), anyOf(keepFresh.news)];
  return pages
    .filter(({ rests }) => rests)
    .map((page) => {
      const state = {
        importance: page.importance,
        history: { unchangedDays: page.unchanged_days, changedAfter: page.changed_after },
        visits: page.visits,
        gap: null,
        changed: null,
        unchangedInARow: page.unchanged_in_row,
        deadVisits: page.dead_visits,
      };
      const said = { isNews: isNews(page.url), changefreq: freqOf(page.changefreq) };
      const { pageClass, inDays } = nextVisit(state, said, rules);
      return {
        host_id: page.host_id,
        key: page.key,
        class: pageClasses.indexOf(pageClass),
        due_in_days: isPart(page.url) ? inDays : null,
      };
    });
}
