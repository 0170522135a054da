/** The state of a URL in the ledger, or what would become of a URL that the crawl has not met. */
import { isOver } from '../crawl-life.ts';
import { stageWords } from '../stage.ts';
import type { Decision } from './decision.ts';
import type { ExplainFacts, RecordFacts, RobotsFacts } from './facts.ts';
import { mayBeForgotten, mayHaveFallenOff } from './identity.ts';
import { reasonText } from '../url-reason.ts';
import type { NextFetch } from './waits.ts';

/** @param before the decisions so far. If the URL was not met, the first that stops it says what would become of it. */
export function stateOf(facts: ExplainFacts, before: readonly Decision[], next: NextFetch | null): Decision {
  return facts.record === null ? wouldBe(facts, before, next) : stands(facts.record, facts, next);
}

function stands(
  record: RecordFacts,
  { link, crawl, robots }: ExplainFacts,
  next: NextFetch | null,
): Decision {
  const { state, reason, detail } = record;
  const told = (effect: Decision['effect'], because: string): Decision => ({
    step: 'state',
    verdict: state,
    effect,
    because,
    detail: { reason, detail },
  });
  const at = next?.at ?? null;
  switch (state) {
    case 'queued':
      if (isOver(crawl.state))
        return told(
          'wait',
          `It was not fetched before the crawl ended: it is still queued at ${link.host}, and is fetched if the crawl runs again.`,
        );
      if (robots?.allowed === false)
        return told(
          'stop',
          `It waits in the queue of ${link.host} and is excluded on its turn, without a request, unless robots.txt has changed by then: ${forbidding(robots)}`,
        );
      return told(
        'wait',
        `It waits in the queue of ${link.host} and ${at === null ? 'nobody can say when it is fetched' : `is fetched at ${at} at the earliest`}.`,
      );
    case 'leased':
      return told('wait', next?.waits[0]?.because ?? '');
    case 'done':
      return told('pass', doneText(record));
    case 'excluded':
      return told('stop', `It was excluded: ${reasonText(reason, detail)}.`);
    case 'dead':
      return told('stop', `It is gone and is not tried again: ${reasonText(reason, detail)}.`);
    case 'failed':
      return told('stop', `It was given up and is a dead letter: ${reasonText(reason, detail)}.`);
  }
}

function doneText(record: RecordFacts): string {
  const { reason, detail, fetchedAt, status } = record;
  const at = fetchedAt ?? 'an unknown time';
  const fetched =
    reason === 'not-modified'
      ? `It was asked for at ${at} and answered 304, so ${detail ?? 'the body of an earlier fetch'} is used again, with its status ${String(status ?? '?')}`
      : `It was fetched at ${at} with status ${String(status ?? '?')}`;
  if (record.redirectTo !== null) return `${fetched} and redirects to ${record.redirectTo}.`;
  if (record.duplicateOf !== null) {
    return `${fetched} and has the same ${record.duplicateBy === 'text' ? 'text' : 'content'} as ${record.duplicateOf}.`;
  }
  if (record.stillToDo !== null) {
    return `${fetched}; its body waits for ${stageWords[record.stillToDo]}.`;
  }
  return `${fetched}.`;
}

const forbidding = ({ line, rule }: Pick<RobotsFacts, 'line' | 'rule'>): string =>
  `line ${String(line)} of its robots.txt forbids it: ${rule ?? ''}.`;

function wouldBe(facts: ExplainFacts, before: readonly Decision[], next: NextFetch | null): Decision {
  const { crawl, link, robots } = facts;
  const outside = before.some(({ effect, step }) => effect === 'stop' && step === 'scope');
  const fallen = outside ? null : mayHaveFallenOff(facts);
  const forgotten = outside ? null : mayBeForgotten(facts);
  const told = (
    verdict: string,
    effect: Decision['effect'],
    then: string,
    reason: string | null,
  ): Decision => ({
    step: 'state',
    verdict: `would-be-${verdict}`,
    effect,
    because: [
      forgotten === null ? 'The crawl has not met this URL.' : 'The crawl has no record of this URL.',
      forgotten,
      fallen,
      then,
    ]
      .filter((text) => text !== null)
      .join(' '),
    detail: { reason, host: link.host },
  });
  const stop = before.find(
    ({ effect, step }) => effect === 'stop' && (step === 'scope' || step === 'filter'),
  );
  if (stop?.step === 'scope') {
    return told(
      'outside',
      'stop',
      `If it were found now, it would not be followed. ${stop.because}`,
      stop.verdict,
    );
  }
  if (stop !== undefined) {
    return told(
      'excluded',
      'stop',
      `If it were found now, it would be excluded. ${stop.because}`,
      stop.verdict,
    );
  }
  const over = crawl.reason === null ? crawl.state : `${crawl.state} (${crawl.reason})`;
  switch (crawl.state) {
    case 'finished':
    case 'cancelled':
    case 'failed':
      return told('refused', 'stop', `The crawl is ${over} and takes no more URLs.`, crawl.state);
    case 'draining':
      return told(
        'excluded',
        'stop',
        'The crawl is ending: if it were found now, it would be excluded.',
        'crawl-limit',
      );
    case 'seeding':
    case 'running':
    case 'paused':
      break;
  }
  const queued = `If it were found now, it would be queued for ${link.host}`;
  if (robots?.allowed === false) {
    const then = `${queued} and excluded on its turn, since ${forbidding(robots)}`;
    return told('disallowed', 'stop', then, 'robots');
  }
  const at = next?.at ?? null;
  const when =
    at === null ? 'and nobody can say when it would be fetched' : `and fetched at ${at} at the earliest`;
  return told('queued', 'wait', `${queued} ${when}.`, null);
}
