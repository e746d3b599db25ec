import type { Sql } from '@mostrador/kit/database/database';

/** A node of a plan of PostgreSQL, with what happened when it ran. */
export type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  /** Blocks of the node and those below it. */
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

export type Plan = readonly [PlanNode, ...PlanNode[]];

/** Runs a query that is not awaited yet. Returns the nodes of its plan, the outermost first. */
export async function explain(sql: Sql, query: object): Promise<Plan> {
  const [row] = await sql<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>`
    explain (analyze, buffers, format json) ${query as never}`;
  return nodesOf(row['QUERY PLAN'][0].Plan);
}

const nodesOf = (node: PlanNode): Plan => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The blocks that a node and those below it read. */
export const blocksOf = (node: PlanNode): number => node['Shared Hit Blocks'] + node['Shared Read Blocks'];
