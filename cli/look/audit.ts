/** `audit`: compares the ledger with the URLs. */
import { standsAs, urlStates } from '../../contracts/crawl.ts';
import { auditView, type AuditView } from '../../contracts/http/results.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { oneCrawl } from '../arguments.ts';
import { asks } from '../verb.ts';

export const verbs = [
  asks({
    words: 'audit',
    takes: { ...oneCrawl, '--json': 'as JSON' },
    examples: ['3'],
    route: 'GET /v1/crawls/{id}/audit',
    // A recount of very many URLs may take long.
    withinMs: 5 * 60_000,
    answer: auditView,
    print: auditLines,
    fails: ({ ok }) => !ok,
  }),
];

export function auditLines({ crawlId, state, ok, ledger, recount, hosts, differences }: AuditView): string[] {
  const row = (name: string, left: string, right: string): string =>
    `  ${name.padEnd(11)} ${left.padStart(13)} ${right.padStart(13)}`;
  return [
    `Crawl ${crawlId} ${standsAs(state)}; ${ok ? 'its counters agree with its URLs' : 'its counters and its URLs DIFFER'}.`,
    row('', 'ledger', 'recounted'),
    ...(['discovered', ...urlStates] as const).map((name) =>
      row(name, grouped(ledger[name]), grouped(recount[name])),
    ),
    `  counters of ${counted(hosts, 'host')} were recounted`,
    ...differences.map(
      ({ check, expected, actual, detail }) =>
        `  ${check}: found ${grouped(actual)}, expected ${grouped(expected)} (${detail})`,
    ),
  ];
}
