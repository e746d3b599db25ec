import { updateAgent as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findAgent, lockAgent, saveAgent } from './agent.repository.ts';
import {
  type AgentRow,
  agentUpdated,
  assertGroups,
  changeAgent,
  groupsDiffer,
  toAgent,
  writingDiffers,
} from './agent.ts';
import { requireSellers } from './condition-sellers.ts';
import { throwSecondDefault } from './one-default.ts';

export const updateAgent =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { storeId } = context;
    assertGroups(body.condition_groups ?? []);
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const current = await lockAgent(sql, storeId, params.agentId);
        if (!current) throw new AppError('agent_not_found');
        const changed = changeAgent(current, body);
        if (!changed) return current;

        const groupsToo = groupsDiffer(current, changed);
        if (groupsToo) await requireSellers(sql, storeId, changed, current);
        const replaces = writingDiffers(current, changed) ? current : undefined;
        await saveAgent(sql, storeId, current.id, changed, { groupsToo, replaces });
        const saved = (await findAgent(sql, storeId, current.id)) as AgentRow;
        await appendOutbox(sql, storeId, agentUpdated(current, saved));
        return saved;
      },
      toReply: toAgent,
    }).catch((error: unknown) => throwSecondDefault(dependencies.database, context, error));
  };
