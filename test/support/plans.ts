/** How Postgres carries out a statement of ours: the plan for any parameters, which a long-lived connection may keep. */
import type { Pool, Queryable } from '../../storage/postgres/index.ts';

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly 'Join Filter'?: string;
  /** `SubPlan 3` where an expression of a node above asks it; so has `hashed SubPlan 3` the answer for all rows at once. */
  readonly 'Subplan Name'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

type Value = string | number | boolean | null;

interface Question {
  readonly text: string;
  readonly values: readonly (Value | readonly Value[])[];
}

/** An array as Postgres reads one. */
const listOf = (values: readonly Value[]): string =>
  `{${values.map((each) => JSON.stringify(each)).join(',')}}`;

/** @param run calls the statement once, on the connection that it is given. Answers the nodes that were carried out, in no order. */
export async function planOf(pool: Pool, run: (db: Queryable) => Promise<unknown>): Promise<PlanNode[]> {
  const asked: Question[] = [];
  const noting = {
    query: (question: Question) => {
      asked.push(question);
      return Promise.resolve({ rows: [] });
    },
  };
  await run(noting as unknown as Queryable);
  const [question] = asked;
  if (question === undefined || asked.length > 1) throw new Error('one statement is to be planned');
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('set local plan_cache_mode = force_generic_plan');
    await client.query(`prepare planned as ${question.text}`);
    const values = question.values.map((value) =>
      value === null ? 'null' : client.escapeLiteral(Array.isArray(value) ? listOf(value) : String(value)),
    );
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, timing off, format json) execute planned (${values.join(', ')})`,
    );
    await client.query('deallocate planned');
    return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** All nodes of the plan for any parameters, with the names of columns in full; nothing is carried out. */
export async function plannedNodes(pool: Pool, text: string): Promise<PlanNode[]> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (generic_plan, verbose, format json) ${text}`,
  );
  return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
}

/** The node and all below it that are carried out. */
export const nodesOf = (node: PlanNode & { readonly 'Actual Loops'?: number }): PlanNode[] =>
  node['Actual Loops'] === 0 ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
