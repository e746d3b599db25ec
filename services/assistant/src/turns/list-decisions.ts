import { type AskedEffects, getLead, mostDecisions, type listDecisions as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findOffers, type OfferRow } from '../tools/offer.repository.ts';
import { listLastCalls } from '../tools/step.repository.ts';
import { type CallRow, isForPerson } from '../tools/step.ts';
import { offerIdsOf, toDecision, toExplainedTool } from './explain-message.ts';
import { listAsking } from './turn.repository.ts';
import type { TurnRow } from './turn.ts';

export const listDecisions =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { requestId, storeId, deadline, traceparent } = context;
    const { leadId } = params;
    const [[turns, calls, offers]] = await Promise.all([
      database.read(context, async (sql) => {
        const asking = await listAsking(sql, storeId, leadId, mostDecisions);
        const ids = asking.map(({ id }) => id);
        const asked = ids.length > 0 ? await listLastCalls(sql, storeId, ids) : [];
        return [asking, asked, await findOffers(sql, storeId, leadId, offerIdsOf(asked))] as const;
      }),
      rpc.call(getLead, { params }, { requestId, storeId, deadline, traceparent }),
    ]);
    const callsOf = Map.groupBy(calls, ({ turn_id }) => turn_id);
    return { data: turns.map((turn) => toAskedEffects(turn, callsOf.get(turn.id) ?? [], offers)) };
  };

const toAskedEffects = (turn: TurnRow, calls: readonly CallRow[], offers: readonly OfferRow[]): AskedEffects => ({
  message_id: turn.id,
  asked_at: toTimestamp(turn.answered_to ?? turn.last_received_at),
  decision: toDecision(turn),
  tools: calls.filter(isForPerson).map((call) => toExplainedTool(call, offers)),
});
