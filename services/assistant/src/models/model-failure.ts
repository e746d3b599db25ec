import type { ModelFailureKind } from '@mostrador/contracts';

/** The model gave no answer. It names no text of the prompt, of the answer or of the provider, so it can be logged. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: ModelFailureKind;
  /** For the row, the log and traces. */
  readonly code: string;
  readonly retryAfterSeconds?: number | undefined;
  /** Of the HTTP answer, if there was one. */
  readonly status?: number | undefined;

  constructor(
    kind: ModelFailureKind,
    what: string,
    options: { readonly retryAfterSeconds?: number | undefined; readonly status?: number | undefined } = {},
  ) {
    super(`${kind}: ${what}`);
    this.kind = kind;
    this.code = `model_${kind}`;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.status = options.status;
  }
}
