import { createAgent as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findAgent, insertAgent } from './agent.repository.ts';
import { type AgentRow, agentCreated, newAgent, toAgent } from './agent.ts';
import { requireSellers } from './condition-sellers.ts';
import { throwSecondDefault } from './one-default.ts';

export const createAgent =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const content = newAgent(body);
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        await requireSellers(sql, storeId, content);
        const id = await insertAgent(sql, storeId, content);
        const made = (await findAgent(sql, storeId, id)) as AgentRow;
        await appendOutbox(sql, storeId, agentCreated(made));
        return made;
      },
      toReply: toAgent,
    }).catch((error: unknown) => throwSecondDefault(dependencies.database, context, error));
  };
