import type { updateAgent as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findAgent, lockAgent, saveAgent } from './agent.repository.ts';
import { type AgentRow, agentEvents, changeAgent, groupsDiffer, toAgent } from './agent.ts';
import { throwSecondDefault } from './one-default.ts';

export const updateAgent =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const row = await database
      .write(context, async (sql) => {
        const current = await lockAgent(sql, storeId, body.agent_id);
        if (!current) throw new AppError('agent_not_found');
        const changed = changeAgent(current, body.changes);
        if (!changed) return current;

        await saveAgent(sql, storeId, current.id, changed, { groupsToo: groupsDiffer(current, changed) });
        const saved = (await findAgent(sql, storeId, current.id)) as AgentRow;
        await appendOutbox(sql, storeId, agentEvents('updated', saved));
        return saved;
      })
      .catch((error: unknown) => throwSecondDefault(database, context, error));
    relay.nudge();
    return toAgent(row);
  };
