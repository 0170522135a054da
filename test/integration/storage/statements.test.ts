/** Every statement of storage/ can be prepared against the schema that the migrations make, and sorts by what it means. */
import { beforeAll, expect, it } from 'vitest';
import { nodesOf, plannedNodes, type PlanNode } from '../../support/plans.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { given } from '../../support/given.ts';
import { allStatements, type MadeStatement } from '../../support/statements.ts';
import { withDatabase, withPool } from '../../support/world.ts';

const world = withDatabase();
const pool = withPool(world, 1);
const byKey = given(
  () => Promise.resolve(createPool(world.databaseUrl, 1, () => undefined, { planned: 'by-key' })),
  (it) => it.end(),
);
let statements: readonly MadeStatement[];
beforeAll(async () => {
  // What makes tables is no statement that can be planned.
  statements = (await allStatements()).filter(({ text }) => !/^\s*create /.test(text));
});

it('is one that Postgres plans', async () => {
  const wrong: string[] = [];
  for (const { name, text } of statements) {
    await pool.query(`prepare tried as ${text}`).then(
      () => pool.query('deallocate tried'),
      (error: unknown) => wrong.push(`${name}: ${String(error)}`),
    );
  }
  expect(wrong).toEqual([]);
  expect(statements.length).toBeGreaterThanOrEqual(230);
});

/** The driver refuses a name that stands for another text on the same connection. */
it('has a name of its own', () => {
  const names = statements.map(({ preparedAs }) => preparedAs);
  expect(names.filter((name, at) => names.indexOf(name) !== at || name.length > 63)).toEqual([]);
});

/**
 * `select id::text … order by id` sorts by the column of the answer, the text, in which 10 comes before 9: SQL looks
 * there first. `order by job.id` sorts by the number. The plan shows which of the two a statement got.
 */
it('never sorts by the text of a number', async () => {
  const wrong: string[] = [];
  for (const { name, text } of statements) {
    const keys = (await plannedNodes(pool, text)).flatMap((node) => node['Sort Key'] ?? []);
    wrong.push(...keys.filter((key) => /^\(\([\w.]+\)::text\)/.test(key)).map((key) => `${name}: ${key}`));
  }
  expect(wrong).toEqual([]);
});

/** Tables with a row for each page, and the columns that name few rows of them. */
const ofPages = ['url', 'content', 'reading', 'body', 'attempt'];
const isKey = 'key|content_id|id|hash|content_hash|text_hash|alias_key';
/** Those that are to walk all the same: over a crawl as a whole, or over the few rows of a partial index. */
const walks = new Set([
  ...['choose-canonicals', 'mark-text-duplicates', 'reportPages', 'countViolations'],
  ...['urlsToScore', 'moveBodies', 'forgetUnwanted', 'requeueLostBodies'],
  ...['refeedHosts', 'retireHost', 'hostsOfDomain', 'excludeHostsOptedOut', 'requeueOptedOut'],
  // The pages of a host, those that are held, and contents, which are joined by their ids once there are any.
  ...['pagesReadBefore', 'requeueQuarantined', 'copiesOfHeld', 'pagesToReread'],
]);

/** Scans of such a table by a condition that names no row, though the statement compares a key of it with something. */
function astray(nodes: readonly PlanNode[]): string[] {
  const conditions = nodes.flatMap((node) => [node.Filter ?? '', node['Join Filter'] ?? '']).join(' ');
  const isPastKey = ({ Alias = '', ...node }: PlanNode): boolean =>
    ofPages.includes(node['Relation Name'] ?? '') &&
    node['Node Type'].includes('Scan') &&
    !new RegExp(`\\b${Alias}\\.(${isKey}) `).test(node['Index Cond'] ?? '');
  const isNamed = ({ Alias = '' }: PlanNode): boolean =>
    new RegExp(`\\b${Alias}\\.(${isKey}) = |= ${Alias}\\.(${isKey})\\b`).test(conditions);
  const text = JSON.stringify(nodes[0]);
  const hashed = nodes
    .filter((node) => text.includes(`hashed ${node['Subplan Name'] ?? 'none'})`))
    .flatMap(nodesOf);
  return [...nodes.filter(isPastKey).filter(isNamed), ...hashed.filter(isPastKey)].map(
    (node) =>
      `${node['Relation Name'] ?? ''} by ${node['Index Name'] ?? 'no index'} ${node['Index Cond'] ?? ''}`,
  );
}

/** A long-lived connection keeps the plans that it made before the tables were counted. */
it('names rows by their keys in a database that nobody has counted', async () => {
  const found: string[] = [];
  for (const { name, text } of statements) {
    const scans = astray(await plannedNodes(byKey, text));
    found.push(...new Set(scans.map((scan) => `${name}: ${scan}`)));
  }
  expect(found.filter((each) => !walks.has(each.split(':')[0] ?? ''))).toEqual([]);
});

/** A scrape comes every few seconds, however large the tables are: it reads samples of them, and goes by an index. */
it('reads no table as a whole for the metrics, if it grows with pages and hosts', async () => {
  const ofMetrics = statements.filter(({ preparedAs }) => /^(measure|recount-sample)/.test(preparedAs));
  const grow = [...ofPages, 'host', 'host_queue', 'dead_letter', 'page_history', 'event', 'webhook_cursor'];
  const whole: string[] = [];
  for (const { name, text } of ofMetrics) {
    const read = (await plannedNodes(byKey, text)).filter((node) =>
      grow.includes(node['Relation Name'] ?? ''),
    );
    whole.push(
      ...read
        .filter((node) => node['Node Type'] !== 'Sample Scan' && node['Index Name'] === undefined)
        .map((node) => `${name}: ${node['Relation Name'] ?? ''}`),
    );
  }
  expect(ofMetrics.length).toBeGreaterThan(7);
  expect(whole).toEqual([]);
});
