import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A proxy that checks the right to each call, as one in front of Temporal may do. It forwards the others. */
export type GrpcProxy = {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** Answers calls of these methods with PERMISSION_DENIED. */
  deny(...methods: readonly string[]): void;
  close(): Promise<void>;
};

const permissionDenied = '7';

/** Starts a proxy to a gRPC server without TLS at `host:port`. */
export async function startGrpcProxy(target: string): Promise<GrpcProxy> {
  let denied: readonly string[] = [];
  const sessions = new Set<{ destroy(): void }>();
  const upstream: ClientHttp2Session = connect(`http://${target}`);
  upstream.on('error', () => {});

  const forward = (stream: ServerHttp2Stream, headers: Record<string, unknown>) => {
    const { ':authority': _, ...rest } = headers;
    const call = upstream.request(rest as Record<string, string>);
    const end = () => stream.close();
    call.on('error', end);
    stream.on('error', () => call.close());
    call.on('response', (answered, flags) => {
      if (stream.destroyed) return;
      // An error has no body: its status comes with the headers.
      if (flags & constants.NGHTTP2_FLAG_END_STREAM) return stream.respond(answered, { endStream: true });
      stream.respond(answered, { waitForTrailers: true });
      let trailers = {};
      call.on('trailers', (given) => {
        trailers = given;
      });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      call.pipe(stream);
    });
    stream.pipe(call);
  };
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {}).on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1) ?? '';
    if (!denied.includes(method)) return forward(stream, headers);
    const refusal = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': permissionDenied };
    stream.respond(refusal, { endStream: true });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    deny: (...methods) => {
      denied = methods;
    },
    async close() {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
