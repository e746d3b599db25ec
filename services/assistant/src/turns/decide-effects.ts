import { acceptMessage, getMessage, decideEffects as operation, type ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { authorOf, type StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { releaseHolds } from '../tools/hold-times.ts';
import { deleteOffers, findOffers } from '../tools/offer.repository.ts';
import { confirmations } from '../tools/said-by-server.ts';
import { endCalls, listOpenCalls, markBegun, saveOutput } from '../tools/step.repository.ts';
import { type CallRow, toResult } from '../tools/step.ts';
import { type Used, useTool } from '../tools/use-tool.ts';
import { offerIdsOf, toDecision, toExplainedTool } from './explain-message.ts';
import { localeOfLead } from './lead-locale.ts';
import { repeatableMs } from './next-move.ts';
import { readLead } from './read-lead.ts';
import type { StepCall } from './step-call.ts';
import { findTurn, lockAsking, markConfirmed, markDeclined } from './turn.repository.ts';
import type { TurnRow } from './turn.ts';

type Answer = ReplyOf<typeof operation>;

/**
 * Makes the effects that a turn has asked a person to confirm, or ends them. Each has the key of its call, and the message to
 * the lead has an id of the turn, so a confirmation that died half-way is repeated without a second effect.
 */
export const decideEffects =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body: { decision } }) => {
    const { database, rpc } = dependencies;
    const { requestId, storeId, traceparent, actor, deadline } = context;
    const call: StepCall = { requestId, storeId, traceparent, actor, deadline };
    return await withIdempotency({
      ...{ database, context, operation, toReply: ({ answer }: Decided) => answer },
      run: async (commit) => {
        const [turn] = await database.lookUp(context, (sql) => findTurn(sql, storeId, params.messageId));
        // A merge may have given the message another lead. An unknown lead comes before an unknown message.
        await rpc.call(getMessage, { params }, call);
        if (!turn) throw new AppError('message_not_found');
        const asking = { ...turn, lead_id: params.leadId };
        const by = authorOf(context);
        const confirmed =
          decision === 'confirm' ? await confirm(dependencies, context, call, { ...asking, by }) : undefined;
        const decided = await commit((sql) =>
          confirmed ? record(sql, storeId, asking.lead_id, confirmed) : decline(sql, storeId, { ...asking, by }),
        );
        await releaseHolds(dependencies, call, decided.unused);
        return decided;
      },
    });
  };

/** `unused`: the calls that have taken nothing, whose times are given back. */
type Decided = { readonly answer: Answer; readonly unused: readonly CallRow[] };

async function decline(sql: TransactionSql, storeId: string, { id, lead_id, by }: Asking): Promise<Decided> {
  const turn = await lockAsking(sql, storeId, id);
  const calls = turn ? await listOpenCalls(sql, storeId, id) : [];
  const wasConfirmed = turn !== undefined && turn.confirmation_id !== null;
  // One that was confirmed may have been made, and a repeat tells until it is forgotten.
  if (!turn || calls.length === 0 || (wasConfirmed && !isForgotten(calls))) throw nothingToConfirm(turn);
  const declined = await endCalls(sql, storeId, id, wasConfirmed ? 'outcome_unknown' : 'declined');
  const [offers] = await Promise.all([
    findOffers(sql, storeId, lead_id, offerIdsOf(declined)),
    wasConfirmed ? undefined : markDeclined(sql, storeId, id, by),
  ]);
  return {
    answer: { tools: declined.map((call) => toExplainedTool(call, offers)), message_id: null },
    unused: declined,
  };
}

type Made = { readonly call: CallRow; readonly used: Used };
type Confirmed = { readonly made: readonly Made[]; readonly messageId: string | null };

/** A turn with the person or the program that decides. */
type Asking = TurnRow & { readonly by: ReturnType<typeof authorOf> };

async function confirm(
  dependencies: Dependencies,
  context: StoreContext,
  step: StepCall,
  turn: Asking,
): Promise<Confirmed> {
  const { calls, messageId } = await dependencies.database.write(context, (sql) => begin(sql, step.storeId, turn));
  const made: Made[] = [];
  for (const call of calls) made.push({ call, used: await useTool(dependencies, step, turn, call) });
  return { made, messageId: await tellDone(dependencies, step, turn, made, messageId) };
}

/** Says what was decided, if it was. */
const nothingToConfirm = (turn: Parameters<typeof toDecision>[0] | undefined) =>
  new AppError('nothing_to_confirm', { members: { decision: turn ? toDecision(turn) : null } });

/** The owning services know the key of a call that began long ago no more, so it cannot be repeated. */
const isForgotten = (calls: readonly CallRow[]): boolean =>
  calls.some(({ begun_at }) => begun_at && Date.now() - begun_at.getTime() > repeatableMs);

/** Begins the calls that wait. */
async function begin(sql: TransactionSql, storeId: string, { id, by }: Asking) {
  const turn = await lockAsking(sql, storeId, id);
  const calls = turn ? await listOpenCalls(sql, storeId, id) : [];
  if (calls.length === 0 || isForgotten(calls)) throw nothingToConfirm(turn);
  for (const call of calls) await markBegun(sql, storeId, call);
  return { calls, messageId: await markConfirmed(sql, storeId, id, by) };
}

/** Tells the lead what was booked, moved or cancelled. Null: nothing was, or no message can be sent. */
async function tellDone(
  { rpc }: Dependencies,
  step: StepCall,
  { lead_id, by }: Asking,
  made: readonly Made[],
  id: string,
): Promise<string | null> {
  const results = made.map(({ call, used: { output } }) => toResult({ ...call, output }));
  const read = await readLead(rpc, step, lead_id);
  if (!read) return null;
  const said = read.messages.filter(({ direction }) => direction === 'inbound').map(({ body }) => body ?? '');
  const language = localeOfLead(read.locale, said.join('\n'), []);
  const message = confirmations(results, { language, timezone: read.timezone }).join('\n\n');
  if (message === '') return null;
  try {
    await rpc.call(
      acceptMessage,
      { body: { id, lead_id, source: 'seller', message, author_name: by?.name ?? undefined } },
      step,
    );
    return id;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

async function record(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { made, messageId }: Confirmed,
): Promise<Decided> {
  for (const { call, used } of made) await saveOutput(sql, storeId, call, used.output);
  const offers = await findOffers(sql, storeId, leadId, offerIdsOf(made.map(({ call }) => call)));
  if (made.some(({ used }) => used.spendsOffers)) await deleteOffers(sql, storeId, leadId);
  const tools = made.map(({ call, used }) => toExplainedTool({ ...call, output: used.output }, offers));
  const unused = made.flatMap(({ call, used }) => (used.output.error === undefined ? [] : [call]));
  return { answer: { tools, message_id: messageId }, unused };
}
