import {
  type ExplainedTool,
  type Explanation,
  getMessage,
  type HandoverReason,
  type MadeDecision,
  type explainMessage as operation,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findOffers, type OfferRow } from '../tools/offer.repository.ts';
import { listCalls } from '../tools/step.repository.ts';
import type { CallRow } from '../tools/step.ts';
import { countSuperseded, findTurn } from './turn.repository.ts';
import type { TurnRow } from './turn.ts';

export const explainMessage =
  ({ database, rpc, prices }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { requestId, storeId, deadline, traceparent } = context;
    const [turn] = await database.lookUp(context, (sql) => findTurn(sql, storeId, params.messageId));
    // A merge may have given the message another lead. An unknown lead comes before an unknown message.
    await rpc.call(getMessage, { params }, { requestId, storeId, deadline, traceparent });
    if (!turn || !isExplained(turn)) throw new AppError('message_not_found');
    const [calls, superseded] = await database.read(context, (sql) =>
      Promise.all([listCalls(sql, storeId, turn.id), countSuperseded(sql, storeId, turn.id)]),
    );
    const shown = calls.filter((call) => call.output !== null || awaitsConfirmation(turn, call));
    const ids = offerIdsOf(shown);
    const offers =
      ids.length === 0 ? [] : await database.read(context, (sql) => findOffers(sql, storeId, params.leadId, ids));
    return toExplanation(turn, shown, { superseded, offers, currency: prices?.currency });
  };

type Explained = TurnRow & { readonly state: 'sent' | 'handed_over' };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isExplained = (turn: TurnRow): turn is Explained => turn.state === 'sent' || turn.state === 'handed_over';

/** Whether the call of an ended turn waits for a person. */
const awaitsConfirmation = (turn: TurnRow, call: CallRow): boolean =>
  call.output === null &&
  call.turn_id === turn.id &&
  turn.state === 'handed_over' &&
  turn.reason === 'needs_confirmation';

/** A call of an ended turn. */
export function toExplainedTool(call: CallRow, offers: readonly OfferRow[]): ExplainedTool {
  const { tool, input, output, held_until } = call;
  const offer = isMade(call) ? undefined : offers.find(({ id }) => id === offerIdOf(call));
  return {
    ...{ tool, input: isObject(input) ? input : {}, output: output ?? {}, awaits_confirmation: output === null },
    offer: offer
      ? {
          ...{ title: offer.title, scheduled_at: toTimestamp(offer.starts_at) },
          duration_minutes: offer.duration_minutes,
          held_until: output === null && held_until ? toTimestamp(held_until) : null,
        }
      : null,
  };
}

/** What was decided about what a turn asked for. */
export const toDecision = ({
  decision,
  decided_at,
  decided_by: by,
}: Pick<TurnRow, 'decision' | 'decided_at' | 'decided_by'>): MadeDecision | null =>
  decision && decided_at && { decision, decided_at: toTimestamp(decided_at), by };

const isMade = ({ output }: CallRow): boolean => output !== null && output.error === undefined;

/** The ids of the offers that these calls would take, or would have taken. */
export const offerIdsOf = (calls: readonly CallRow[]): string[] =>
  calls.flatMap((call) => (isMade(call) ? undefined : offerIdOf(call)) ?? []);

/** The id of the offer that a call takes. */
const offerIdOf = ({ input }: CallRow): string | undefined =>
  isObject(input) && typeof input.offer === 'string' ? input.offer : undefined;

const toExplanation = (
  turn: Explained,
  calls: readonly CallRow[],
  {
    superseded,
    offers,
    currency,
  }: { readonly superseded: number; readonly offers: readonly OfferRow[]; readonly currency: string | undefined },
): Explanation => ({
  message_id: turn.id,
  outcome: turn.state,
  handover_reason: turn.state === 'handed_over' ? (turn.reason as HandoverReason) : null,
  agent_id: turn.agent_id,
  agent_name: turn.agent_name,
  agent_reason: turn.agent_reason,
  considered: [...turn.considered],
  passages: [...turn.passages],
  tools: calls.map((call) => toExplainedTool(call, offers)),
  decision: toDecision(turn),
  model: turn.model,
  latency_ms: turn.latency_ms,
  tokens:
    turn.input_tokens === null || turn.output_tokens === null
      ? null
      : { input: turn.input_tokens, output: turn.output_tokens },
  cost: turn.cost_micros === null || currency === undefined ? null : { amount: turn.cost_micros / 1e6, currency },
  superseded,
  answered_from: toTimestamp(turn.first_received_at),
  answered_to: toTimestamp(turn.answered_to ?? turn.last_received_at),
});
