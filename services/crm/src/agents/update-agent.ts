import type { Agent, updateAgent as operation, updateStoreAgent as storeOperation } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findAgent, lockAgent, saveAgent } from './agent.repository.ts';
import { type AgentChanges, type AgentRow, agentEvents, changeAgent, groupsDiffer, toAgent } from './agent.ts';
import { throwSecondDefault } from './one-default.ts';

/** For the admin command. */
export const updateAgent =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { body }) =>
    update(dependencies, context, { id: body.agent_id, changes: body.changes, pointer: '#/changes' });

/** For the people of the store. */
export const updateStoreAgent =
  (dependencies: Dependencies): Handler<typeof storeOperation> =>
  (context, { params, body }) =>
    update(dependencies, context, { id: params.agentId, changes: body, pointer: '#' });

type Change = { readonly id: string; readonly changes: AgentChanges; readonly pointer: string };

async function update(
  { database, relay }: Dependencies,
  scope: StoreScope,
  { id, changes, pointer }: Change,
): Promise<Agent> {
  const { storeId } = scope;
  const row = await database
    .write(scope, async (sql) => {
      const current = await lockAgent(sql, storeId, id);
      if (!current) throw new AppError('agent_not_found');
      const changed = changeAgent(current, changes, { pointer });
      if (!changed) return current;

      await saveAgent(sql, storeId, current.id, changed, { groupsToo: groupsDiffer(current, changed) });
      const saved = (await findAgent(sql, storeId, current.id)) as AgentRow;
      await appendOutbox(sql, storeId, agentEvents('updated', saved));
      return saved;
    })
    .catch((error: unknown) => throwSecondDefault(database, scope, error));
  relay.nudge();
  return toAgent(row);
}
