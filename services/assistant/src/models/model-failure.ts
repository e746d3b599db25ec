/**
 * Why a model gave nothing that can be used. `rejected`: the provider does not take the key, the model or the address, so
 * that only a person can mend it. `refused`: the model does not want to answer, and another one is not asked.
 */
export type FailureKind = 'rate_limited' | 'unavailable' | 'timed_out' | 'malformed' | 'rejected' | 'refused';

/** The model gave no answer. It names no text of the prompt, of the answer or of the provider, so it can be logged. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: FailureKind;
  /** For the row, the log and traces. */
  readonly code: string;
  readonly retryAfterSeconds?: number | undefined;

  constructor(kind: FailureKind, what: string, options: { readonly retryAfterSeconds?: number | undefined } = {}) {
    super(`${kind}: ${what}`);
    this.kind = kind;
    this.code = `model_${kind}`;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
