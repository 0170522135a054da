/** The answer of explain in one sentence. */
import type { Explanation } from '../contracts/http.ts';

type Facts = Pick<Explanation, 'scope' | 'record' | 'robots' | 'next'>;

export function summarise(facts: Facts, crawlIsClosed: boolean): string {
  return facts.record === null ? neverMet(facts, crawlIsClosed) : met(facts.record, facts);
}

function neverMet({ scope, robots }: Facts, crawlIsClosed: boolean): string {
  const start = `The crawl ${crawlIsClosed ? 'never met' : 'has not met'} this URL; `;
  if (scope?.verdict === 'outside')
    return `${start}a link to it would not be followed: ${scope.detail ?? 'out of scope'}.`;
  if (scope?.verdict === 'excluded') {
    return `${start}it would be excluded by ${scope.reason ?? 'a filter'}: ${scope.detail ?? ''}.`;
  }
  if (robots?.allowed === false) return `${start}robots.txt would forbid it${ruleOf(robots)}.`;
  return `${start}a link to it would be followed.`;
}

function met(record: NonNullable<Explanation['record']>, { robots, next }: Facts): string {
  const why = [record.reason, record.detail].filter((part) => part !== null).join(': ');
  const because = why === '' ? '' : ` (${why})`;
  switch (record.state) {
    case 'queued':
      return queued(next);
    case 'leased':
      return 'It is being fetched now, with other URLs of its host.';
    case 'done':
      return done(record);
    case 'excluded':
      return `It was excluded and not fetched${because}${robots?.allowed === false ? ruleOf(robots) : ''}.`;
    case 'dead':
      return `It was fetched and is gone${because}: it is not tried again.`;
    case 'failed':
      return `Its retries are spent${because}: it is a dead letter.`;
  }
}

function queued(next: Facts['next']): string {
  const first = next?.because[0] ?? '';
  const at = next?.at ?? null;
  return at === null
    ? `It waits in the queue, and when it is fetched cannot be said. ${first}`
    : `It waits in the queue and is fetched at ${at} at the earliest. ${first}`;
}

function done(record: NonNullable<Explanation['record']>): string {
  const fetched = `It was fetched at ${record.fetchedAt ?? 'an unknown time'} with status ${String(record.status ?? '?')}`;
  if (record.redirectTo !== null) return `${fetched} and redirects to ${record.redirectTo}.`;
  if (record.duplicateOf !== null) return `${fetched} and has the same content as ${record.duplicateOf}.`;
  return record.stillToDo === null
    ? `${fetched}.`
    : `${fetched}; its body waits for ${record.stillToDo === 'dedup' ? 'the duplicate check' : 'extraction'}.`;
}

function ruleOf(robots: NonNullable<Explanation['robots']>): string {
  return robots.rule === null ? '' : `, robots.txt line ${String(robots.line)}: ${robots.rule}`;
}
