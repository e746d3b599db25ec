import { replyStepLimits } from '@mostrador/contracts';
import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import { callTimeMs } from '@mostrador/kit/step/step';
import type { Dependencies } from '../dependencies.ts';
import type { CallReservation } from '../prices/model-day.repository.ts';
import { callModel, modelName } from './call-model.ts';
import { afterFailure, type ProviderFailures, withFailure } from './choose-model.ts';
import type { Decision, ModelRequest } from './model.ts';
import { type ConnectionRow, markConnection } from './model-connection.repository.ts';
import { ModelFailure } from './model-failure.ts';
import { languageOf, phrases } from './phrases.ts';

/** No provider gave an answer yet, and the next attempt is due after `delayMs`. */
export class ModelWaits extends Error {
  override readonly name = 'ModelWaits';
  /** For the row and the log. */
  readonly code: string;
  readonly delayMs: number;
  /** For the row, with this one. */
  readonly failures: ProviderFailures;

  constructor({ code, message }: ModelFailure, delayMs: number, failures: ProviderFailures) {
    super(message);
    this.code = code;
    this.delayMs = delayMs;
    this.failures = failures;
  }
}

export type Asked = {
  readonly decision: Decision;
  readonly model: string;
  readonly latencyMs: number;
  /** Keeps what the call used, in the transaction that records the decision. Undefined: it is kept. */
  readonly settle?: (sql: TransactionSql) => Promise<void>;
};

type Call = {
  readonly scope: StoreScope;
  readonly turnId: string;
  readonly agentId: string;
  /** Those that may answer, and the one of them that is asked. */
  readonly candidates: readonly ConnectionRow[];
  readonly connection: ConnectionRow;
  readonly reserved: CallReservation;
  /** Those since the last decision. */
  readonly failures: ProviderFailures;
  readonly waitsSince: Date;
  /** Of the request, in epoch milliseconds. */
  readonly deadline: number;
};

/** Asks one model once. When no provider can answer in time, a person must. @throws ModelWaits */
export async function askModel(
  dependencies: Pick<Dependencies, 'openModel' | 'database' | 'onModelCall' | 'prices'>,
  request: ModelRequest,
  { scope, turnId, agentId, candidates, connection, reserved, failures, waitsSince, deadline }: Call,
): Promise<Asked> {
  const model = modelName(connection);
  const { outcome, latencyMs, settle } = await callModel(dependencies, request, {
    ...{ scope, connection, agentId, turnId, reserved, timeoutMs: callTimeMs(deadline, replyStepLimits) },
    // A model that does not want to answer works.
    record: (sql, result) =>
      markConnection(sql, scope.storeId, connection, result === 'answered' || result === 'refused' ? null : result),
  });
  if (!(outcome instanceof ModelFailure)) return { decision: outcome, model, latencyMs, settle };
  await dependencies.database.write(scope, settle);
  const now = Date.now();
  const failed = withFailure(failures, connection.provider, outcome, now);
  const next = afterFailure({ candidates, failures: failed, waitsSince: waitsSince.getTime(), now });
  if (next.kind === 'retry') throw new ModelWaits(outcome, next.delayMs, failed);
  const { person } = phrases[languageOf(request.agent.language ?? request.locale)];
  return { decision: { action: 'hand_over', text: person, reason: next.reason }, model, latencyMs };
}
