import { type ErrorCode, errorCatalogue, type ValidationFault, type WireError } from '@mostrador/contracts/core';

/** What an `AppError` can carry besides its code. */
export type AppErrorOptions = {
  /** For the caller. Default: the catalogue's description. Nothing personal, nothing internal. */
  readonly detail?: string;
  /** Further members of the problem document, such as `errors`, `current_status` or `id`. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  /** The underlying error, for the log and never for the caller. */
  readonly cause?: unknown;
};

/** An error that the caller may see. Its code is one of the catalogue. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const detail = options.detail ?? errorCatalogue[code].description;
    super(`${code}: ${detail}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.detail = detail;
    this.members = options.members;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return errorCatalogue[this.code].status;
  }

  /** Whether the same request, unchanged, may succeed later. */
  get retryable(): boolean {
    return errorCatalogue[this.code].retryable;
  }
}

const placeOf = (fault: ValidationFault): string => {
  if (!('pointer' in fault)) return `${fault.in} ${fault.name}`;
  return fault.pointer === '#' ? 'The body' : fault.pointer;
};

/** `validation_failed` with all faults. Its detail names the first one. */
export function validationFailed(errors: readonly ValidationFault[]): AppError {
  const [first] = errors;
  const where = first === undefined ? 'The request' : placeOf(first);
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new AppError('validation_failed', {
    // A detail of two sentences ends with a full stop.
    detail: `${where} ${(first?.detail ?? 'is not valid').replace(/\.$/, '')}${more}.`,
    members: { errors },
  });
}

/** The error that a request gets of several: what is not valid comes before what is not there, and that before the state. */
export function firstRefusal(refusals: readonly (AppError | null)[]): AppError | null {
  const errors = refusals.filter((error) => error !== null);
  return [400, 404].flatMap((status) => errors.find((error) => error.status === status) ?? [])[0] ?? errors[0] ?? null;
}

/** Waits for all checks of a request. Throws the error that `firstRefusal` chooses. */
export async function allChecks(checks: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(checks);
  const errors = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const unexpected = errors.find((error) => !(error instanceof AppError));
  if (unexpected !== undefined) throw unexpected;
  const first = firstRefusal(errors as AppError[]);
  if (first) throw first;
}

/** The error as it travels over NATS. Anything but an `AppError` becomes `internal_error` and reveals nothing. */
export function toWireError(error: unknown): WireError {
  const known = error instanceof AppError ? error : new AppError('internal_error');
  return {
    code: known.code,
    detail: known.detail,
    ...(known.members === undefined ? {} : { members: known.members }),
    ...(known.retryAfterSeconds === undefined ? {} : { retry_after: known.retryAfterSeconds }),
  };
}

/** The error that came over NATS. A code that this version does not know becomes `internal_error`. */
export function fromWireError(wire: WireError): AppError {
  if (!Object.hasOwn(errorCatalogue, wire.code)) {
    return new AppError('internal_error', { cause: new Error(`unknown error code ${String(wire.code)}`) });
  }
  return new AppError(wire.code, {
    detail: wire.detail,
    members: wire.members,
    retryAfterSeconds: wire.retry_after,
  });
}
