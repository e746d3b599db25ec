import { selectAgent as operation } from '@mostrador/contracts';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLead } from '../leads/lead.repository.ts';
import { leadNotFound } from '../leads/lead-not-found.ts';
import { listSelectableAgents } from './agent.repository.ts';
import { type AgentRow, toAgent } from './agent.ts';
import { type Choice, chooseAgent } from './choose-agent.ts';

/** Only reads. It is a POST, so its answer is stored under an idempotency key like that of every POST. */
export const selectAgent =
  ({ database }: Dependencies): Handler<typeof operation> =>
  (context, { body }) =>
    withIdempotency({
      database,
      context,
      operation,
      run: (commit) =>
        commit(async (sql) => {
          const [[lead], agents] = await Promise.all([
            findLead(sql, context.storeId, body.lead_id),
            listSelectableAgents(sql, context.storeId),
          ]);
          if (!lead) throw await leadNotFound(sql, context.storeId, body.lead_id);
          return chooseAgent(agents, lead);
        }),
      toReply: ({ agent, ...explained }: Choice<AgentRow>) => ({ agent: agent && toAgent(agent), ...explained }),
    });
