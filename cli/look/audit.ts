/** `audit`: compares the ledger with the URLs. */
import { urlStates, standsAs } from '../../contracts/crawl.ts';
import { auditView, type AuditView } from '../../contracts/http/results.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { counted, grouped } from '../../domain/counted.ts';

/** Milliseconds that a recount of very many URLs may take. */
const patienceMs = 5 * 60_000;

export async function audit(id: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const found = await withApi(options, (api) =>
    api.get(`/v1/crawls/${id}/audit`, auditView, {}, { withinMs: patienceMs }),
  );
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : `${auditLines(found).join('\n')}\n`);
  return found.ok ? exitCodes.ok : exitCodes.failed;
}

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
