import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { saneRequestId } from '../http/headers.ts';

/** The caller's request id if it is safe to log, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  return saneRequestId(request.headers['x-request-id']) ?? randomUUID();
}

/** Adds `x-request-id` to every response. */
export function addRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}
