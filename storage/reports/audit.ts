/**
 * Recounts a crawl (G1): compares every URL row with the ledger and the hosts' counters, and checks the rules that hold
 * between tables. Everything is read in one snapshot, so that the result is exact while the crawl runs.
 */
import { closedCrawlStates, urlStates, type Ledger } from '../../contracts/crawl.ts';
import type { CrawlSummary } from '../../contracts/http/crawls.ts';
import type { AuditView } from '../../contracts/http/results.ts';
import { isBalanced } from '../../domain/ledger.ts';
import { findCrawl } from '../crawls/index.ts';
import {
  countViolations,
  type Violations,
  recountHosts,
  recountLeftOut,
  recountQueues,
  recountUrls,
  type Recount,
} from './audit.sql.ts';
import { allowWalk, inTransaction, type Pool, type Queryable } from '../postgres/index.ts';

type Difference = AuditView['differences'][number];

/** Hosts that are named, at most. */
const hostsShown = 20;

/** Null: there is no such crawl. Scans the crawl's URLs; nothing waits for the scan. */
export async function auditCrawl(pool: Pool, crawlId: string): Promise<AuditView | null> {
  return inTransaction(pool, async (db) => {
    await db.query('set transaction isolation level repeatable read, read only');
    await allowWalk(db);
    const crawl = await findCrawl(db, crawlId);
    return crawl === null ? null : audit(db, crawl);
  });
}

async function audit(db: Queryable, crawl: CrawlSummary): Promise<AuditView> {
  const [actual] = await recountUrls(db, crawl.id);
  const hostRows = await recountHosts(db, crawl.id, hostsShown);
  const [queues] = await recountQueues(db, crawl.id);
  const [violations] = await countViolations(db, crawl.id);
  const leftOut = await recountLeftOut(db, crawl.id);
  if (actual === undefined || queues === undefined) throw new Error('Postgres returned no count');
  const at = await db.query<{ now: Date }>('select now()');
  const balanced = isBalanced(crawl.ledger);
  const differences = [
    ...(balanced ? [] : [unbalanced(crawl.ledger)]),
    ...ledgerDifferences(crawl, actual),
    ...hostRows.flatMap((row) => {
      if (row.origin === null) return [];
      const { origin } = row;
      return (['queued', 'leased', 'total'] as const).flatMap((counter) =>
        difference(`host.${counter}`, row[`actual_${counter}`], row[counter], origin),
      );
    }),
    ...(['hosts', 'waiting_hosts', 'working_hosts'] as const).flatMap((column) =>
      difference(`ledger.${column}`, queues[column], queues[`ledger_${column}`], 'counted over the queues'),
    ),
    ...leftOut.flatMap((row) => [
      ...difference(`${row.what}.urls`, row.urls, row.actual_urls, row.name),
      ...difference(`${row.what}.amount`, row.amount, row.actual_amount, row.name),
    ]),
    ...brokenRules(violations),
    ...(closedCrawlStates.includes(crawl.state) ? leftovers(actual) : []),
  ];
  return {
    crawlId: crawl.id,
    state: crawl.state,
    at: (at.rows[0]?.now ?? new Date()).toISOString(),
    ok: differences.length === 0,
    balanced,
    ledger: crawl.ledger,
    recount: ledgerOf(actual),
    hosts: hostRows[0]?.hosts ?? 0,
    differences,
  };
}

function difference(check: string, expected: number, actual: number, detail: string): Difference[] {
  return expected === actual ? [] : [{ check, expected, actual, detail }];
}

function unbalanced(ledger: Ledger): Difference {
  const actual = urlStates.reduce((sum, state) => sum + ledger[state], 0);
  return {
    check: 'ledger.sum',
    expected: ledger.discovered,
    actual,
    detail: 'the sum of all states is not the number of discovered URLs',
  };
}

function ledgerDifferences(crawl: CrawlSummary, actual: Recount): Difference[] {
  const columns = ['discovered', ...urlStates] as const;
  return [
    ...columns.flatMap((column) =>
      difference(`ledger.${column}`, actual[column], crawl.ledger[column], 'counted over the URLs'),
    ),
    ...(['pages', 'pending', 'fetches', 'bytes'] as const).flatMap((column) =>
      difference(`ledger.${column}`, actual[column], crawl[column], 'counted over the URLs'),
    ),
    ...difference('ledger.rendering', actual.rendering, actual.ledger_rendering, 'counted over the URLs'),
    ...difference(
      'ledger.looks_bytes',
      actual.looks_bytes,
      actual.ledger_looks_bytes,
      'summed up over the screenshots and PDFs',
    ),
    ...difference(
      'ledger.unread_bytes',
      actual.unread_bytes,
      actual.ledger_unread_bytes,
      'counted over the URLs',
    ),
  ];
}

const rules: Readonly<Record<keyof Violations, string>> = {
  failed_without_letter: 'failed URLs without a dead letter',
  letter_without_failed: 'dead letters of URLs that are not failed',
  letter_of_another_class: 'dead letters whose class is not the reason of their URL',
  token_without_lease: 'leased URLs without a lease token, and URLs with a token that are not leased',
  staged_but_not_done: 'URLs that are not done although their body waits to be read',
  read_without_page: 'pages that were read but have no extraction',
  reading_without_content: 'extractions of a body that the crawl does not have',
  page_without_content: 'pages of a body that the crawl does not have',
  alias_of_nothing: 'duplicates of a page that does not exist',
  waiting_for_nobody: 'pages that wait for what their scripts asked for, and at which nobody looks again',
  unknown_parent: 'URLs found on a page that does not exist',
};

function brokenRules(violations: Violations | undefined): Difference[] {
  if (violations === undefined) throw new Error('Postgres returned no count');
  return (Object.keys(rules) as (keyof Violations)[]).flatMap((rule) =>
    difference(rule.replaceAll('_', '-'), 0, violations[rule], rules[rule]),
  );
}

/** URLs of parked hosts stay queued after a crawl's end; nothing stays in hand. */
function leftovers(actual: Recount): Difference[] {
  return [
    ...difference('closed.leased', 0, actual.leased, 'the crawl is closed, but URLs are still leased'),
    ...difference(
      'closed.pending',
      0,
      actual.pending,
      'the crawl is closed, but bodies still wait to be read',
    ),
  ];
}

function ledgerOf(actual: Recount): Ledger {
  const { discovered, queued, leased, done, excluded, dead, failed } = actual;
  return { discovered, queued, leased, done, excluded, dead, failed };
}
