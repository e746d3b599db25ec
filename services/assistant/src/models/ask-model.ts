import { replyStepLimits } from '@mostrador/contracts';
import { callTimeMs } from '@mostrador/kit/step/step';
import type { Dependencies } from '../dependencies.ts';
import { afterFailure, candidateOf, candidatesOf } from './choose-model.ts';
import type { Decision, ModelRequest } from './model.ts';
import type { ConnectionRow } from './model-connection.repository.ts';
import { ModelFailure } from './model-failure.ts';
import { languageOf, phrases } from './phrases.ts';

/** No provider gave an answer yet, and the next attempt is due after `delayMs`. */
export class ModelWaits extends Error {
  override readonly name = 'ModelWaits';
  /** For the row and the log. */
  readonly code: string;
  readonly delayMs: number;

  constructor({ kind, message }: ModelFailure, delayMs: number) {
    super(message);
    this.code = `model_${kind}`;
    this.delayMs = delayMs;
  }
}

export type Asked = { readonly decision: Decision; readonly model: string; readonly latencyMs: number };

type Call = {
  readonly storeId: string;
  /** At least one, the default of the store first. */
  readonly connections: readonly ConnectionRow[];
  readonly agentModel: Parameters<typeof candidatesOf>[1];
  /** The number of the attempt, from 1: after a failure the next one asks the next provider. */
  readonly attempt: number;
  /** When the lead wrote last. */
  readonly writtenAt: Date;
  /** Of the request, in epoch milliseconds. */
  readonly deadline: number;
};

/** Asks one model once. When no provider can answer in time, a person must. @throws ModelWaits */
export async function askModel(
  { openModel }: Pick<Dependencies, 'openModel'>,
  request: ModelRequest,
  { storeId, connections, agentModel, attempt, writtenAt, deadline }: Call,
): Promise<Asked> {
  const candidates = candidatesOf(connections, agentModel);
  const connection = candidateOf(candidates, attempt) as ConnectionRow;
  const begunAt = performance.now();
  const asked = (decision: Decision, model: string): Asked => ({
    ...{ decision, model, latencyMs: Math.round(performance.now() - begunAt) },
  });
  try {
    const model = openModel(storeId, connection);
    return asked(await model.answer(request, { timeoutMs: callTimeMs(deadline, replyStepLimits) }), model.name);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    const waitedMs = Date.now() - writtenAt.getTime();
    const next = afterFailure({ failure: error, attempt, candidates: candidates.length, waitedMs });
    if (next.kind === 'retry') throw new ModelWaits(error, next.delayMs);
    const { person } = phrases[languageOf(request.agent.language ?? request.locale)];
    const name = connection.model === null ? connection.provider : `${connection.provider}/${connection.model}`;
    return asked({ action: 'hand_over', text: person, reason: next.reason }, name);
  }
}
