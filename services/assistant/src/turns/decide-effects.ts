import { acceptMessage, getMessage, decideEffects as operation, type ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { deleteOffers } from '../tools/offer.repository.ts';
import { confirmations } from '../tools/said-by-server.ts';
import { endCalls, listOpenCalls, markBegun, saveOutput } from '../tools/step.repository.ts';
import { type CallRow, toResult } from '../tools/step.ts';
import { type Used, useTool } from '../tools/use-tool.ts';
import { toExplainedTool } from './explain-message.ts';
import { localeOfLead } from './lead-locale.ts';
import { repeatableMs } from './next-move.ts';
import { readLead } from './read-lead.ts';
import type { StepCall } from './step-call.ts';
import { findTurn, lockAsking, markConfirmed } from './turn.repository.ts';
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
    const { requestId, storeId, traceparent, actor, actorName, deadline } = context;
    const call: StepCall = { requestId, storeId, traceparent, actor, deadline };
    const [turn] = await database.lookUp(context, (sql) => findTurn(sql, storeId, params.messageId));
    if (!turn) throw new AppError('message_not_found');
    // A merge may have given the message another lead.
    await rpc.call(getMessage, { params }, call);
    const asking = { ...turn, lead_id: params.leadId };
    return await withIdempotency({
      ...{ database, context, operation, toReply: (answer: Answer) => answer },
      run: async (commit) => {
        if (decision === 'decline') return await commit((sql) => decline(sql, storeId, turn.id));
        const confirmed = await confirm(dependencies, context, call, { ...asking, by: actorName });
        return await commit((sql) => record(sql, storeId, asking.lead_id, confirmed));
      },
    });
  };

async function decline(sql: TransactionSql, storeId: string, turnId: string): Promise<Answer> {
  const turn = await lockAsking(sql, storeId, turnId);
  // One that was confirmed may have been made.
  const declined = turn?.confirmation_id === null ? await endCalls(sql, storeId, turnId, 'declined') : [];
  if (declined.length === 0) throw new AppError('nothing_to_confirm');
  return { tools: declined.map((call) => toExplainedTool(call)), message_id: null };
}

type Made = { readonly call: CallRow; readonly used: Used };
type Confirmed = { readonly made: readonly Made[]; readonly messageId: string | null };

/** A turn with the name of the person who confirms. */
type Asking = TurnRow & { readonly by: string | undefined };

async function confirm(
  dependencies: Dependencies,
  context: StoreContext,
  step: StepCall,
  turn: Asking,
): Promise<Confirmed> {
  const { calls, messageId } = await dependencies.database.write(context, (sql) => begin(sql, step.storeId, turn.id));
  const made: Made[] = [];
  for (const call of calls) made.push({ call, used: await useTool(dependencies, step, turn, call) });
  return { made, messageId: await tellDone(dependencies, step, turn, made, messageId) };
}

/** Begins the calls that wait. The owning services know the key of a call that began long ago no more. */
async function begin(sql: TransactionSql, storeId: string, turnId: string) {
  const turn = await lockAsking(sql, storeId, turnId);
  const calls = turn ? await listOpenCalls(sql, storeId, turnId) : [];
  const forgotten = calls.some(({ begun_at }) => begun_at && Date.now() - begun_at.getTime() > repeatableMs);
  if (calls.length === 0 || forgotten) throw new AppError('nothing_to_confirm');
  for (const call of calls) await markBegun(sql, storeId, call);
  return { calls, messageId: await markConfirmed(sql, storeId, turnId) };
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
    await rpc.call(acceptMessage, { body: { id, lead_id, source: 'seller', message, author_name: by } }, step);
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
): Promise<Answer> {
  for (const { call, used } of made) await saveOutput(sql, storeId, call, used.output);
  if (made.some(({ used }) => used.spendsOffers)) await deleteOffers(sql, storeId, leadId);
  return {
    tools: made.map(({ call, used }) => toExplainedTool({ ...call, output: used.output })),
    message_id: messageId,
  };
}
