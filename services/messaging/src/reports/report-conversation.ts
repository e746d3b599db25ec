import type { reportConversation as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { toConversationCounts } from './conversation-counts.ts';
import { countLeadFacts } from './lead-report.repository.ts';

export const reportConversation =
  ({ database, rateCard }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { lead_id, from, to } }) => {
    const span = { from: from === null ? null : toInstant(from), to: to === null ? null : toInstant(to) };
    const { facts, lastInteractionAt } = await database.read(context, (sql) =>
      countLeadFacts(sql, context.storeId, lead_id, span),
    );
    return {
      ...toConversationCounts(facts, rateCard?.currency ?? null),
      last_interaction_at: lastInteractionAt && toTimestamp(lastInteractionAt),
    };
  };
