/** Why a URL is kept back, or goes behind the others, because URLs of its shape look like a trap. */
import { deciding, note, type Decision } from './decision.ts';
import type { ExplainFacts } from './facts.ts';

/** No decision for a URL of whose shapes nothing is said. */
export function quarantineDecisions({ quarantine, record, scope }: ExplainFacts): Decision[] {
  if (quarantine === null) return [];
  const { id, shape, verdict, rule, why, since, crawlId } = quarantine;
  const detail = { id, shape, verdict, rule };
  if (verdict === 'suspected') {
    const suspects = rule === 'noindex' ? '' : 'are suspected to be a trap and ';
    const because = `URLs of its shape (${shape}) ${suspects}go behind the others: ${why}.`;
    return [note('filter', 'suspected', because, detail)];
  }
  if (rule === 'soft-404') {
    const because = `It is in quarantine since ${since}, because it looks like a page that is not there: ${why}. orbweaver quarantine release ${crawlId} ${id} takes it and its like out.`;
    return [note('filter', 'soft-404', because, detail)];
  }
  const stops = !scope.isSeed && (record === null || record.reason === 'trap' || record.state === 'queued');
  const word = verdict === 'confirmed' ? 'a person confirmed that they are a trap' : `they look like a trap`;
  return [
    deciding(stops && record?.reason !== 'sample' ? 'stop' : 'note')(
      'filter',
      'trap',
      `URLs of its shape (${shape}) are in quarantine since ${since}, because ${word}: ${why}. ` +
        `orbweaver quarantine release ${crawlId} ${id} queues them again.`,
      detail,
    ),
  ];
}
