import { type ErrorCode, errorCatalogue } from '@mostrador/contracts/core';

/** `client` and `server` of a request, `producer` of a wake-up, `internal` for the rest (OpenTelemetry's SpanKind). */
export type SpanKind = 'client' | 'server' | 'producer' | 'internal';

/** Ids, names of operations, counts and codes: never what a person wrote, an address or a value of a statement. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** One piece of work in a trace that is recorded. */
export type Span = {
  /** W3C trace context (https://www.w3.org/TR/trace-context): the parent of what this work causes. */
  readonly traceparent: string;
  readonly ids: { readonly trace_id: string; readonly span_id: string };
  set(attributes: Attributes): void;
  /** `code`: that of the error. A code of the catalogue below 500 is an answer, and does not mark the span as failed. */
  end(code?: string): void;
};

export type SpanOptions = {
  /** The cause's `traceparent`. Undefined: the current span. Null: none. */
  readonly parent?: string | null;
  /** Runs only for a span that is recorded, because most are not. */
  readonly attributes?: () => Attributes;
};

export type BeginOptions = Pick<SpanOptions, 'attributes'> & {
  /** The trace that the caller named. Its ids are taken over; `trusted` takes over its decision, too. */
  readonly caller?: { readonly traceparent: string; readonly trusted: boolean };
};

/** The traces of a process. Only a process that is configured for it has one, so the others pay nothing. */
export type Tracing = {
  /** Begins a trace, or not: as the share of sampled traces says. */
  begin(kind: SpanKind, name: string, options: BeginOptions): Span | undefined;
  /** Continues a trace. Undefined: its cause is in none, or in one that is not recorded. */
  follow(kind: SpanKind, name: string, options: SpanOptions): Span | undefined;
  /** Runs the work, and what it causes, with this span as the current one. */
  within<T>(span: Span | undefined, work: () => T): T;
  current(): Span | undefined;
  /** Sends what is left within this time, and drops the rest. */
  stop(limitMs: number): Promise<void>;
};

/** Runs the work in the span, and ends the span with it. Without a span it only runs the work. */
export function inSpan<T>(tracing: Tracing, span: Span | undefined, work: () => Promise<T>): Promise<T> {
  return span === undefined ? work() : recorded(tracing, span, work);
}

async function recorded<T>(tracing: Tracing, span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await tracing.within(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end(codeOf(error));
    throw error;
  }
}

/** A code that names no person: that of our errors, of Temporal's, of PostgreSQL or of Node; else the error's class. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, type } = error as { code?: unknown; type?: unknown };
  return [code, type, error.name].find(isCode) ?? 'unknown';
}

const isCode = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(value);

/** Whether the code says that something failed, and not only that a request was refused. */
export const isFailure = (code: string): boolean => (errorCatalogue[code as ErrorCode]?.status ?? 500) >= 500;

const traceparentForm = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})$/;

/** The parts of a `traceparent`. Undefined: it is not valid. */
export function readTraceparent(
  text: string,
): { readonly traceId: string; readonly spanId: string; readonly isSampled: boolean } | undefined {
  const found = traceparentForm.exec(text) as [text: string, traceId: string, spanId: string, flags: string] | null;
  return found
    ? { traceId: found[1], spanId: found[2], isSampled: (Number.parseInt(found[3], 16) & 1) === 1 }
    : undefined;
}
