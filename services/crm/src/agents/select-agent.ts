import { selectAgent as operation, type RequestOf } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLead } from '../leads/lead.repository.ts';
import type { LeadRow } from '../leads/lead.ts';
import { leadNotFound } from '../leads/lead-not-found.ts';
import { listAllAgents } from './agent.repository.ts';
import { type AgentRow, toAgent } from './agent.ts';
import { type Choice, chooseAgent } from './choose-agent.ts';
import { gatherFacts } from './facts.ts';

type Body = RequestOf<typeof operation>['body'];

/** Only reads. It is a POST, so its answer is stored under an idempotency key like that of every POST. */
export const selectAgent =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    if ((body.lead_id === undefined) === (body.lead === undefined)) {
      throw validationFailed([{ pointer: '#', detail: 'must have one of `lead_id` and `lead`' }]);
    }
    return await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        const [lead, agents] = await database.read(context, (sql) =>
          Promise.all([readLead(sql, context.storeId, body), listAllAgents(sql, context.storeId)]),
        );
        const facts = await gatherFacts(rpc, context, { body, lead, agents });
        return await commit(async () => chooseAgent(agents, facts));
      },
      toReply: ({ agent, ...explained }: Choice<AgentRow>) => ({ agent: agent && toAgent(agent), ...explained }),
    });
  };

async function readLead(sql: Sql, storeId: string, { lead_id }: Body): Promise<LeadRow | undefined> {
  if (lead_id === undefined) return undefined;
  const [lead] = await findLead(sql, storeId, lead_id);
  if (!lead) throw await leadNotFound(sql, storeId, lead_id);
  return lead;
}
