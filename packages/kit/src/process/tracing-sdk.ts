import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import {
  type Context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkSpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import { isFailure, readTraceparent, type Span, type SpanKind, type SpanOptions, type Tracing } from './tracing.ts';

type TracingOptions = {
  readonly service: string;
  /** The collector's base address; traces go to `/v1/traces` below it. */
  readonly endpoint: string;
  /** `name=value[,…]`, values percent-encoded. */
  readonly headers?: string | undefined;
  readonly caFile?: string | undefined;
  /** The share of the traces that begin here and are recorded, from 0 to 1. */
  readonly ratio: number;
  readonly log: Log;
};

const exportLimitMs = 10_000;
const batchingMs = 1_000;
/** The queue of spans that wait for their export. Further ones are dropped. */
const mostQueued = 4_096;
const kinds = {
  client: SdkSpanKind.CLIENT,
  server: SdkSpanKind.SERVER,
  producer: SdkSpanKind.PRODUCER,
  internal: SdkSpanKind.INTERNAL,
} as const satisfies Record<SpanKind, SdkSpanKind>;

/**
 * Traces with OpenTelemetry's SDK. Spans go to a bounded queue, from which batches are sent: nothing waits for the
 * collector. Only spans that are recorded reach the SDK. It registers nothing globally.
 */
export function createTracing(options: TracingOptions): Tracing {
  const { ratio, log } = options;
  const processor = new BatchSpanProcessor({
    exporter: reporting(exporterFor(options), log),
    exportTimeoutMillis: exportLimitMs,
    scheduledDelayMillis: batchingMs,
    maxQueueSize: mostQueued,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service, 'service.namespace': 'mostrador' }),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('mostrador');
  const storage = new AsyncLocalStorage<Span | undefined>();

  const start = (kind: SpanKind, name: string, parent: Context, attributes: SpanOptions['attributes']): Span =>
    toSpan(tracer.startSpan(name, { kind: kinds[kind], attributes: attributes?.() ?? {} }, parent));

  return {
    begin(kind, name, { caller, attributes }) {
      const trusted = caller?.trusted ? readTraceparent(caller.traceparent) : undefined;
      const isSampled = trusted ? trusted.isSampled : Math.random() < ratio;
      if (!isSampled) return undefined;
      const named = trusted ?? (caller && readTraceparent(caller.traceparent));
      return start(kind, name, named ? remote(named) : ROOT_CONTEXT, attributes);
    },
    follow(kind, name, { parent, attributes }) {
      const cause = parent === undefined ? storage.getStore()?.traceparent : parent;
      const named = cause ? readTraceparent(cause) : undefined;
      return named?.isSampled ? start(kind, name, remote(named), attributes) : undefined;
    },
    within: (span, work) => storage.run(span, work),
    current: () => storage.getStore(),
    async stop(limitMs) {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([provider.shutdown().catch(() => {}), limit]);
      clearTimeout(timer);
    },
  };
}

const remote = ({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });

function toSpan(span: SdkSpan): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    ids: { trace_id: traceId, span_id: spanId },
    set: (attributes) => void span.setAttributes(attributes),
    end(code) {
      if (code !== undefined) span.setAttribute('error.type', code);
      if (code !== undefined && isFailure(code)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function exporterFor({ endpoint, headers, caFile }: TracingOptions): SpanExporter {
  return new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: exportLimitMs,
    ...(headers !== undefined && { headers: readHeaders(headers) }),
    ...(caFile !== undefined && { httpAgentOptions: { keepAlive: true, ca: readFileSync(caFile) } }),
  });
}

/** The headers as the OTLP specification writes them: https://opentelemetry.io/docs/specs/otel/protocol/exporter */
const readHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), decodeURIComponent(value.join('=').trim())];
    }),
  );

/** Logs when the collector stops taking traces, and when it takes them again. The SDK logs nothing. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  let isTaken = true;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const wasTaken = isTaken;
        isTaken = result.code === 0;
        if (wasTaken && !isTaken) {
          log.warn({ err: result.error }, 'the collector takes no traces: they are dropped until it does');
        } else if (isTaken && !wasTaken) log.info('the collector takes traces again');
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
