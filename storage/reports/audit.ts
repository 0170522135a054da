/**
 * Recounts a crawl (G1): every URL row against the ledger and the hosts' counters, and the rules that hold between
 * tables. Everything is read in one snapshot, so that the result is exact while the crawl runs.
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
  recountUrls,
  type Recount,
} from './audit.sql.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';

type Difference = AuditView['differences'][number];

/** Hosts named at most. */
const hostsShown = 20;

/** Null: there is no such crawl. Takes a scan of the crawl's URLs; nothing waits for it. */
export async function auditCrawl(pool: Pool, crawlId: string): Promise<AuditView | null> {
  return inTransaction(pool, async (db) => {
    await db.query('set transaction isolation level repeatable read, read only');
    // The pool's own limit is for statements that take milliseconds.
    await db.query('set local statement_timeout = 0');
    const crawl = await findCrawl(db, crawlId);
    return crawl === null ? null : audit(db, crawl);
  });
}

async function audit(db: Queryable, crawl: CrawlSummary): Promise<AuditView> {
  const [actual] = await recountUrls(db, crawl.id);
  if (actual === undefined) throw new Error('a count gave no row');
  const hostRows = await recountHosts(db, crawl.id, hostsShown);
  const [violations] = await countViolations(db, crawl.id);
  const leftOut = await recountLeftOut(db, crawl.id);
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
    detail: 'the states do not add up to discovered',
  };
}

function ledgerDifferences(crawl: CrawlSummary, actual: Recount): Difference[] {
  const columns = ['discovered', ...urlStates] as const;
  return [
    ...columns.flatMap((column) =>
      difference(`ledger.${column}`, actual[column], crawl.ledger[column], 'recounted over the URLs'),
    ),
    ...(['pages', 'pending', 'fetches', 'bytes'] as const).flatMap((column) =>
      difference(`ledger.${column}`, actual[column], crawl[column], 'recounted over the URLs'),
    ),
  ];
}

const rules: Readonly<Record<keyof Violations, string>> = {
  failed_without_letter: 'failed URLs without a dead letter',
  letter_without_failed: 'dead letters of URLs that are not failed',
  letter_of_another_class: 'dead letters of another class than their URL failed with',
  token_without_lease: 'URLs leased without a lease token, or with one and not leased',
  staged_but_not_done: 'URLs with a body to be read that are not done',
  read_without_page: 'pages that were read and have no extraction',
  page_without_url: 'extractions without a URL',
  alias_of_nothing: 'duplicates of a page that is not there',
  unknown_parent: 'URLs found on a page that is not there',
};

function brokenRules(violations: Violations | undefined): Difference[] {
  if (violations === undefined) throw new Error('a count gave no row');
  return (Object.keys(rules) as (keyof Violations)[]).flatMap((rule) =>
    difference(rule.replaceAll('_', '-'), 0, violations[rule], rules[rule]),
  );
}

/** URLs of parked hosts stay queued after a crawl's end; nothing stays in hand. */
function leftovers(actual: Recount): Difference[] {
  return [
    ...difference('closed.leased', 0, actual.leased, 'the crawl is closed and URLs are still leased'),
    ...difference('closed.pending', 0, actual.pending, 'the crawl is closed and bodies were not read'),
  ];
}

function ledgerOf(actual: Recount): Ledger {
  const { discovered, queued, leased, done, excluded, dead, failed } = actual;
  return { discovered, queued, leased, done, excluded, dead, failed };
}
