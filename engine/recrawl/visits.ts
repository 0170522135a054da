/** What visits to pages have shown, as rows to be stored. */
import { compileUrlPattern } from '../../contracts/url-pattern.ts';
import { intervalsOf, toleranceOf, type KeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import { nextVisit, type VisitRules } from '../../domain/recrawl/next-visit.ts';
import { changeRates, importanceOf, pageClasses, type ChangeFreq } from '../../domain/recrawl/page-class.ts';
import {
  firstVisit,
  hasChanged,
  simhashAfter,
  visitedAgain,
  type Found,
  type PageState,
} from '../../domain/recrawl/page-state.ts';
import { visitsThatTell } from '../../domain/recrawl/cold-start.ts';
import { unknownRate } from '../../domain/recrawl/rate.ts';
import { canonicalize } from '../../domain/url.ts';
import type { NotedVisit, StandingCrawl, VisitedPage } from '../../storage/recrawl/index.ts';

const dayMicros = 86_400e6;

export function rulesOf(standing: StandingCrawl, keepFresh: KeepFresh): VisitRules {
  const { price, left_out_days: leftOutDays, typical_rate: typical, pages } = standing;
  return {
    plan: price === null || leftOutDays === null ? null : { price, leftOutDays },
    typical: typical ?? unknownRate,
    even: Math.max(1, pages) / keepFresh.requestsPerDay,
    tolerance: toleranceOf(keepFresh),
    intervals: intervalsOf(keepFresh),
  };
}

/** Does a URL match one of the patterns? Compiled once. */
export function anyOf(patterns: readonly string[]): (url: string) => boolean {
  const matchers = patterns.map(compileUrlPattern);
  return (url) => {
    const link = matchers.length === 0 ? null : canonicalize(url);
    return link?.ok === true && matchers.some((matches) => matches(link.value.canonical));
  };
}

/** Is a URL kept fresh? */
export function partOf({ only }: KeepFresh): (url: string) => boolean {
  const matches = anyOf(only);
  return (url) => only.length === 0 || matches(url);
}

interface Noted {
  readonly notes: readonly NotedVisit[];
  /** Dates of sitemaps that proved right or wrong, by host. */
  readonly dates: readonly { readonly host_id: number; readonly correct: number; readonly wrong: number }[];
}

export function noteOf(visits: readonly VisitedPage[], keepFresh: KeepFresh, rules: VisitRules): Noted {
  const [isPart, isNews] = [partOf(keepFresh), anyOf(keepFresh.news)];
  const dates = new Map<number, { host_id: number; correct: number; wrong: number }>();
  const notes = visits.flatMap((visit): NotedVisit[] => {
    // A crawl that stands again is walked from its start. These visits were noted the last time.
    if (visit.seen_micros !== null && visit.seen_micros >= visit.micros) return [];
    const found: Found = {
      isDead: visit.state === 'dead',
      bodySign: visit.body_sign,
      textSign: visit.text_sign,
      simhash: bitsOf(visit.simhash),
    };
    const before = pageBefore(visit);
    const changed = before !== null && hasChanged(before.found, found);
    const importance = importanceOf(visit.priority);
    const page =
      before === null
        ? firstVisit(importance, found)
        : visitedAgain(
            { ...before.page, importance },
            (visit.micros - before.seenMicros) / dayMicros,
            changed,
            found,
          );
    if (before !== null && visit.lastmod_micros !== null) {
      const said = visit.lastmod_micros > before.seenMicros;
      // A date that says nothing new about a page that did not change proves nothing.
      if (said || changed) {
        const of = dates.get(visit.host_id) ?? { host_id: visit.host_id, correct: 0, wrong: 0 };
        dates.set(
          visit.host_id,
          said === changed ? { ...of, correct: of.correct + 1 } : { ...of, wrong: of.wrong + 1 },
        );
      }
    }
    const changefreq = freqOf(visit.changefreq);
    const next = nextVisit(page, { isNews: isNews(visit.url), changefreq }, rules);
    return [
      {
        host_id: visit.host_id,
        key: visit.key,
        class: pageClasses.indexOf(next.pageClass),
        importance: page.importance,
        rate: next.rate,
        visits: page.visits,
        unchanged_in_row: page.unchangedInARow,
        dead_visits: page.deadVisits,
        unchanged_days: page.history.unchangedDays,
        changed_after: page.history.changedAfter,
        micros: visit.micros,
        changed: before !== null && changed,
        body_sign: visit.body_sign,
        text_sign: visit.text_sign,
        simhash: simhashAfter(before?.found ?? null, found, changed)?.toString() ?? null,
        due_in_days: isPart(visit.url) ? next.inDays : null,
      },
    ];
  });
  return { notes, dates: [...dates.values()] };
}

/** By this visit the rate of its page has become known. */
export const tellsItsRate = ({ visits }: { readonly visits: number }): boolean =>
  visits === visitsThatTell + 1;

export const freqOf = (text: string | null): ChangeFreq | null =>
  text !== null && Object.hasOwn(changeRates, text) ? (text as ChangeFreq) : null;

const bitsOf = (simhash: string | null): bigint | null => (simhash === null ? null : BigInt(simhash));

/** Null: this is the first visit. */
function pageBefore(visit: VisitedPage): {
  readonly page: Omit<PageState, 'importance'>;
  readonly found: Found;
  readonly seenMicros: number;
} | null {
  if (visit.seen_micros === null) return null;
  const deadVisits = visit.dead_visits ?? 0;
  return {
    seenMicros: visit.seen_micros,
    found: {
      isDead: deadVisits > 0,
      bodySign: visit.old_body_sign ?? '',
      textSign: visit.old_text_sign,
      simhash: bitsOf(visit.old_simhash),
    },
    page: {
      history: { unchangedDays: visit.unchanged_days ?? 0, changedAfter: visit.changed_after ?? [] },
      visits: visit.visits ?? 0,
      gap: null,
      changed: null,
      unchangedInARow: visit.unchanged_in_row ?? 0,
      deadVisits,
    },
  };
}
