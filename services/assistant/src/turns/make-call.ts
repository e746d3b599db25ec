import type { NextStep, SilentReason } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { lookAgain } from '@mostrador/kit/step/step';
import type { Dependencies } from '../dependencies.ts';
import { findConnections } from '../models/model-connection.repository.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { markNotBegun } from '../tools/step.repository.ts';
import type { CallRow } from '../tools/step.ts';
import { inToolSpan } from '../tools/tool-span.ts';
import { settleTool, useTool } from '../tools/use-tool.ts';
import { lockOwn } from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import type { NotWanted } from './next-move.ts';
import { readLeadNow } from './read-lead.ts';
import { recordBegun, recordStopped, recordTool } from './record-outcome.ts';
import type { StepCall } from './step-call.ts';
import type { TurnRow } from './turn.ts';
import { whySilent } from './without-model.ts';

type Calling = Extract<Claimed, { readonly task: 'use_tool' }>;
type Step = { readonly scope: StoreScope; readonly call: StepCall };

/**
 * Makes a tool call that the model has asked for. While the model was thinking a person may have written, the lead may have
 * opted out, or the AI may have been switched off: a call that has not begun is not made then. The effect of one that has
 * begun may exist, so it is settled: either it has its result, or it never has an effect. One that is still wanted is
 * repeated.
 */
export async function makeCall(dependencies: Dependencies, { scope, call }: Step, claimed: Calling): Promise<NextStep> {
  const { database } = dependencies;
  const { turn, call: wanted } = claimed;
  const isFirst = wanted.begun_at === null;
  const stopped = claimed.settles ?? (await whyNotMade(dependencies, call, turn));
  const stop = (why: SilentReason | NotWanted) =>
    database.write(scope, (sql) => recordStopped(sql, claimed, wanted, why));
  if (isFirst) {
    if (stopped) return await stop(stopped);
    if (!(await database.write(scope, (sql) => recordBegun(sql, claimed, wanted)))) return lookAgain();
  }
  try {
    const used = await inToolSpan(dependencies.tracing, wanted, () =>
      stopped ? settleTool(dependencies, call, turn, wanted) : useTool(dependencies, call, turn, wanted),
    );
    if (used === 'not_made') return await stop(stopped as SilentReason);
    return await database.write(scope, (sql) => recordTool(sql, claimed, wanted, used));
  } catch (error) {
    if (isFirst && hasNoEffect(error)) await takeBack(dependencies, scope, claimed, wanted);
    throw error;
  }
}

/** Why a call that has not begun is not made. Undefined: it is. */
async function whyNotMade(
  { database, rpc, isOff }: Dependencies,
  call: StepCall,
  turn: TurnRow,
): Promise<SilentReason | undefined> {
  const { storeId } = call;
  const [[settings, connections], lead] = await Promise.all([
    database.read(call, (sql) => Promise.all([findSettings(sql, storeId), findConnections(sql, storeId)])),
    readLeadNow(rpc, call, turn.lead_id),
  ]);
  return whySilent({ isOn: settings.ai && !isOff, hasModel: connections.length > 0, lead, hasMessages: true });
}

/** The owning service has not received the call, or has done nothing. */
const hasNoEffect = (error: unknown): boolean => error instanceof AppError && error.code === 'service_unavailable';

/** The next attempt looks again whether the call is to be made. */
const takeBack = ({ database }: Dependencies, scope: StoreScope, { attempt }: Calling, call: CallRow): Promise<void> =>
  database.write(scope, async (sql) => {
    if (await lockOwn(sql, attempt)) await markNotBegun(sql, scope.storeId, call);
  });
