import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { PageStart } from '@mostrador/kit/database/paging';
import { type AgentContent, type AgentRow, type AgentVersionRow, writingOf } from './agent.ts';

type AgentPage = { start: PageStart<{ priority: number; id: string }>; limit: number; inactiveToo: boolean };

/** The agents in the order in which a selection tries them. */
export async function listAgents(
  sql: Sql,
  storeId: string,
  { start, limit, inactiveToo }: AgentPage,
): Promise<AgentRow[]> {
  const after = 'after' in start ? start.after : undefined;
  return await sql<AgentRow[]>`
    ${selectAgents(sql)}
    where a.store_id = ${storeId} ${inactiveToo ? sql`` : sql`and a.is_active`}
      ${after ? sql`and (a.priority, a.id) > (${after.priority}, ${after.id})` : sql``}
    order by a.priority, a.id
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
}

export async function countAgents(
  sql: Sql,
  storeId: string,
  { inactiveToo }: Pick<AgentPage, 'inactiveToo'>,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from agents
    where store_id = ${storeId} ${inactiveToo ? sql`` : sql`and is_active`}`;
  return row?.total ?? 0;
}

/** What a selection considers and explains. */
export async function listAllAgents(sql: Sql, storeId: string): Promise<AgentRow[]> {
  return await sql<AgentRow[]>`${selectAgents(sql)} where a.store_id = ${storeId}`;
}

export async function findAgent(sql: Sql, storeId: string, agentId: string): Promise<AgentRow | undefined> {
  const [row] = await sql<AgentRow[]>`${selectAgents(sql)} where a.store_id = ${storeId} and a.id = ${agentId}`;
  return row;
}

/** Locks the agent, so that no other transaction changes it until this one ends. */
export async function lockAgent(sql: TransactionSql, storeId: string, agentId: string): Promise<AgentRow | undefined> {
  await sql`select 1 from agents where store_id = ${storeId} and id = ${agentId} for no key update`;
  return findAgent(sql, storeId, agentId);
}

export async function insertAgent(sql: TransactionSql, storeId: string, content: AgentContent): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into agents ${sql({ store_id: storeId, ...columnsOf(content) })} returning id`;
  const { id } = row as { id: string };
  await insertGroups(sql, storeId, id, content);
  return id;
}

/** Writes a change. Replaces the condition groups only if `groupsToo` is true, and keeps the version that `replaces`. */
export async function saveAgent(
  sql: TransactionSql,
  storeId: string,
  agentId: string,
  content: AgentContent,
  { groupsToo, replaces }: { groupsToo: boolean; replaces: AgentRow | undefined },
): Promise<void> {
  if (replaces) await insertVersion(sql, storeId, replaces);
  await sql`
    update agents
    set ${sql(columnsOf(content))}, version = version + ${replaces ? 1 : 0},
      updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${agentId}`;
  if (!groupsToo) return;
  await sql`delete from condition_groups where store_id = ${storeId} and agent_id = ${agentId}`;
  await insertGroups(sql, storeId, agentId, content);
}

async function insertVersion(sql: TransactionSql, storeId: string, replaced: AgentRow): Promise<void> {
  const { id, version, instructions, tone, language, disclosure, handover_when } = replaced;
  await sql`
    insert into agent_versions
      (store_id, agent_id, version, instructions, tone, language, disclosure, handover_when, replaced_at)
    values (${storeId}, ${id}, ${version}, ${instructions}, ${tone}, ${language}, ${disclosure}, ${handover_when},
      clock_timestamp())`;
}

/** The versions of an agent, the current one first. Each number from 1 on is there. */
export async function listVersions(
  sql: Sql,
  storeId: string,
  agentId: string,
  { start, limit }: { start: PageStart<number>; limit: number },
): Promise<AgentVersionRow[]> {
  return await sql<AgentVersionRow[]>`
    select version, instructions, tone, language, disclosure, handover_when, replaced_at from (
      select store_id, id as agent_id, version, instructions, tone, language, disclosure, handover_when,
        null::timestamptz as replaced_at
      from agents
      union all
      select store_id, agent_id, version, instructions, tone, language, disclosure, handover_when, replaced_at
      from agent_versions) as versions
    where store_id = ${storeId} and agent_id = ${agentId} ${'after' in start ? sql`and version < ${start.after}` : sql``}
    order by version desc
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
}

export async function findDefaultAgentId(sql: Sql, storeId: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`select id from agents where store_id = ${storeId} and is_default`;
  return row?.id;
}

const columnsOf = ({ condition_groups: _, ...columns }: AgentContent) => ({
  name: columns.name,
  model: columns.model,
  priority: columns.priority,
  is_active: columns.is_active,
  is_default: columns.is_default,
  voice_id: columns.voice_id,
  audio_response_enabled: columns.audio_response_enabled,
  ...writingOf(columns),
  tools: columns.tools,
});

async function insertGroups(
  sql: TransactionSql,
  storeId: string,
  agentId: string,
  { condition_groups }: AgentContent,
): Promise<void> {
  if (condition_groups.length === 0) return;
  const conditions = condition_groups.flatMap(({ group_index, conditions: ofGroup }) =>
    ofGroup.map((condition, position) => ({ ...condition, group_index, position })),
  );
  await sql`
    with made as (
      insert into condition_groups (store_id, agent_id, group_index)
      select ${storeId}, ${agentId}, group_index
      from unnest(${condition_groups.map(({ group_index }) => group_index)}::int[]) group_index
      returning id, group_index
    )
    insert into conditions (store_id, group_id, position, condition_type, operator, value, hours, timezone)
    select ${storeId}, made.id, given.position, given.condition_type, given.operator, given.value,
      given.hours::jsonb, given.timezone
    from unnest(
      ${conditions.map(({ group_index }) => group_index)}::int[], ${conditions.map(({ position }) => position)}::int[],
      ${conditions.map(({ condition_type }) => condition_type)}::text[],
      ${conditions.map(({ operator }) => operator)}::text[], ${conditions.map(({ value }) => value)}::text[],
      ${conditions.map(({ hours }) => (hours ? JSON.stringify(hours) : null))}::text[],
      ${conditions.map(({ timezone }) => timezone ?? null)}::text[]
    ) given (group_index, position, condition_type, operator, value, hours, timezone)
    join made using (group_index)`;
}

const selectAgents = (sql: Sql) => sql`
  select a.*, coalesce((
    select json_agg(json_build_object(
      'id', g.id, 'group_index', g.group_index, 'logical_operator', g.logical_operator,
      'conditions', (
        select json_agg(json_strip_nulls(json_build_object(
          'id', c.id, 'condition_type', c.condition_type, 'operator', c.operator, 'value', c.value,
          'hours', c.hours, 'timezone', c.timezone
        )) order by c.position)
        from conditions c where c.store_id = g.store_id and c.group_id = g.id)
    ) order by g.group_index)
    from condition_groups g where g.store_id = a.store_id and g.agent_id = a.id), '[]') as condition_groups
  from agents a`;
