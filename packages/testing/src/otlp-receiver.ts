import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as the receiver keeps it. */
export type ReceivedSpan = {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
  readonly startMs: number;
};

type Attribute = {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
};
type Payload = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
};
type SentSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code?: number };
  readonly startTimeUnixNano: string;
};

const statusError = 2;

const valuesOf = (attributes: readonly Attribute[]): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']));

/**
 * A collector for tests: takes traces over OTLP/HTTP as JSON. `GET /traces/<id>` answers the spans of a trace, for a test
 * in another process. `answer` takes the place of the answer to an export.
 */
export async function startOtlpReceiver({ answer }: { answer?: (response: ServerResponse) => void } = {}) {
  const spans: ReceivedSpan[] = [];
  const requests: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    if (request.method === 'GET') {
      const found = spans.filter(({ traceId }) => path === `/traces/${traceId}`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
      return;
    }
    requests.push({ path, headers });
    take((await json(request)) as Payload);
    if (answer) answer(response);
    else response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const take = ({ resourceSpans }: Payload) => {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const { traceId, spanId, parentSpanId, name } = span;
        spans.push({
          ...{ service, traceId, spanId, parentSpanId, name },
          attributes: valuesOf(span.attributes),
          failed: span.status?.code === statusError,
          startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        });
      }
    }
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
