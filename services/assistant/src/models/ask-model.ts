import { replyStepLimits } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import { callTimeMs } from '@mostrador/kit/step/step';
import type { Dependencies } from '../dependencies.ts';
import { afterFailure, candidatesOf, nextOf, type ProviderFailures, withFailure } from './choose-model.ts';
import type { Decision, ModelRequest, Usage } from './model.ts';
import { type ConnectionRow, markConnection } from './model-connection.repository.ts';
import { ModelFailure } from './model-failure.ts';
import { languageOf, phrases } from './phrases.ts';
import { addUsage } from './usage.repository.ts';

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

export type Asked = { readonly decision: Decision; readonly model: string; readonly latencyMs: number };

type Call = {
  readonly scope: StoreScope;
  readonly turnId: string;
  readonly agentId: string;
  /** At least one, the default of the store first. */
  readonly connections: readonly ConnectionRow[];
  readonly agentModel: Parameters<typeof candidatesOf>[1];
  /** Those since the last decision. */
  readonly failures: ProviderFailures;
  readonly waitsSince: Date;
  /** Of the request, in epoch milliseconds. */
  readonly deadline: number;
};

/** Asks one model once. When no provider can answer in time, a person must. @throws ModelWaits */
export async function askModel(
  { openModel, database, onModelCall }: Pick<Dependencies, 'openModel' | 'database' | 'onModelCall'>,
  request: ModelRequest,
  { scope, turnId, agentId, connections, agentModel, failures, waitsSince, deadline }: Call,
): Promise<Asked> {
  const { storeId } = scope;
  const candidates = candidatesOf(connections, agentModel);
  const connection = nextOf(candidates, failures) ?? (candidates[0] as ConnectionRow);
  const { provider } = connection;
  const name = connection.model === null ? provider : `${provider}/${connection.model}`;
  const timeoutMs = callTimeMs(deadline, replyStepLimits);
  const begunAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - begunAt);
  let usage: Usage = {};
  const settle = async (result: Parameters<typeof onModelCall>[0]['result']) => {
    const { inputTokens, outputTokens } = usage;
    onModelCall({ provider, result, latencyMs: latencyMs(), inputTokens, outputTokens });
    const call = { turnId, agentId, model: name, failed: result !== 'answered', inputTokens, outputTokens };
    // A model that does not want to answer works.
    const failure = result === 'answered' || result === 'refused' ? null : result;
    await database.write(scope, async (sql) => {
      await addUsage(sql, storeId, call);
      await markConnection(sql, storeId, connection, failure);
    });
  };
  const onUsage = (used: Usage) => {
    usage = used;
  };
  try {
    const decision = await openModel(storeId, connection).answer(request, { timeoutMs, onUsage });
    await settle('answered');
    return { decision, model: name, latencyMs: latencyMs() };
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    await settle(error.kind);
    const now = Date.now();
    const failed = withFailure(failures, provider, error, now);
    const next = afterFailure({ candidates, failures: failed, waitsSince: waitsSince.getTime(), now });
    if (next.kind === 'retry') throw new ModelWaits(error, next.delayMs, failed);
    const { person } = phrases[languageOf(request.agent.language ?? request.locale)];
    return {
      decision: { action: 'hand_over', text: person, reason: next.reason },
      model: name,
      latencyMs: latencyMs(),
    };
  }
}
