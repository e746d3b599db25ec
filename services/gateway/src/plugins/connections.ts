import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@mostrador/contracts';
import type { Health } from '@mostrador/kit/process/health';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import { renderProblem } from './problem.ts';

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers bytes that Node's HTTP parser rejected. There is no request object, only a socket. */
export function clientErrorHandler(publicUrl: string) {
  return (error: Error & { code?: string; bytesParsed?: number }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    answer(socket, codes[error.code ?? ''] ?? 'malformed_request', publicUrl);
  };
}

/**
 * Handles what Node leaves to the server: CONNECT gets 405, because it has no path to route. An unknown `Expect` is
 * ignored. While the process stops, every response closes its connection, so that clients move to another process.
 */
export function addConnectionRules(app: FastifyInstance, options: { publicUrl: string; health: Health }): void {
  const { health } = options;
  app.server.on('connect', (_request, socket) => {
    answer(socket as Socket, 'method_not_allowed', options.publicUrl);
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw;
    const lacksHost = httpVersion === '1.1' && headers.host === undefined;
    done(lacksHost ? new AppError('malformed_request', { detail: 'The request needs a `Host` header.' }) : undefined);
  });
  app.addHook('preClose', (done) => {
    health.drain();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (health.isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
}

function answer(socket: Socket, code: ErrorCode, publicUrl: string): void {
  // An earlier response is still being sent. A client would read a second status line inside it as content.
  if (hasAnswerUnderWay(socket)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = renderProblem(new AppError(code), randomUUID(), publicUrl);
  const lines = Object.entries({
    ...headers,
    ...(code === 'method_not_allowed' ? { allow: 'GET, HEAD' } : {}),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    date: new Date().toUTCString(),
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

function hasAnswerUnderWay(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  return message?.headersSent === true;
}
