import type { Sql } from '@mostrador/kit/database/database';

/** A node of a plan of PostgreSQL, with what happened when it ran. */
export type PlanNode = Ran & {
  'Node Type': string;
  'Relation Name'?: string;
  /** Expected rows. */
  'Plan Rows': number;
  /** What is compared with each row that was found. */
  Filter?: string;
  Plans?: PlanNode[];
};

type Ran = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  /** Blocks of the node and those below it. */
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
};

export type Plan = readonly [PlanNode, ...PlanNode[]];

/** Runs a query that is not awaited yet. Returns the nodes of its plan, the outermost first. */
export async function explain(sql: Sql, query: object): Promise<Plan> {
  const [row] = await sql<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>`
    explain (analyze, buffers, format json) ${query as never}`;
  return nodesOf(row['QUERY PLAN'][0].Plan);
}

/**
 * The nodes of the plan that PostgreSQL makes for any values, which a connection may use from the sixth run of a query on.
 * The query does not run.
 */
export async function explainGeneric(
  sql: Sql,
  query: { describe(): PromiseLike<{ string: string }> },
): Promise<Omit<PlanNode, keyof Ran>[]> {
  const { string } = await query.describe();
  const [row] = await sql.unsafe(`explain (generic_plan, format json) ${string}`);
  return [...nodesOf(row?.['QUERY PLAN'][0].Plan)];
}

const nodesOf = (node: PlanNode): Plan => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The blocks that a node and those below it read. */
export const blocksOf = (node: PlanNode): number => node['Shared Hit Blocks'] + node['Shared Read Blocks'];
