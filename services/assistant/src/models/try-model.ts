import { AppError } from '@mostrador/kit/rpc/errors';
import { stepLimits } from '@mostrador/kit/step/step';
import type { Model } from './model.ts';
import { ModelFailure } from './model-failure.ts';

/** Time kept before the caller's deadline for storing the connection. */
const storingMs = 2_000;

/** Why a connection is not taken. */
type Reason = 'wrong_key' | 'unknown_model' | 'unreachable' | 'timed_out' | 'rate_limited' | 'unusable';

/** What is wrong, and what to do. A detail begins with the reason, by which the console knows it. */
const details: Readonly<Record<Reason, string>> = {
  wrong_key: 'The provider does not accept the key. Connect with a valid one.',
  unknown_model: 'The provider has no such model, or there is no API at this address. Correct them.',
  unreachable: 'The provider does not answer. Correct the address, or try again in a minute.',
  timed_out: 'The model did not answer in time. Try again: a model that was loaded meanwhile is faster.',
  rate_limited: 'The provider takes no more calls of this account now. Look at its credit, or try again later.',
  unusable:
    'The provider rejected a trial call, or its answer is not that of a model. Correct the address and the model.',
};

/** Calls a model once, with a few words that say nothing of the store. @throws AppError `ai_connection_refused` */
export async function tryModel(model: Pick<Model, 'tryOut'>, deadline: number): Promise<void> {
  const timeoutMs = Math.min(stepLimits.callMs, deadline - Date.now() - storingMs);
  if (timeoutMs <= 0) throw new AppError('upstream_timeout');
  try {
    await model.tryOut({ timeoutMs });
  } catch (cause) {
    if (!(cause instanceof ModelFailure)) throw cause;
    const reason = reasonOf(cause);
    throw new AppError('ai_connection_refused', { detail: `${reason}: ${details[reason]}`, cause });
  }
}

/** Pure. */
function reasonOf({ kind, status }: ModelFailure): Reason {
  if (status === 401 || status === 403) return 'wrong_key';
  if (status === 404) return 'unknown_model';
  if (kind === 'timed_out' || kind === 'rate_limited') return kind;
  return kind === 'unavailable' ? 'unreachable' : 'unusable';
}
