/** When a standing crawl fetches a URL again, and by what it goes. */
import { counted } from '../counted.ts';
import { visitsThatTell } from '../recrawl/cold-start.ts';
import { note, span, type Decision } from './decision.ts';
import type { ExplainFacts, RecrawlFacts } from './facts.ts';

const dayMs = 86_400_000;

export function recrawlDecisions({ recrawl, record }: ExplainFacts): Decision[] {
  if (recrawl === null || record === null) return [];
  const { pageClass, visits, rate, importance, nextDue, worth, price, leftOut } = recrawl;
  return [
    note('recrawl', pageClass, `${historyOf(recrawl)} ${nextOf(recrawl)}`, {
      visits,
      rate,
      importance,
      nextDue,
      worth,
      price,
      leftOut,
    }),
  ];
}

function historyOf({ visits, changedAt, rate }: RecrawlFacts): string {
  const seen = `It was visited ${counted(visits, 'time')}`;
  if (visits <= visitsThatTell) return `${seen}, too few to tell how often it changes.`;
  const last =
    changedAt === null ? 'and was never found changed' : `and was last found changed at ${changedAt}`;
  return `${seen} ${last}: it changes about once in ${span(dayMs / rate)}.`;
}

function nextOf({ pageClass, deadVisits, nextDue, price, leftOut, visits }: RecrawlFacts): string {
  if (nextDue === null)
    return deadVisits > 0
      ? 'It is gone, and is not asked for again.'
      : 'It is queued again, or the settings do not keep it fresh.';
  if (deadVisits > 1)
    return `It was found gone ${counted(deadVisits, 'time')} in a row, and is asked for again at ${nextDue}, as seldom as class ${pageClass} allows.`;
  if (deadVisits === 1) return `It is gone, and is asked for once more at ${nextDue}.`;
  if (visits <= visitsThatTell || price === null)
    return `It is due again at ${nextDue}, until its rate is known.`;
  if (leftOut)
    return `It changes too often for what it matters, and no visit is worth its price: it is due at ${nextDue}, from the part of the budget for such pages.`;
  return `It is due again at ${nextDue}, when a visit is worth its price, within the bounds of class ${pageClass}.`;
}
